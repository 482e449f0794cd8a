"""Recorded exchanges with the Responses API, put together to the conversations that they were."""

from collections.abc import Generator, Iterable, Iterator
from typing import Any

from sessions_app.interchange.formats.openai_responses import bodies as bodies
from sessions_app.interchange.formats.openai_responses import items as items
from sessions_app.interchange.formats.openai_responses import kinds as kinds
from sessions_app.interchange.formats.openai_responses.bodies import Body
from sessions_app.interchange.formats.openai_responses.conversation import Conversation
from sessions_app.interchange.formats.openai_responses.history import compaction
from sessions_app.interchange.formats.openai_responses.requests import digest_of, keyed, stored
from sessions_app.interchange.jsonreading import Record
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Step, Transcript


class Recorded:
    """The exchanges of one conversation as its steps: what each request adds, and what each response says.

    A response is given when the next request shows that the conversation went on from it; the last one is its end.
    """

    def __init__(self, transcript: Transcript, tally: Tally) -> None:
        self._transcript, self._tally = transcript, tally
        self._talk = Conversation(tally)
        self._last: Record | None = None
        self._options: dict[str, Any] = {}
        self._told: Body = {}

    def steps(self, exchanges: Iterable[tuple[Record, int]]) -> Iterator[Step]:
        for record, known in exchanges:
            request = bodies.request_of(record.value)
            if self._last is None:
                self._transcript.native_id = bodies.id_of(bodies.response_of(record.value), "id")
                yield from self._instructions(request, record.number)
            sent = bodies.input_of(request)
            start = self._start(request, sent, known)
            start = yield from self._settle(request, sent, start)
            yield from self._add(request, sent[start:], record.number)
            self._last = record
        if self._last is not None:
            yield from self._answer(self._last)
        yield from self._talk.end()

    def _start(self, request: Body, sent: list[Any], known: int) -> int:
        if stored(request) or bodies.id_of(request, "previous_response_id"):
            return 0
        _, rest = keyed(sent)
        return rest[min(known, len(rest) - 1)]

    def _instructions(self, request: Body, number: int) -> Iterator[Step]:
        for item in bodies.instructions_of(request):
            yield from self._talk.take(item, (number,))
        self._options["instructions"] = request.get("instructions")

    def _settle(self, request: Body, sent: list[Any], start: int) -> Generator[Step, None, int]:
        """Give the last response where the request goes on from it; where in the request what is new begins."""
        if self._last is None:
            return start
        response = bodies.response_of(self._last.value)
        output, fresh = bodies.output_of(response), sent[start:]
        written = next((n for n, item in enumerate(fresh) if not _may_be_of_a_response(item)), len(fresh))
        why = "is not what the next request goes on from" if output else _why_empty(response)
        if response.get("object") == "response.compaction":
            sealed = digest_of(bodies.sealed_in(output))
            if fresh and sealed and str(items.digest(fresh[0])) == sealed:
                stop = start + 1 + _repeated(fresh[1:], after=sealed, output=output)
                yield from self._compacted(response, sent[:stop], self._last.number)
                return stop
        elif output and (
            stored(request) or bodies.id_of(request, "previous_response_id") == bodies.id_of(response, "id") != ""
        ):
            yield from self._answer(self._last)
            return start
        elif output and _gist(fresh[:written]) == _gist(output):
            yield from self._answer(self._last)
            return start + written
        self._tally.skip("response", why, self._last.number)
        return start

    def _add(self, request: Body, fresh: list[Any], number: int) -> Iterator[Step]:
        """What a request asks for besides stands with its first new message, as far as it changed."""
        changed = {k: v for k, v in request.items() if k != "input" and self._options.get(k) != v}
        metadata = {"extra": {"request": changed}} if changed else None
        for item in fresh:
            yield from self._talk.take(item, (number,), metadata=metadata)
            metadata = None
            self._options |= changed

    def _answer(self, record: Record) -> Iterator[Step]:
        response = bodies.response_of(record.value)
        output, records, at = bodies.output_of(response), (record.number,), bodies.said_at(response)
        if response.get("object") == "response.compaction":
            yield from self._compacted(response, output, record.number)
        elif not output:
            self._tally.skip("response", _why_empty(response), record.number)
        else:
            about = bodies.about(response, bodies.request_of(record.value), self._told)
            self._told |= about.get("extra", {}).get("response", {})
            last = max((n for n, item in enumerate(output) if kinds.is_the_models(item)), default=-1)
            for n, item in enumerate(output):
                yield from self._talk.take(item, records, at=at, metadata=about if n == last else None)
            yield from self._talk.end_response()

    def _compacted(self, response: Body, window: list[Any], number: int) -> Iterator[Step]:
        """`window`: what was sent after it, or else what it gave to send."""
        yield from self._talk.end()
        about = bodies.about(response)
        found = self._talk.history.find(window)
        params = {name: value for name, value in about.items() if name in ("response_id", "extra")}
        usage, at = about.get("usage"), bodies.said_at(response)
        yield compaction((number,), found.rest, found.keeps, order=found.order, params=params, usage=usage, at=at)


def _may_be_of_a_response(item: Any) -> bool:
    return kinds.is_the_models(item) or kinds.kind_of(item) in kinds.COMPACTIONS


def _repeated(fresh: list[Any], *, after: str, output: list[Any]) -> int:
    """How many items are those that a compaction gave after its sealed one."""
    digests = [str(items.digest(item)) for item in output]
    given = digests[digests.index(after) + 1 :]
    count = 0
    while count < min(len(given), len(fresh)) and str(items.digest(fresh[count])) == given[count]:
        count += 1
    return count


def _gist(values: list[Any]) -> tuple[list[str], str]:
    """By what a response is known again in the request that follows: its calls, or else its text."""
    calls = [items.call_id(v) for v in values if kinds.kind_of(v) in kinds.CALLS]
    parts = [p for v in values if kinds.kind_of(v) == "message" for p in items.message_parts(v)]
    text = "".join(p["text"] for p in parts if isinstance(p.get("text"), str))
    return calls, "" if calls else text.strip()


def _why_empty(response: Body) -> str:
    error = response.get("error")
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        return f"is an error: {error['message'][:200]}"
    return "says nothing" if bodies.is_response(response) else "is no response of this API"
