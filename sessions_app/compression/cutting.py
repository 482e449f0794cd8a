"""A long text, or the long texts of a message, cut to head and tail with a line between them that says what is gone."""

from collections.abc import Callable
from typing import Any, Final

from sessions_app.compression.kept import if_shorter
from sessions_app.engine import ContextItem, Message

FEWEST: Final = 50
"""Tokens that a cut text must be allowed: less is no more than the mark."""
_HEAD: Final = 2 / 3
"""What comes first says more often what a text is about."""
_CHARACTERS: Final = 8
"""Code points looked at for each token kept: text has about four, and a huge one must not be counted over and over."""
_GUESSES: Final = 4
_FILLED: Final = 0.97
_TEXT_PARTS: Final = ("text", "input_text", "output_text")

Count = Callable[[str], int]


def with_texts_cut(item: ContextItem, max_tokens: int, count: Count) -> ContextItem:
    """The message with each text over `max_tokens` cut to at most that; as it is where none is, or nothing is gained.

    A part that carries more than its text stays whole: citations and signatures hold for the text as it was.
    """
    if item.tokens <= max_tokens:
        return item
    data = item.message.data
    long = [place for place, text in _texts(data.get("content")) if _is_over(text, max_tokens, count)]
    if not long:
        return item
    cut = dict(data)
    for place in long:
        text = _at(cut, place)
        cut = _with(cut, place, cut_middle(text, max_tokens, _tokens_of(item, place, long, count), count))
    return if_shorter(item, cut)


def cut_middle(text: str, max_tokens: int, total: int, count: Count) -> str:
    """Head and tail of a text of `total` tokens, at most `max_tokens` with the mark between them."""
    room = max_tokens - count(_mark(total))
    while True:
        head, tail = _ends(text, room, count)
        joined = f"{head}{_mark(max(total - count(head) - count(tail), 1))}{tail}"
        # Tokens may join over the seams, and what stands there then counts otherwise than apart.
        over = count(joined) - max_tokens
        if over <= 0:
            return joined
        room -= over
        if room < 1:
            return _mark(total)


def _ends(text: str, room: int, count: Count) -> tuple[str, str]:
    """Head and tail, at most `room` tokens together."""
    for_head = int(room * _HEAD)
    head = _longest(lambda n: text[:n], for_head, count)
    return head, _longest(lambda n: text[max(len(head), len(text) - n) :], room - for_head, count)


def _longest(end: Callable[[int], str], limit: int, count: Count) -> str:
    """About the longest `end(n)` of at most `limit` tokens, found with as few counts as will do.

    Text has much the same tokens everywhere, so the first guesses are in proportion; one that nearly fills the room
    will do. Where that fails, halves are tried.
    """
    fits, over = 0, limit * _CHARACTERS + 1
    n, guesses = over - 1, _GUESSES
    while over - fits > 1:
        counted = count(end(n))
        if counted > limit:
            over = n
        else:
            fits = n
            if counted >= limit * _FILLED:
                break
        guesses -= 1
        guess = n * limit // counted if counted and guesses > 0 else 0
        n = guess if fits < guess < over else (fits + over) // 2
    return end(fits)


def _mark(tokens: int) -> str:
    return f"\n[… {tokens} tokens left out …]\n"


def _is_over(text: str, max_tokens: int, count: Count) -> bool:
    beginning = text[: 2 * max_tokens * _CHARACTERS]
    return count(beginning) > max_tokens or (len(beginning) < len(text) and count(text) > max_tokens)


_Place = int | None
"""The number of a part; None for a content that is one text."""


def _texts(content: Any) -> list[tuple[_Place, str]]:
    if isinstance(content, str):
        return [(None, content)]
    return [(n, part["text"]) for n, part in enumerate(content or ()) if _is_plain(part)]


def _is_plain(part: dict[str, Any]) -> bool:
    others = part.keys() - {"type", "text", "cache_control"}
    return part["type"] in _TEXT_PARTS and isinstance(part.get("text"), str) and not any(part[name] for name in others)


def _at(data: dict[str, Any], place: _Place) -> str:
    return str(data["content"] if place is None else data["content"][place]["text"])


def _with(data: dict[str, Any], place: _Place, text: str) -> dict[str, Any]:
    if place is None:
        return {**data, "content": text}
    parts = list(data["content"])
    parts[place] = {**parts[place], "text": text}
    return {**data, "content": parts}


def _tokens_of(item: ContextItem, place: _Place, long: list[_Place], count: Count) -> int:
    """The tokens of one text. Where it is the only long one, the message's count tells them: megabytes are not counted
    anew."""
    if len(long) > 1:
        return count(_at(item.message.data, place))
    return item.tokens - Message.of(_with(item.message.data, place, "")).count_tokens()
