"""What every strategy leaves alone, and the last look at what it made."""

from collections.abc import Iterable
from typing import Any

from sessions_app.compression.digesting.summary_text import read_summary
from sessions_app.engine import (
    Broken,
    Candidate,
    CannotCompress,
    ContextItem,
    FirstRequest,
    Message,
    OpenCall,
    Window,
    check,
)


def old_stop(window: Window, protect_rounds: int) -> int:
    """Where the old part ends: at the start of the newest `protect_rounds` complete rounds."""
    rounds = window.complete_rounds
    return rounds[-protect_rounds].start if len(rounds) > protect_rounds else window.system_stop


def pinned(window: Window) -> frozenset[int]:
    """Positions that stay verbatim wherever they are: what system and developer say, the first and the last request."""
    pins = {i for i, item in enumerate(window) if item.role in ("system", "developer")}
    pins.update(window.request_indexes[-1:])
    first = first_request(window)
    if first is not None:
        pins.add(first)
    return frozenset(pins)


def first_request(window: Window) -> int | None:
    """Where the first request stands; None where a summary has taken it in and quotes it."""
    if not window.request_indexes or _quoted(window) is not None:
        return None
    return min(window.request_indexes, key=lambda i: window[i].original_seqs.first)


def _quoted(window: Window) -> FirstRequest | None:
    for item in window:
        read = read_summary(item)
        if read is not None and read.quote is not None:
            return FirstRequest(read.quote.seq, read.quote.text)
    return None


def if_shorter(item: ContextItem, data: dict[str, Any]) -> ContextItem:
    """The message as `data` says it, where that is shorter in tokens, not in letters: so that a second pass finds
    nothing, and no placeholder is replaced by one."""
    edited = item.with_message(Message.of(data))
    return edited if edited.tokens < item.tokens else item


def smaller(before: Window, items: Iterable[ContextItem]) -> Window:
    """The window of `items`, if it is one that the engine will take. Raises CannotCompress.

    The rules hold by construction for every window that the engine wrote. An imported one may break some already, and
    there a strategy says so, instead of being refused for what it found.
    """
    after = Window.of(items)
    if after.items == before.items:
        return before
    if after.tokens >= before.tokens:
        raise CannotCompress("What would stand in place of the old messages is not shorter than they are.")
    if broken := broken_rules(before, after):
        raise CannotCompress(
            f"The window cannot be compressed without breaking rule {broken[0].rule}: {broken[0].why}."
        )
    return after


def broken_rules(before: Window, after: Window) -> list[Broken]:
    """What the engine would find, as far as the windows tell."""
    return check(_candidate(before, after))


def _candidate(before: Window, after: Window) -> Candidate:
    open_ids = before.open_call_ids
    caller = next((item for item in reversed(before.items) if item.role == "assistant"), None)
    calls = caller.message.calls if caller is not None else ()
    return Candidate(
        before=before,
        after=after,
        open_calls=tuple(OpenCall(call.id, call.name, 0) for call in calls if call.id in open_ids),
        last_seq=max(item.original_seqs.last for item in before),
        first_request=_first_said(before),
    )


def _first_said(window: Window) -> FirstRequest | None:
    at = first_request(window)
    if at is None:
        return _quoted(window)
    return FirstRequest(window[at].original_seqs.first, window[at].message.body)
