"""The lines of a Codex rollout, one after another, as the steps of its session."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from sessions_app.interchange.formats.codex_rollout.talk import CodexTalk
from sessions_app.interchange.formats.openai_responses import kinds as kinds
from sessions_app.interchange.formats.openai_responses.kinds import Item
from sessions_app.interchange.jsonreading import Record
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.times import parse_time
from sessions_app.interchange.transcript import Step, Transcript

_PASSING: Final = ("turn_id", "trace_id")
"""Members of a turn's settings that are new each turn, and change nothing."""

_SHOWN: Final = "shows what a response item says"
_EVENTS: Final = {
    "user_message": _SHOWN,
    "agent_message": _SHOWN,
    "agent_reasoning": _SHOWN,
    "agent_reasoning_raw_content": _SHOWN,
    "context_compacted": "shows that the window was compacted",
    "thread_name_updated": "is the title of the session",
}


class CodexSteps:
    """`has_items`: whether the file holds response items. Where it does not, events alone tell what was said."""

    def __init__(self, transcript: Transcript, tally: Tally, *, has_items: bool) -> None:
        self._transcript, self._tally, self._has_items = transcript, tally, has_items
        self._talk = CodexTalk(tally)
        self._settings: dict[str, Any] = {}
        self._has_meta = False

    def of(self, records: Iterator[Record]) -> Iterator[Step]:
        for record in records:
            yield from self._line(record.number, record.value)
        yield from self._talk.end()
        self._transcript.title = self._transcript.title or self._talk.title

    def _line(self, number: int, value: dict[str, Any]) -> Iterator[Step]:
        kind, payload, at = value.get("type"), value.get("payload"), parse_time(value.get("timestamp"))
        if not isinstance(payload, dict):
            yield from self._bare(number, value, at)
        elif kind == "session_meta":
            yield from self._meta(number, payload)
        elif kind == "turn_context":
            self._turn(number, payload)
        elif kind == "response_item":
            self._has_items = True
            yield from self._talk.item(number, payload, at)
        elif kind == "inter_agent_communication":
            yield from self._talk.item(number, payload | {"type": "agent_message"}, at)
        elif kind == "event_msg":
            yield from self._event(number, payload, at)
        elif kind == "compacted":
            yield from self._talk.compacted(number, payload, at)
        else:
            self._unknown(number, kind)

    def _bare(self, number: int, value: dict[str, Any], at: datetime | None) -> Iterator[Step]:
        """A line of an old file."""
        if kinds.kind_of(value) in kinds.KINDS:
            yield from self._talk.item(number, {k: v for k, v in value.items() if k != "timestamp"}, at)
        elif "record_type" in value:
            self._tally.skip("record_type", "marks a place, and says nothing", number)
        elif "type" not in value and isinstance(value.get("id"), str):
            yield from self._meta(number, value)
        else:
            self._unknown(number, value.get("type"))

    def _unknown(self, number: int, kind: Any) -> None:
        self._tally.skip(kind if isinstance(kind, str) and kind else "line", "is no line of a known kind", number)

    def _meta(self, number: int, payload: dict[str, Any]) -> Iterator[Step]:
        """The first one is that of the session. A session that goes on from another begins with all that one held."""
        if self._has_meta:
            self._tally.skip(
                "session_meta", "is not the first one: that of a session which this one goes on from", number
            )
            return
        self._has_meta = True
        session_id, source, base = payload.get("id"), payload.get("source"), payload.get("base_instructions")
        if isinstance(session_id, str) and session_id:
            self._transcript.native_id = session_id
        is_side = isinstance(source, dict) and "subagent" in source
        labels = (("sidechain", is_side), ("branch", bool(payload.get("forked_from_id"))))
        self._transcript.labels = tuple(label for label, applies in labels if applies)
        text = base.get("text") if isinstance(base, dict) else base
        is_told = isinstance(text, str) and text != ""
        carried = ("id", "base_instructions") if is_told else ("id",)
        told = {name: value for name, value in payload.items() if name not in carried and value is not None}
        self._talk.beside.hold("session_meta", number, told)
        if isinstance(text, str) and text:
            yield from self._talk.system(text)

    def _turn(self, number: int, payload: dict[str, Any]) -> None:
        model = payload.get("model")
        self._talk.model = model if isinstance(model, str) else ""
        settings = {name: value for name, value in payload.items() if name not in _PASSING and value is not None}
        if settings == self._settings:
            self._tally.skip("turn_context", "repeats the settings before it", number)
            return
        self._settings = settings
        told = {name: value for name, value in settings.items() if name != "model"}
        self._talk.beside.hold("turn_context", number, told)

    def _event(self, number: int, payload: dict[str, Any], at: datetime | None) -> Iterator[Step]:
        kind = payload.get("type")
        kind = kind if isinstance(kind, str) and kind else "event_msg"
        if not self._has_items and (item := _told_by(kind, payload)) is not None:
            yield from self._talk.item(number, item, at)
        elif kind == "token_count":
            yield from self._talk.counted(number, payload.get("info"))
        elif kind == "turn_aborted":
            yield from self._talk.aborted(number, payload.get("reason"))
        elif kind == "thread_rolled_back":
            yield from self._talk.rolled_back(number, payload.get("num_turns"), at)
        else:
            name = payload.get("thread_name")
            if kind == "thread_name_updated" and isinstance(name, str):
                self._transcript.title = name
            self._tally.skip(kind, _EVENTS.get(kind, "is an event for the screen"), number)


def _told_by(kind: str, payload: dict[str, Any]) -> Item | None:
    """What an event says, as the item that it would be."""
    match kind:
        case "user_message" | "agent_message" if isinstance(payload.get("message"), str):
            return {"role": "user" if kind == "user_message" else "assistant", "content": payload["message"]}
        case "agent_reasoning" if isinstance(payload.get("text"), str):
            return {"type": "reasoning", "summary": [{"type": "summary_text", "text": payload["text"]}]}
    return None
