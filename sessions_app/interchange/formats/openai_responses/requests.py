"""Requests to the Responses API as keys, by which those of one conversation are found."""

from typing import Any

from sessions_app.interchange.exchanges import Sent
from sessions_app.interchange.formats.openai_responses import bodies as bodies
from sessions_app.interchange.formats.openai_responses import items as items
from sessions_app.interchange.formats.openai_responses.bodies import Body
from sessions_app.interchange.formats.openai_responses.kinds import Item
from sessions_app.interchange.jsonreading import Record


class Requests:
    """Requests as keys, in the order of the file: by them it is told which are of one conversation."""

    def __init__(self) -> None:
        self._given: dict[str, str] = {}
        """The key of each response, by its id, under which the next request may go on from it."""

    def sent(self, record: Record) -> Sent | None:
        """None where the record is no exchange with this API."""
        if not bodies.is_exchange(record.value):
            return None
        request, response = bodies.request_of(record.value), bodies.response_of(record.value)
        keys, _ = keyed(bodies.input_of(request))
        sealed = digest_of(bodies.sealed_in(bodies.input_of(request)))
        before = keys.index(sealed) if sealed else 0
        previous = bodies.id_of(request, "previous_response_id")
        resumes = stored(request) or self._given.get(previous) or (f"response {previous}" if previous else "")
        if resumes:
            # The provider has what came before. The same words may be said again and again to go on from it.
            keys, before = [f"{resumes} {record.number}", *keys], 0
        gives = stored(request) or digest_of(bodies.sealed_in(bodies.output_of(response)))
        if response_id := bodies.id_of(response, "id"):
            gives = gives or f"response {response_id}"
            self._given[response_id] = gives
        return Sent(tuple(keys[before:]), before, resumes=resumes or sealed, compacts=gives)


def stored(request: Body) -> str:
    conversation = bodies.id_of(request, "conversation")
    return f"conversation {conversation}" if conversation else ""


def digest_of(item: Item | None) -> str:
    return "" if item is None else str(items.digest(item))


def keyed(values: list[Any]) -> tuple[list[str], list[int]]:
    """The keys of items, and where the rest begins after each number of them: what has no key may be left out when
    it is sent again.
    """
    keys, rest = [], [0]
    for n, value in enumerate(values, start=1):
        if (digest := items.digest(value)) is not None:
            keys.append(str(digest))
            rest.append(n)
    return keys, rest
