"""The events of the OpenHands SDK, in their order, as the steps of a session."""

from collections.abc import Iterator
from typing import Any, Final

from sessions_app.interchange.formats.openhands_v1_events.messages import (
    Event,
    action,
    foreign_call,
    is_reply,
    message,
    model_of_state,
    reply,
    system,
)
from sessions_app.interchange.formats.response_group import ResponseGroup
from sessions_app.interchange.loose import as_text, without
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.times import parse_time
from sessions_app.interchange.transcript import Compacted, Said, Step

_UNSAID: Final = {
    "CondensationRequest": "asks for the condensation that follows",
    "ConversationErrorEvent": "tells of an error of the program, and is no message",
    "ConversationStateUpdateEvent": "tells the state of the conversation, and is no message",
    "HookExecutionEvent": "is for the program, and no message",
    "InterruptEvent": "is for the program, and no message",
    "LLMCompletionLogEvent": "repeats what was sent to the model",
    "PauseEvent": "is for the program, and no message",
    "StreamingDeltaEvent": "is a piece of an answer that follows as a whole",
    "TokenEvent": "holds the tokens of an answer that stands as a message",
}
_SAID: Final = (
    "SystemPromptEvent",
    "MessageEvent",
    "ActionEvent",
    "ObservationEvent",
    "UserRejectObservation",
    "AgentErrorEvent",
    "Condensation",
    "CondensationSummaryEvent",
    "ACPToolCallEvent",
)
KINDS: Final = frozenset({*_UNSAID, *_SAID})


class WalkV1:
    """Takes the events one by one. An event that says nothing is named in the tally."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._group: ResponseGroup | None = None
        self._summary: str = ""
        self._model: str = ""

    def event(self, number: int, event: Event) -> Iterator[Step]:
        kind = as_text(event.get("kind"))[:60]
        if is_reply(kind):
            said = reply(number, event, kind)
            # Calls of the same answer may follow, when one of them failed at once.
            if self._group is not None:
                self._group.replies.append(said)
            else:
                yield said
        elif kind == "ActionEvent":
            yield from self._action(number, event)
        elif kind in _SAID:
            yield from self.end()
            yield from self._other(number, event, kind)
        else:
            self._model = model_of_state(event) or self._model
            self._tally.skip(kind or "event", _UNSAID.get(kind, "is of a kind that is not known"), number)

    def end(self) -> Iterator[Said]:
        """What is still held back at the end of the file."""
        group, self._group = self._group, None
        if group is not None:
            yield from group.steps()

    def _action(self, number: int, event: Event) -> Iterator[Said]:
        said, response = action(number, event), as_text(event.get("llm_response_id"))
        if self._model:
            said.metadata["model"] = self._model
        if self._group is not None and response and self._group.response == response:
            self._group.join(said)
            return
        yield from self.end()
        self._group = ResponseGroup(response, said)

    def _other(self, number: int, event: Event, kind: str) -> Iterator[Step]:
        if kind == "SystemPromptEvent":
            yield system(number, event)
        elif kind == "MessageEvent":
            said = message(number, event)
            if self._model and said.message["role"] == "assistant":
                said.metadata["model"] = self._model
            yield said
        elif kind == "Condensation":
            yield from self._condensation(number, event)
        elif kind == "CondensationSummaryEvent":
            yield from self._repeated_summary(number, event)
        else:
            call = foreign_call(number, event)
            if not call:
                self._tally.skip(kind, "tells the progress of a call whose end is told later", number)
            yield from call

    def _condensation(self, number: int, event: Event) -> Iterator[Compacted]:
        ids: Any = event.get("forgotten_event_ids")
        if not isinstance(ids, list):
            self._tally.skip("Condensation", "names no events that are forgotten", number)
            return
        self._summary = as_text(event.get("summary"))
        yield Compacted(
            (number,),
            summary={"role": "user", "content": self._summary} if self._summary else None,
            forgets={i for i in ids if isinstance(i, str)},
            params=without(event, "id", "kind", "source", "timestamp", "forgotten_event_ids", "summary"),
            at=parse_time(event.get("timestamp")),
        )

    def _repeated_summary(self, number: int, event: Event) -> Iterator[Said]:
        summary = as_text(event.get("summary"))
        if summary and summary == self._summary:
            self._tally.skip("CondensationSummaryEvent", "repeats the summary of the condensation", number)
        elif summary:
            yield message(number, {**event, "llm_message": {"role": "user", "content": summary}})
        else:
            self._tally.skip("CondensationSummaryEvent", "holds no summary", number)
