"""How the window of an ADK session changes: a compaction puts a summary in the place of a span of time, a rewind drops
what came from a turn on.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.google_adk_session.parts import parts_of, snake
from sessions_app.interchange.loose import as_object, as_text
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.times import parse_time
from sessions_app.interchange.transcript import Compacted


@dataclass(slots=True)
class AdkWindows:
    tally: Tally
    _said: list[tuple[int, Any, str]] = field(default_factory=list)
    """(record, time, turn) of the messages so far."""
    _summaries: list[tuple[float, float, str]] = field(default_factory=list)
    """(start, end, text) of the compactions that count."""

    def say(self, record: int, event: dict[str, Any]) -> None:
        self._said.append((record, event.get("timestamp"), as_text(event.get("invocation_id"))))

    def changed(self, record: int, event: dict[str, Any]) -> Iterator[Compacted]:
        actions = as_object(snake(event.get("actions")))
        if isinstance(actions.get("compaction"), dict):
            yield from self._compacted(record, event, snake(actions["compaction"]))
        if turn := as_text(actions.get("rewind_before_invocation_id")):
            yield from self._rewound(record, event, turn)

    def _compacted(self, record: int, event: dict[str, Any], told: dict[str, Any]) -> Iterator[Compacted]:
        start, end = _seconds(told.get("start_timestamp")), _seconds(told.get("end_timestamp"))
        text = neutral.parts_or_text(parts_of(told.get("compacted_content")).said)
        if start is None or end is None or not isinstance(text, str):
            self.tally.skip("compaction", "names no span of time, or has no summary", record)
            return
        # A summary stays in the window until a later one covers its span.
        self._summaries = [s for s in self._summaries if not (start <= s[0] and s[1] <= end)]
        self._summaries.append((start, end, text))
        texts = [text for _, _, text in sorted(self._summaries, key=lambda s: s[:2])]
        times = ((number, _seconds(time)) for number, time, _ in self._said)
        yield Compacted(
            (record,),
            summary={"role": "user", "content": "\n\n".join(texts)},
            forgets={number for number, time in times if time is not None and start <= time <= end},
            params={"start_timestamp": start, "end_timestamp": end},
            at=parse_time(event.get("timestamp")),
        )

    def _rewound(self, record: int, event: dict[str, Any], turn: str) -> Iterator[Compacted]:
        first = next((n for n, (_, _, of_turn) in enumerate(self._said) if of_turn == turn), None)
        if first is None:
            self.tally.skip("rewind", "goes back to a turn that is not in the file", record)
            return
        yield Compacted(
            (record,),
            forgets={number for number, _, _ in self._said[first:]},
            params={"rewind_before_invocation_id": turn},
            at=parse_time(event.get("timestamp")),
        )


def _seconds(value: Any) -> float | None:
    return (
        float(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e18 else None
    )
