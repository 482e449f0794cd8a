"""A session of any length, made through the engine as an agent would: appended, recovered, compressed now and then."""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from sessions_app import engine
from sessions_app.access.models import User
from sessions_app.compression.registry import find
from sessions_app.management.made_conversation import Msg, Step, conversation

STRATEGIES: Final = ("sliding_window", "clear_tool_results", "digest")
"""In this order, one after the other and again."""

_PACE: Final = timedelta(seconds=12)
"""From one frame to the next."""

_APPENDS: Final = 500
"""About so many make a long session: each costs a transaction. A short one is appended turn by turn."""

_LARGEST: Final = 500
"""Messages of an append to which no further turn is added."""


def make_session(
    *,
    owner: User,
    session_id: str,
    frames: int,
    compressions: int,
    seed: int,
    title: str,
    now: datetime,
    on_frames: Callable[[int], None] = lambda _frames: None,
) -> engine.SessionState:
    """Make a session of exactly so many frames, the last of them said `now`, compressed at even distances. Where there
    is nothing to compress yet it is left out.

    `on_frames` is told how many there are so far. Raises SessionExists, InvalidInput.
    """
    began = now - frames * _PACE
    created = engine.create(
        owner_id=owner.pk, session_id=session_id, title=title, created_by=owner.username, now=lambda: began
    )
    making = _Making(
        created.record.state, owner.username, began, rounds_kept=max(3, frames // (compressions + 1) // 10)
    )
    due = deque(frames * n // (compressions + 1) for n in range(1, compressions + 1))
    steps = _joined(conversation(seed), at_least=min(frames // _APPENDS, _LARGEST))
    while making.frame_count < frames:
        making.take(next(steps), at_most=frames - making.frame_count)
        while due and due[0] <= making.frame_count:
            due.popleft()
            making.compress()
        on_frames(making.frame_count)
    return making.state


def _joined(steps: Iterator[Step], *, at_least: int) -> Iterator[Step]:
    messages: list[Msg] = []
    for step in steps:
        messages += step.messages
        if step.dies or len(messages) >= at_least:
            yield Step(tuple(messages), step.dies)
            messages.clear()


@dataclass(slots=True)
class _Making:
    state: engine.SessionState
    by: str
    began: datetime
    rounds_kept: int
    strategies: deque[str] = field(default_factory=lambda: deque(STRATEGIES))

    @property
    def frame_count(self) -> int:
        return self.state.frame_count

    def take(self, step: Step, *, at_most: int) -> None:
        """As much of a step as there is room for. Only a whole one may die: the rest is cut off with its calls open."""
        messages = step.messages[:at_most]
        at = self._time_after(len(messages))
        session_id, head = self.state.session_id, self.state.head
        self.state = engine.append(session_id=session_id, messages=messages, expected=head, now=lambda: at).state
        if step.dies and len(messages) < at_most:
            self.state = engine.recover(
                session_id=session_id, expected=self.state.head, reason="crash", now=lambda: at + _PACE
            ).state

    def compress(self) -> None:
        at = self._time_after(0)
        for _ in range(len(self.strategies)):
            strategy = find(self.strategies[0])
            self.strategies.rotate(-1)
            try:
                self.state = engine.compress(
                    session_id=self.state.session_id,
                    strategy=strategy,
                    params=strategy.Params.model_validate({"protect_rounds": self.rounds_kept}),
                    expected=self.state.head,
                    created_by=self.by,
                    now=lambda: at,
                ).state
            except engine.NothingToCompress:
                continue  # the next one may find something
            return

    def _time_after(self, frames: int) -> datetime:
        return self.began + (self.frame_count + frames) * _PACE
