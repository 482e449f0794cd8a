"""The events of one agent of OpenHands (before the SDK), in their order, as the steps of a session."""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.openhands_events.condensation import condensation
from sessions_app.interchange.formats.openhands_events.finish import FINISH, last_words
from sessions_app.interchange.formats.openhands_events.kinds import TEXTS, UNSAID
from sessions_app.interchange.formats.openhands_events.messages import Event, answer, event_key, plain, recalled, reply
from sessions_app.interchange.formats.response_group import ResponseGroup
from sessions_app.interchange.loose import as_count, as_object, as_text, without
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Said, Step

_LONGEST: Final = 60
"""Characters of a kind's name: it stands in reports."""


class Walk:
    """Takes the events of one session. An event that says nothing is named in the tally."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._group: ResponseGroup | None = None
        self._said_responses: set[Hashable] = set()
        self._calls: dict[Hashable, tuple[str, str]] = {}
        """By the id of the action: the id of its call, and its tool."""
        self._unanswered: list[tuple[str, str]] = []
        """Calls of the newest answer that have no id of the model's."""
        self._keys: list[int] = []
        self._ends: set[str] = set()
        """Calls that end a run, and want no reply."""

    def steps(self, events: Iterable[tuple[int, Event]]) -> Iterator[Step]:
        for number, event in events:
            self._keys += [key for key in event_key(event) if isinstance(key, int)]
            if isinstance(event.get("action"), str):
                yield from self._action(number, event, event["action"][:_LONGEST])
            elif isinstance(event.get("observation"), str):
                yield from self._observation(number, event, event["observation"][:_LONGEST])
            else:
                self._tally.skip("event", "is neither an action nor an observation", number)
        yield from self._close()

    def _action(self, number: int, event: Event, kind: str) -> Iterator[Step]:
        args, source = as_object(event.get("args")), event.get("source")
        if kind in UNSAID:
            self._tally.skip(kind, UNSAID[kind], number)
        elif kind == "recall" and source != "agent":
            self._tally.skip(kind, "asks for what the memory then tells", number)
        elif kind == "condensation":
            yield from self._close()
            yield from condensation(number, event, self._keys, self._tally)
        elif kind in ("system", "message"):
            yield from self._close()
            role = "system" if kind == "system" else "user" if source == "user" else "assistant"
            yield plain(number, event, role, args.get("content", event.get("message")))
        elif kind == FINISH and event.get("tool_call_metadata"):
            yield from self._finish(number, event, args)
        elif event.get("tool_call_metadata") or (source == "agent" and kind not in TEXTS):
            yield from self._call(number, event, kind, args)
        elif kind in TEXTS and source == "agent":
            yield from self._close()
            texts = (as_text(args.get(name)) for name in TEXTS[kind])
            yield plain(number, event, "assistant", next((t for t in texts if t), as_text(event.get("message"))))
        elif source == "user" and kind != "finish":
            yield from self._close()
            asked = as_text(args.get("command")) or neutral.json_text(without(args))
            yield plain(number, event, "user", f"User executed the command:\n{asked}")
        else:
            self._tally.skip(kind, "is an action of the program's, and no message", number)

    def _call(self, number: int, event: Event, kind: str, args: dict[str, Any]) -> Iterator[Step]:
        metadata = as_object(event.get("tool_call_metadata"))
        response = as_object(metadata.get("model_response"))
        key = next(iter(event_key(event)), number)
        name = as_text(metadata.get("function_name")) or kind
        call_id = as_text(metadata.get("tool_call_id")) or f"event_{key}"
        call = neutral.call(call_id, name, without(args, "thought"))
        self._calls[key] = (call_id, name)
        response_id = as_text(response.get("id"))
        said = answer(number, event, call, response)
        group = self._group
        if group is not None and group.response == response_id and (response_id or group.wanted > 0):
            group.join(replace(said, message={**said.message, "tool_calls": [_of(said, call_id)]}))
        elif response_id and response_id in self._said_responses:
            self._tally.skip(kind, "belongs to an answer that stands above as a whole", number)
            return
        else:
            yield from self._close()
            self._said_responses.update({response_id} - {""})
            total = as_count(metadata.get("total_calls_in_response")) or 1
            self._group = group = ResponseGroup(response_id, said, wanted=min(total, 1000) - 1)
            self._unanswered = []
        if not metadata.get("tool_call_id"):
            self._unanswered.append((call_id, name))
        if group.wanted <= 0:
            yield from self._close()

    def _finish(self, number: int, event: Event, args: dict[str, Any]) -> Iterator[Step]:
        yield from self._close()
        metadata = as_object(event.get("tool_call_metadata"))
        response = as_object(metadata.get("model_response"))
        call_id = as_text(metadata.get("tool_call_id")) or f"event_{next(iter(event_key(event)), number)}"
        self._ends.add(call_id)
        response_id = as_text(response.get("id"))
        if response_id not in self._said_responses:
            self._said_responses.update({response_id} - {""})
            yield answer(number, event, neutral.call(call_id, FINISH, without(args, "thought")), response)
        elif words := last_words(args, event.get("message")):
            # The thought stands with the other calls of the answer.
            yield plain(number, event, "assistant", words)
        else:
            self._tally.skip(FINISH, "belongs to an answer that stands above as a whole", number)

    def _close(self) -> Iterator[Step]:
        group, self._group = self._group, None
        if group is not None:
            yield from group.steps()

    def _observation(self, number: int, event: Event, kind: str) -> Iterator[Step]:
        answered = self._answered(event)
        said: Said | None
        if answered is not None and answered[0] in self._ends:
            self._tally.skip(kind, "acknowledges the end of the run, and is no message", number)
            return
        if answered is not None:
            if answered in self._unanswered:
                self._unanswered.remove(answered)
            said = reply(number, event, *answered)
            if self._group is not None:
                self._group.replies.append(said)
            else:
                yield said
            return
        if kind in UNSAID or kind == "think":
            self._tally.skip(kind, UNSAID.get(kind, "acknowledges a thought, and is no message"), number)
            return
        yield from self._close()
        said = recalled(number, event) if kind == "recall" else plain(number, event, "user", event.get("content"))
        if said is None:
            self._tally.skip(kind, "adds no text to the conversation", number)
        else:
            yield said

    def _answered(self, event: Event) -> tuple[str, str] | None:
        """The id and the tool of the call that an observation answers; None where it answers none."""
        metadata, cause = as_object(event.get("tool_call_metadata")), event.get("cause")
        if call_id := as_text(metadata.get("tool_call_id")):
            return call_id, as_text(metadata.get("function_name"))
        if isinstance(cause, int | str):
            return self._calls.get(cause)
        # Before there were causes, an observation followed its action.
        return self._unanswered[0] if self._unanswered and event.get("observation") not in UNSAID else None


def _of(said: Said, call_id: str) -> neutral.Message:
    calls: list[neutral.Message] = said.message["tool_calls"]
    return next(call for call in calls if call["id"] == call_id)
