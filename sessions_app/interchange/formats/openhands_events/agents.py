"""Which agent of OpenHands (before the SDK) an event belongs to: an agent may delegate to another, whose events then
stand in the same list until it reports back.
"""

from collections.abc import Iterator
from typing import Any

from sessions_app.interchange.formats.openhands_events.messages import Event, event_key
from sessions_app.interchange.set_aside import SetAside
from sessions_app.interchange.tally import Tally

Numbered = tuple[int, Any]


def events_of_first_agent(numbered: Iterator[Numbered], tally: Tally, others: SetAside) -> Iterator[tuple[int, Event]]:
    """The events of the other agents are set aside, each under the id of the delegation that called it."""
    delegations: list[str] = []
    for number, event in _flat(numbered):
        if not isinstance(event, dict):
            tally.skip("event", "is no object", number)
            continue
        if event.get("observation") == "delegate" and delegations:
            delegations.pop()
        if delegations:
            others.put(delegations[-1], number, event)
        else:
            yield number, event
        if event.get("action") == "delegate" and event.get("source") == "agent":
            delegations.append(str(next(iter(event_key(event)), f"record {number}")))


def _flat(numbered: Iterator[Numbered]) -> Iterator[Numbered]:
    for number, value in numbered:
        for event in value if isinstance(value, list) and value else (value,):
            yield number, event
