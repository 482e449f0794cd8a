"""`digest`: old history as one structured summary, made without a model (compression page, section 3)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pydantic import Field

from sessions_app.compression.base import Parameters, Strategy
from sessions_app.compression.digesting.budget import fit
from sessions_app.compression.digesting.facts import Facts
from sessions_app.compression.digesting.summary_text import Quote, read_summary, write_summary
from sessions_app.compression.kept import first_request, old_stop, pinned, smaller
from sessions_app.engine import (
    QUOTED_TOKENS,
    CannotCompress,
    ContextItem,
    Seqs,
    Toolbox,
    Window,
    first_tokens,
)

BESIDE_A_QUOTE = 100
"""Tokens that the sections have at least where a long quote takes the budget."""


@dataclass(frozen=True, slots=True)
class _Parts:
    """A window taken apart: positions that the digest covers, and the quote of the first request if that is covered."""

    covered: tuple[int, ...]
    quote: Quote | None


class Digest(Strategy):
    """Replace old history by one structured summary: requests, constraints, files, errors, decisions, plan. No model.

    A later digest takes the earlier one in by key. A first request of up to 500 tokens stays where it stands; a longer
    one is covered and its beginning quoted, as rule 3 wants it.
    """

    name = "digest"

    class Params(Parameters):
        protect_rounds: int = Field(default=3, ge=1, description="How many of the newest complete rounds stay.")
        max_tokens: int = Field(
            default=2_000,
            ge=200,
            le=100_000,
            description="How long the digest may be. The quote of a long first request stands even if it is longer.",
        )

    def compress(self, window: Window, *, params: Params, tools: Toolbox) -> Window:
        parts = _take_apart(window, params.protect_rounds)
        covered = [window[i] for i in parts.covered]
        if all(item.kind == "summary" for item in covered):
            return window
        summary = _summarise(covered, parts.quote, params.max_tokens, tools)
        if summary.tokens >= sum(item.tokens for item in covered):
            raise CannotCompress("A digest of the old messages would not be shorter than they are.")
        return smaller(window, _with_summary(window, frozenset(parts.covered), summary))


def _take_apart(window: Window, protect_rounds: int) -> _Parts:
    stop = old_stop(window, protect_rounds)
    # The summary that stands before the protected rounds is in none of them, though it precedes an assistant message.
    while stop < len(window) and window[stop].kind == "summary":
        stop += 1
    first = first_request(window)
    others = _perhaps_quoting(window, first)
    stay = pinned(window) | others
    new_quote = None
    # Behind another's summary a request may be a later one: quoting it as the first would be wrong.
    if first is not None and first < stop and not others and _must_be_quoted(window, first):
        stay -= {first}
        new_quote = Quote(window[first].original_seqs.first, first_tokens(window[first].message.body, QUOTED_TOKENS))
    covered = tuple(i for i in range(window.system_stop, stop) if i not in stay)
    return _Parts(covered, new_quote or next(_quotes(window[i] for i in covered), None))


def _must_be_quoted(window: Window, first: int) -> bool:
    """A short first request would have to be quoted whole, so it stays; so does one that is the last as well."""
    return window[first].tokens > QUOTED_TOKENS and window.request_indexes[-1] != first


def _quotes(items: Iterable[ContextItem]) -> Iterator[Quote]:
    for item in items:
        read = read_summary(item)
        if read is not None and read.quote is not None:
            yield read.quote


def _perhaps_quoting(window: Window, first: int | None) -> frozenset[int]:
    """Another's summaries that may hold the only quote of the first request: where in them, nobody can tell."""
    if next(_quotes(window), None) is not None:
        return frozenset()
    return frozenset(
        i
        for i, item in enumerate(window)
        if item.kind == "summary"
        and read_summary(item) is None
        and (first is None or item.original_seqs.first < window[first].original_seqs.first)
    )


def _summarise(covered: list[ContextItem], quote: Quote | None, max_tokens: int, tools: Toolbox) -> ContextItem:
    seqs = Seqs.union(item.original_seqs for item in covered)
    facts = Facts(quote)
    facts.take(covered)
    around = ContextItem.summary(seqs=seqs, message=write_summary(covered=seqs, quote=quote, body="")).tokens
    room = min(max_tokens, _worth(covered)) - around
    body = fit(facts.sections, max(room, BESIDE_A_QUOTE if quote is not None else 0), tools.count_text)
    if not body and any(section.lines() for section in facts.sections):
        raise CannotCompress("There is too little old history for a digest to be shorter.")
    return ContextItem.summary(seqs=seqs, message=write_summary(covered=seqs, quote=quote, body=body))


def _worth(covered: list[ContextItem]) -> int:
    """Half of what is new, and all that an earlier digest had: a digest that saves next to nothing would only lose."""
    earlier = sum(item.tokens for item in covered if item.kind == "summary")
    return earlier + (sum(item.tokens for item in covered) - earlier) // 2


def _with_summary(window: Window, covered: frozenset[int], summary: ContextItem) -> list[ContextItem]:
    """The window without what the summary covers, and the summary where its smallest frame stood."""
    stood = min(covered, key=lambda i: window[i].original_seqs.first)
    before = [item for i, item in enumerate(window) if i < stood and i not in covered]
    after = [item for i, item in enumerate(window) if i > stood and i not in covered]
    return [*before, summary, *after]
