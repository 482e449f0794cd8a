"""Compression without a session: what a strategy would make of a pasted list of messages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils import timezone
from pydantic import BaseModel

from sessions_app.engine.compress import candidate_of, first_request_in
from sessions_app.engine.errors import Fault, InvalidMessages, RuleBroken
from sessions_app.engine.pairing import Walk
from sessions_app.engine.prepared import prepare_frames
from sessions_app.engine.recovery_text import RecoveryWording
from sessions_app.engine.rules import Candidate, check
from sessions_app.engine.state import SessionState
from sessions_app.engine.strategy import Compressed, Strategy, Toolbox
from sessions_app.engine.validity import parse_messages
from sessions_app.engine.window import Window

_NOWHERE = SessionState(
    session_id="",
    incarnation="",
    owner_id=0,
    next_msg_seq=1,
    context_compression_version=1,
    keep_context_history=True,
    require_head=False,
    compression_policy="",
    open_calls=(),
    recovered_calls=(),
    raw_tokens=0,
    context_tokens=0,
    context_messages=0,
    tail_role="",
)


@dataclass(frozen=True, slots=True)
class Pasted:
    """The window of the list as it is, where message n is frame n, and what the strategy made of it."""

    before: Window
    made: Compressed

    @property
    def after(self) -> Window:
        return self.made.window


def compress_pasted(
    *,
    messages: Sequence[Mapping[str, Any]],
    strategy: Strategy,
    params: BaseModel,
    tools: Toolbox = Toolbox(),
) -> Pasted:
    """Writes nothing. Raises InvalidMessages, OpenToolCalls, UnmatchedToolReply, NothingToCompress, RuleBroken."""
    parsed = parse_messages(messages)
    if not parsed:
        raise InvalidMessages([Fault("/messages", "must hold at least one message")])
    walk = Walk(_NOWHERE, RecoveryWording.configured())
    walk.take_all(parsed)
    prepared = prepare_frames(walk, notes=[{}] * len(parsed), now=timezone.now(), find=lambda _seq: None)
    before = Window.of(p.item for p in prepared.appended)
    state = replace(prepared.after, context_messages=len(before))
    made = candidate_of(strategy, params, before, state, tools)
    candidate = Candidate(before, made.window, state.open_calls, state.frame_count, first_request_in(before))
    if broken := check(candidate):
        raise RuleBroken(broken, strategy=strategy.name)
    return Pasted(before, made)
