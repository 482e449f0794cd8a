"""The condensation of OpenHands (before the SDK): the events that are forgotten, and the summary in their place."""

from collections.abc import Collection, Hashable, Iterator, Sequence
from typing import Any

from sessions_app.interchange.formats.openhands_events.messages import Event
from sessions_app.interchange.loose import as_count, as_object, as_text, without
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.times import parse_time
from sessions_app.interchange.transcript import Compacted


def condensation(number: int, event: Event, known: Sequence[int], tally: Tally) -> Iterator[Compacted]:
    """`known`: the ids of the events so far."""
    args = as_object(event.get("args"))
    forgets = _forgotten(args, known)
    if forgets is None:
        tally.skip("condensation", "names no events that are forgotten", number)
        return
    summary = as_text(args.get("summary"))
    yield Compacted(
        (number,),
        summary={"role": "user", "content": summary} if summary else None,
        forgets=forgets,
        params=without({"summary_offset": args.get("summary_offset")}),
        at=parse_time(event.get("timestamp")),
    )


def _forgotten(args: dict[str, Any], known: Sequence[int]) -> Collection[Hashable] | None:
    ids = args.get("forgotten_event_ids")
    if isinstance(ids, list):
        return {i for i in ids if isinstance(i, int | str)}
    first, last = as_count(args.get("forgotten_events_start_id")), as_count(args.get("forgotten_events_end_id"))
    if first is None or last is None:
        return None
    # The ids of the file have gaps, and the range may be of any length.
    return {key for key in known if first <= key <= last}
