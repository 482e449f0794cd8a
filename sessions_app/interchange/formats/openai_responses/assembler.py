"""From items to messages: what belongs to one response of the model is one message."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.openai_responses import items as items
from sessions_app.interchange.formats.openai_responses import kinds as kinds
from sessions_app.interchange.formats.openai_responses.kinds import Item
from sessions_app.interchange.neutral import Message
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Said

Metadata = dict[str, Any]


@dataclass(slots=True)
class _Response:
    """One message of the model in the making, and the replies to its calls, which follow it."""

    parts: list[Message] = field(default_factory=list)
    calls: list[Message] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    sealed: list[Item] = field(default_factory=list)
    digests: list[int] = field(default_factory=list)
    records: list[int] = field(default_factory=list)
    metadata: Metadata = field(default_factory=dict)
    at: datetime | None = None
    unanswered: list[str] = field(default_factory=list)
    replies: list[Said] = field(default_factory=list)

    def add(self, item: Item) -> None:
        kind = kinds.kind_of(item)
        if kind == "message":
            self.parts += items.message_parts(item)
        elif kind == "reasoning":
            self.thoughts.append(items.reasoning_text(item))
            if items.is_sealed(item):
                self.sealed.append(item)
        elif kind in kinds.HOSTED:
            self.parts += items.hosted_parts(item)
        else:
            self.calls.append(items.call(item))
            self.unanswered.append(items.call_id(item))

    def answered_by(self, call_id: str) -> None:
        if call_id in self.unanswered:
            self.unanswered.remove(call_id)
        elif not call_id and self.unanswered:
            self.unanswered.pop(0)

    def said(self) -> Said:
        message = neutral.assistant(
            neutral.parts_or_text(self.parts),
            self.calls,
            reasoning_content="\n\n".join(t for t in self.thoughts if t),
            reasoning_details=self.sealed,
        )
        return Said(message, tuple(sorted(set(self.records))), self.metadata, self.at, tuple(self.digests))


class Assembler:
    """Takes items in order and gives messages, each with the digests of its items as its keys.

    While a call of a response has no reply, what the model says belongs to that response; with the last reply it is
    whole. Compactions are not for here.
    """

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._response: _Response | None = None

    def take(
        self, item: Item, records: tuple[int, ...], *, at: datetime | None = None, metadata: Metadata | None = None
    ) -> Iterator[Said]:
        """`metadata`: what is known of the item besides; it becomes that of its message."""
        kind = kinds.kind_of(item)
        if kinds.is_the_models(item):
            self._extend(item, records, at, metadata or {})
        elif kind in kinds.OUTPUTS:
            yield from self._answer(_said(item, items.reply(item), records, at, metadata))
        elif kind == "message" and item.get("role") in (*kinds.ROLES,):
            content = neutral.parts_or_text(items.message_parts(item))
            message = {"role": item["role"], "content": "" if content is None else content}
            yield from self.end()
            yield _said(item, message, records, at, metadata)
        elif kind == "agent_message":
            yield from self.end()
            yield _from_another_agent(item, records, at, metadata)
        elif kind == "message":
            self._tally.skip("message", "has no role of this API", records[-1])
        else:
            self._tally.skip(kind or "item", kinds.SILENT.get(kind, "is no item of a known kind"), records[-1])

    @property
    def has_unfinished(self) -> bool:
        """Whether the last thing taken belongs to a response that may go on."""
        return self._response is not None

    def note(self, metadata: Metadata, record: int) -> bool:
        """Add what is known of the unfinished response, unless there is none, or it is known already."""
        if self._response is None or any(name in self._response.metadata for name in metadata):
            return False
        self._response.metadata |= metadata
        self._response.records.append(record)
        return True

    def end_response(self) -> Iterator[Said]:
        """The model said no more: what it says next is another response, once the calls of this one are answered."""
        if self._response is not None and not self._response.unanswered:
            yield from self.end()

    def end(self) -> Iterator[Said]:
        """What was taken and not given yet; calls without a reply stay without."""
        response, self._response = self._response, None
        if response is not None:
            yield response.said()
            yield from response.replies

    def _extend(self, item: Item, records: tuple[int, ...], at: datetime | None, metadata: Metadata) -> None:
        if self._response is None:
            self._response = _Response(at=at)
        response = self._response
        response.add(item)
        response.records += records
        if (digest := items.digest(item)) is not None:
            response.digests.append(digest)
        extra = response.metadata.get("extra", {}) | metadata.get("extra", {})
        if others := items.others_of(item):
            extra["items"] = [*extra.get("items", ()), {"type": kinds.kind_of(item), **others}]
        response.metadata |= neutral.without_empty(metadata | {"extra": extra})

    def _answer(self, reply: Said) -> Iterator[Said]:
        response = self._response
        if response is not None and response.unanswered:
            response.replies.append(reply)
            response.answered_by(reply.message["tool_call_id"])
            yield from self.end_response()
            return
        yield from self.end()
        yield reply


def _said(
    item: Item, message: Message, records: tuple[int, ...], at: datetime | None, metadata: Metadata | None
) -> Said:
    metadata = metadata or {}
    extra = items.others_of(item) | metadata.get("extra", {})
    digest = items.digest(item)
    return Said(
        message,
        records,
        neutral.without_empty(metadata | {"extra": extra}),
        at,
        () if digest is None else (digest,),
    )


def _from_another_agent(item: Item, records: tuple[int, ...], at: datetime | None, metadata: Metadata | None) -> Said:
    """What another agent wrote to this one is to it what a user says."""
    content = neutral.parts_or_text(items.message_parts(item))
    said = _said(item, {"role": "user", "content": "" if content is None else content}, records, at, metadata)
    author = item.get("author")
    return replace(said, metadata=said.metadata | ({"agent": author} if isinstance(author, str) and author else {}))
