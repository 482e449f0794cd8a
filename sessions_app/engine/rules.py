"""The rules that every candidate window must keep (compression page, section 2). The numbers are those of that page."""

import json
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from sessions_app.engine import tokens
from sessions_app.engine.reasoning import has_reasoning
from sessions_app.engine.sendable import is_blank
from sessions_app.engine.state import OpenCall
from sessions_app.engine.window import ContextItem, Window

QUOTED_TOKENS = 500
"""How much of the first user message a summary that covers it must quote."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that a window breaks: its number, the position (from 1) where, and a sentence."""

    rule: int
    position: int | None
    why: str


@dataclass(frozen=True, slots=True)
class FirstRequest:
    """The first thing that the user ever said: its frame and its text."""

    seq: int
    text: str


@dataclass(frozen=True)
class Candidate:
    """A window that wants to follow another. `open_calls`: those of the session; `last_seq`: its newest frame.

    `order`: a window in whose order the messages may stand where that is not the order of their frames; None: `before`.
    """

    before: Window
    after: Window
    open_calls: tuple[OpenCall, ...]
    last_seq: int
    first_request: FirstRequest | None
    order: Window | None = None

    @cached_property
    def changed(self) -> tuple[tuple[int, ContextItem], ...]:
        """The messages that the strategy made, with their positions."""
        same = {id(item) for item in self.before}
        # Most are the very objects that the window had; only the others are worth a look into them.
        others = [(position, item) for position, item in enumerate(self.after, start=1) if id(item) not in same]
        wanted = {item.original_seqs.first for _, item in others}
        had = {item for item in self.before if item.original_seqs.first in wanted} if wanted else set()
        return tuple((position, item) for position, item in others if item not in had)

    def keeps(self, item: ContextItem) -> bool:
        return any(other is item for other in self.after) or item in self.after.items


def check(candidate: Candidate) -> list[Broken]:
    """Every rule that the candidate breaks; an empty list lets it pass. Never raises on any window."""
    nameless = [position for position, item in enumerate(candidate.after, start=1) if not item.original_seqs.ranges]
    if nameless:  # the other rules ask for the first frame of a message
        return [Broken(6, position, "original_seqs must not be empty") for position in nameless]
    return [broken for rule in RULES for broken in rule(candidate)]


def _system_message_first(c: Candidate) -> Iterator[Broken]:
    system = c.before.items[: c.before.system_stop]
    if c.after.items[: len(system)] != system:
        yield Broken(1, 1, "the system message must stand first, unchanged")


def _newest_verbatim(c: Candidate) -> Iterator[Broken]:
    before = c.before
    if before.request_indexes and not c.keeps(before[before.request_indexes[-1]]):
        yield Broken(2, before.request_indexes[-1] + 1, "the last user message must stay verbatim")
    if before.complete_rounds:
        newest = before.complete_rounds[-1]
        for i in range(newest.start, newest.stop):
            # A summary that stands before the newest round is no part of it, though it has the role of a user.
            if before[i].kind != "summary" and not c.keeps(before[i]):
                yield Broken(2, i + 1, "the newest complete round must stay verbatim")
    open_ids = {call.id for call in c.open_calls}
    if open_ids & before.open_call_ids:
        caller = max(i for i, item in enumerate(before) if item.role == "assistant")
        if not c.keeps(before[caller]):
            yield Broken(2, caller + 1, "the message of an open call must stay verbatim")
    missing = open_ids - c.after.open_call_ids
    if missing:
        yield Broken(2, None, f"open calls must stay: {', '.join(sorted(missing))}")


def _first_request_told(c: Candidate) -> Iterator[Broken]:
    first = c.first_request
    # An imported window may have lost its first request already: a strategy answers for what it changed.
    if first is None or not any(first.seq in item.original_seqs for item in c.before):
        return
    for position, item in enumerate(c.after, start=1):
        if first.seq not in item.original_seqs:
            continue
        if item in c.before.items:
            return
        if item.kind == "summary" and tokens.first_tokens(first.text, QUOTED_TOKENS) in item.message.body:
            return
        yield Broken(3, position, f"must quote the first {QUOTED_TOKENS} tokens of the first user message")
        return
    yield Broken(3, None, "the first user message must stay verbatim, or be quoted by a summary that covers it")


def _groups_whole(c: Candidate) -> Iterator[Broken]:
    expected: set[str] = set()
    opened_at = 0
    open_ids = {call.id for call in c.open_calls}
    for position, item in enumerate(c.after, start=1):
        if item.role == "tool":
            call_id = item.message.tool_call_id or ""
            if call_id not in expected:
                yield Broken(4, position, "a tool reply stands without its call right before it")
            expected.discard(call_id)
            continue
        if expected:
            yield Broken(4, opened_at, "a call stands without all of its replies right after it")
        expected = {call.id for call in item.message.calls}
        opened_at = position
    if expected - open_ids:
        yield Broken(4, opened_at, "a call stands without its reply")


def check_form(candidate: Candidate) -> list[Broken]:
    """What the candidate breaks of the rules that hold for a window by itself, whatever it was made from.

    For a window that a file brings: what its own agent dropped, and how little that saved, is not ours to refuse.
    """
    return [broken for rule in FORM_RULES for broken in rule(candidate)]


def _reasoning_goes_with_its_call(c: Candidate) -> Iterator[Broken]:
    calls_before = {item.original_seqs.first: len(item.message.calls) for item in c.before if item.role == "assistant"}
    for position, item in enumerate(c.after, start=1):
        had = calls_before.get(item.original_seqs.first, 0)
        if item.role == "assistant" and len(item.message.calls) < had and has_reasoning(item):
            yield Broken(5, position, "reasoning stays although a call that it led to is gone")


def _seqs_in_order(c: Candidate) -> Iterator[Broken]:
    changed = {position for position, _ in c.changed}
    ranges: list[tuple[int, int, int]] = []
    for position, item in enumerate(c.after, start=1):
        seqs = item.original_seqs
        if not _ascend(seqs.ranges):
            yield Broken(6, position, "original_seqs must be ascending")
            continue
        if seqs.first < 1 or seqs.last > c.last_seq:
            yield Broken(6, position, "original_seqs names a frame that does not exist")
        # It is stored by reference to its frame: any other message would turn into that one.
        if item.kind == "original" and position in changed:
            yield Broken(6, position, "a message marked original must be one that the window had")
        ranges += [(first, last, position) for first, last in seqs.ranges]
    ranges.sort()
    for (_, last, _), (first, _, position) in pairwise(ranges):
        if first <= last:
            yield Broken(6, position, "a frame is claimed by two messages")


def _ascend(ranges: tuple[tuple[int, int], ...]) -> bool:
    if len(ranges) == 1:
        return ranges[0][0] <= ranges[0][1]
    return all(a <= b for a, b in ranges) and list(ranges) == sorted(ranges)


def _messages_in_order(c: Candidate) -> Iterator[Broken]:
    """In that of their frames, or in the one in which a file brought them: that is none of a strategy's doing."""
    order = c.before if c.order is None else c.order
    if c.after.is_in_order:
        return
    placed = [item.original_seqs.first for item in c.after] if order.is_in_order else _places(c.after, order)
    for position, (earlier, later) in enumerate(pairwise(placed), start=2):
        if later < earlier:
            yield Broken(6, position, "messages must stand in the order of the smallest of their frames")


def _places(window: Window, order: Window) -> list[int]:
    """Where in `order` each message stands by the smallest of its frames there; without one it may stand nowhere."""
    claims = sorted((first, last, i) for i, item in enumerate(order) for first, last in item.original_seqs.ranges)
    places: list[int] = []
    for item in window:
        found = (_first_claim(claims, first, last) for first, last in item.original_seqs.ranges)
        places.append(next((place for place in found if place is not None), -1))
    return places


def _first_claim(claims: list[tuple[int, int, int]], first: int, last: int) -> int | None:
    """The place of the message that has the smallest frame from `first` to `last`."""
    at = bisect_left(claims, first, key=lambda claim: claim[1])
    return claims[at][2] if at < len(claims) and claims[at][0] <= last else None


def _smaller(c: Candidate) -> Iterator[Broken]:
    if c.after.tokens >= c.before.tokens:
        yield Broken(
            7,
            None,
            f"the window has {c.after.tokens} tokens and had {c.before.tokens}; it must get smaller",
        )
    for position, item in c.changed:
        if item.tokens != item.message.count_tokens():
            yield Broken(7, position, f"the message is said to have {item.tokens} tokens and has another number")


def _no_empty_message(c: Candidate) -> Iterator[Broken]:
    if not c.after.items:
        yield Broken(8, None, "the window is empty")
    for position, item in c.changed:
        if is_blank(item.message.data.get("content")) and not item.message.calls:
            yield Broken(8, position, "a new message is empty")


def _placeholders_shorter(c: Candidate) -> Iterator[Broken]:
    before = {item.original_seqs: item for item in c.before}
    for position, item in c.changed:
        old = before.get(item.original_seqs)
        if old is not None and item.kind == "edited" and item.tokens >= old.tokens:
            yield Broken(9, position, "what replaces a message must be shorter than it")


def _cuts_are_clean(c: Candidate) -> Iterator[Broken]:
    before = {(item.original_seqs.first, call.id): call.arguments for item in c.before for call in item.message.calls}
    for position, item in c.changed:
        for call in item.message.calls:
            was = before.get((item.original_seqs.first, call.id), call.arguments)
            if call.arguments != was and _is_json(was) and not _is_json(call.arguments):
                yield Broken(10, position, "a cut falls inside the JSON arguments of a call")


def _summaries_marked(c: Candidate) -> Iterator[Broken]:
    for position, item in c.changed:
        if item.kind == "summary" and item.role != "user":
            yield Broken(11, position, "a summary must have the role user")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


RULES: tuple[Callable[[Candidate], Iterator[Broken]], ...] = (
    _system_message_first,
    _newest_verbatim,
    _first_request_told,
    _groups_whole,
    _reasoning_goes_with_its_call,
    _seqs_in_order,
    _messages_in_order,
    _smaller,
    _no_empty_message,
    _placeholders_shorter,
    _cuts_are_clean,
    _summaries_marked,
)

FORM_RULES = (_groups_whole, _seqs_in_order, _messages_in_order, _no_empty_message, _summaries_marked)
