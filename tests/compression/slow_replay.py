"""The replay as one would write it down first: everything anew at every call. What it gives is what must come out."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from sessions_app.compression.candidates import Circumstances, make
from sessions_app.compression.choices import Choice
from sessions_app.compression.measures import Entity, entities_in, entities_of
from sessions_app.compression.replay import Terms
from sessions_app.engine import FirstRequest, Frame, GrowingWindow, Window


@dataclass
class Told:
    """What a run comes to, by the names of `Totals`, and where it compressed."""

    totals: dict[str, float | int | None]
    series: list[tuple[int, int]]
    compressions: list[tuple[int, int, int]]


def told(frames: Sequence[Frame], choice: Choice | None, terms: Terms) -> Told:
    calls = [index for index, frame in enumerate(frames) if frame.role == "assistant"]
    base, base_index = Window(), 0
    previous: Window | None = None
    series, compressions, compressed_at = [], [], []
    cached = summaries_in = summaries_out = kept = need = far_kept = far = regret = broken = looked = passed_over = 0
    fetched: set[int] = set()
    for number, index in enumerate(calls):
        window = _grown(base, frames[base_index:index])
        is_due = choice is not None and window.tokens >= terms.trigger_tokens
        if is_due and looked + len(window) > 20_000 + 10 * index:
            passed_over += 1
        elif choice is not None and is_due:
            looked += len(window)
            at = Circumstances((), frames[index - 1].seq, _first_request(frames))
            made = make(choice, window, at, limit_tokens=terms.limit_tokens)
            if made.window is not None:
                compressions.append((frames[index].seq, window.tokens, made.window.tokens))
                if made.broken:
                    broken += 1
                else:
                    compressed_at.append(number)
                    base, base_index, fetched = made.window, index, set()
                    summaries_in += made.usage.get("input_tokens", 0)
                    summaries_out += made.usage.get("output_tokens", 0)
                    window = made.window
        cached += _cached(previous, window, _idle(frames, calls, number), terms)
        series.append((frames[index].seq, window.tokens))
        for entity, last_seen in _needed(frames, index):
            is_far = sum(f.role == "assistant" for f in frames[last_seen + 1 : index]) > 10
            is_there = entity in _entities(window)
            need, kept = need + 1, kept + is_there
            far, far_kept = far + is_far, far_kept + (is_far and is_there)
            if not is_there and last_seen not in fetched:
                fetched.add(last_seen)
                regret += frames[last_seen].tokens
        previous = window
    inputs = [tokens for _, tokens in series]
    output = sum(frames[index].tokens for index in calls)
    prices = terms.prices
    totals = {
        "calls": len(calls),
        "input_tokens": sum(inputs),
        "peak": max(inputs, default=0),
        "over_limit": sum(tokens > terms.limit_tokens for tokens in inputs),
        "cached_tokens": cached,
        "cache_hit": cached / sum(inputs) if sum(inputs) else None,
        "output_tokens": output,
        "summary_tokens": summaries_in + summaries_out,
        "cost": prices.read * cached
        + prices.write * (sum(inputs) - cached)
        + prices.output * (output + summaries_out)
        + summaries_in,
        "need_kept": kept / need if need else None,
        "need": need,
        "far_need_kept": far_kept / far if far else None,
        "far_need": far,
        "regret_tokens": regret,
        "compressions": len(compressed_at),
        "runway": (compressed_at[-1] - compressed_at[0]) / (len(compressed_at) - 1) if len(compressed_at) > 1 else None,
        "broken": broken,
        "passed_over": passed_over,
    }
    return Told(totals, series, compressions)


def _grown(base: Window, frames: Sequence[Frame]) -> Window:
    growing = GrowingWindow(base)
    for frame in frames:
        growing.place(frame)
    return growing.window()


def _first_request(frames: Sequence[Frame]) -> FirstRequest | None:
    users = [f for f in frames if f.role == "user"]
    return FirstRequest(users[0].seq, users[0].message.body) if users else None


def _idle(frames: Sequence[Frame], calls: list[int], number: int) -> float:
    if number == 0:
        return 0
    return (frames[calls[number]].created_at - frames[calls[number - 1]].created_at).total_seconds()


def _cached(previous: Window | None, window: Window, idle: float, terms: Terms) -> int:
    if previous is None or idle > terms.cache_ttl_s:
        return 0
    same = takewhile(lambda pair: pair[0] == pair[1], zip(previous, window, strict=False))
    tokens = sum(item.tokens for item, _ in same)
    return tokens if tokens >= terms.cache_min_tokens else 0


def _entities(window: Window) -> set[Entity]:
    return {entity for item in window for entity in entities_of(item)}


def _needed(frames: Sequence[Frame], index: int) -> list[tuple[Entity, int]]:
    """What the output of the call uses of all raw frames before it, and where each was last seen."""
    found = []
    for entity in entities_in(frames[index].message):
        seen = [at for at in range(index) if entity in entities_in(frames[at].message)]
        if seen:
            found.append((entity, seen[-1]))
    return found
