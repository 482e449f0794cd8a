"""What a summary covers: a window taken apart, whoever writes the summary, and put together again around it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sessions_app.compression.digesting.summary_text import Quote, read_summary, write_summary
from sessions_app.compression.kept import first_request, old_stop, pinned, smaller
from sessions_app.engine import QUOTED_TOKENS, ContextItem, Seqs, Window, first_tokens

BESIDE_A_QUOTE = 100
"""Tokens that the sections have at least where a long quote takes the budget."""


@dataclass(frozen=True, slots=True)
class Covering:
    """A window, the positions that a summary covers, and the quote of the first request if that is covered."""

    window: Window
    positions: tuple[int, ...]
    quote: Quote | None

    @property
    def items(self) -> tuple[ContextItem, ...]:
        return tuple(self.window[i] for i in self.positions)

    @property
    def holds_nothing_new(self) -> bool:
        return all(item.kind == "summary" for item in self.items)

    @property
    def seqs(self) -> Seqs:
        return Seqs.union(item.original_seqs for item in self.items)

    @property
    def tokens(self) -> int:
        return sum(item.tokens for item in self.items)

    def summary(self, body: str, *, by_model: bool = False) -> ContextItem:
        seqs = self.seqs
        message = write_summary(covered=seqs, quote=self.quote, body=body, by_model=by_model)
        return ContextItem.summary(seqs=seqs, message=message)

    def room(self, max_tokens: int, *, by_model: bool = False) -> int:
        """Tokens for the body of a summary of at most `max_tokens`. Only the quote may take it over that."""
        room = min(max_tokens, self._worth) - self.summary("", by_model=by_model).tokens
        return max(room, BESIDE_A_QUOTE if self.quote is not None else 0)

    @property
    def _worth(self) -> int:
        """Half of what is new, and all that an earlier summary had: one that saves next to nothing would only lose."""
        earlier = sum(item.tokens for item in self.items if item.kind == "summary")
        return earlier + (self.tokens - earlier) // 2

    def replaced_by(self, summary: ContextItem) -> Window:
        """The window without what the summary covers, and the summary where its smallest frame stood.

        Raises CannotCompress.
        """
        window, covered = self.window, frozenset(self.positions)
        stood = min(covered, key=lambda i: window[i].original_seqs.first)
        before = [item for i, item in enumerate(window) if i < stood and i not in covered]
        after = [item for i, item in enumerate(window) if i > stood and i not in covered]
        return smaller(window, [*before, summary, *after])


def take_apart(window: Window, protect_rounds: int) -> Covering:
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
    return Covering(window, covered, new_quote or next(_quotes(window[i] for i in covered), None))


def _must_be_quoted(window: Window, first: int) -> bool:
    """A short first request would have to be quoted whole, so it stays. So does one that is the last as well, and one
    that is not all text: no quote would have the picture.
    """
    if window[first].tokens <= QUOTED_TOKENS or window.request_indexes[-1] == first:
        return False
    content = window[first].message.data.get("content")
    return isinstance(content, str) or all(part["type"] == "text" for part in content or ())


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
