"""The measures of a candidate window (compression page, section 6). Each is a share from 0 to 1, but for `cache`.

S: the raw frames that do not stand verbatim in the window; C: its messages; E_k(X): what X names of class k.
"""

from collections import Counter
from collections.abc import Set as AbstractSet
from itertools import takewhile
from typing import Final

from sessions_app.compression.digesting.claims import claims_in
from sessions_app.compression.measures.entities import CLASSES, entities_in_text
from sessions_app.compression.measures.history import History, entities_of, union
from sessions_app.compression.measures.values import Measure
from sessions_app.compression.measures.words import Entity
from sessions_app.engine import Window

TAIL_ROUNDS: Final = 10
_MADE_UP: Final = ("path", "number")

MEASURES: Final = (
    "tail_fidelity",
    *(f"retention_{kind}" for kind in CLASSES),
    "fabrication",
    "user_text",
    "cache",
)
"""The names, in the order in which `measure` gives them."""


def measure(history: History, before: Window, after: Window) -> dict[str, Measure]:
    """Every measure of `after`, which would follow `before` in a session with these frames."""
    return {
        "tail_fidelity": tail_fidelity(before, after),
        **{f"retention_{kind}": found for kind, found in retention(history, after).items()},
        "fabrication": fabrication(history, after),
        "user_text": user_text(history, after),
        "cache": common_prefix(before, after),
    }


def tail_fidelity(before: Window, after: Window) -> Measure:
    """Tokens of the last 10 rounds that stand in `after` as they stood ÷ tokens of these rounds. n: their messages.

    Rounds of `before`, not turns: a run of one task has one turn only, and all of it would be the tail. A summary that
    stands before a round is no part of it. Source: compression page, section 6, "tail fidelity".
    """
    spans = before.rounds[-TAIL_ROUNDS:]
    tail = [item for span in spans for item in before.items[span.start : span.stop] if item.kind != "summary"]
    kept = set(after.items)
    return _share(sum(item.tokens for item in tail if item in kept), sum(item.tokens for item in tail), n=len(tail))


def retention(history: History, after: Window) -> dict[str, Measure]:
    """For each class k: |E_k(S) ∩ E_k(C)| ÷ |E_k(S)|. n: |E_k(S)|.

    Frames that no message of the window claims are in S; a late reply in the place of its recovery message stands
    verbatim. Source: compression page, section 6, "retention of k".
    """
    verbatim = {item.original_seqs.last for item in after if history.stands_verbatim(item)}
    gone = union(named for seq, named in history.entities.items() if seq not in verbatim)
    return _still_named(gone, _named_by(history, after))


def naming(history: History, after: Window) -> dict[str, Measure]:
    """For each class k: |E_k(all) ∩ E_k(C)| ÷ |E_k(all)|, over all raw frames. n: |E_k(all)|.

    Of `retention` the whole is another one for each candidate; this one's is the same, so that two can be compared.
    """
    return _still_named(history.named, _named_by(history, after))


def fabrication(history: History, after: Window) -> Measure:
    """Paths and numbers in the summaries that are in no raw frame ÷ all paths and numbers in them. n: all of them.

    What our own summary adds (frame numbers, counts) and words cut off ("src/ap…") are not counted. A path counts as
    known where a frame has a longer one with it at an end, a number within any word. Source: compression page,
    section 6, "fabrication".
    """
    summaries = [item for item in after if item.kind == "summary"]
    named = union(entities_in_text(claims_in(item), sets_constraints=False) for item in summaries)
    told = [entity for entity in named if entity[0] in _MADE_UP]
    return _share(sum(not history.words.has(entity) for entity in told), len(told), n=len(told))


def user_text(history: History, after: Window) -> Measure:
    """Grams of the users' requests that are in any message of the window ÷ all of them, without repetition. n: all.

    A gram: 5 tokens, in a text that is mostly Chinese 8 characters (`user_text`). Source: compression page, section 6,
    "user text".
    """
    said = history.user_text
    n = len(said.grams)
    return _share(n - said.missing_from(item.message for item in after), n, n=n)


def common_prefix(before: Window, after: Window) -> Measure:
    """Tokens of the longest common prefix of both windows' messages: what a prompt cache keeps. n: tokens of `before`.

    Tokens, no share. Source: compression page, section 6, "cache".
    """
    pairs = takewhile(lambda pair: pair[0].message == pair[1].message, zip(before, after, strict=False))
    return Measure(float(sum(item.tokens for item, _ in pairs)), before.tokens)


def _named_by(history: History, window: Window) -> set[Entity]:
    named: set[Entity] = set()
    for item in window:
        known = history.entities.get(item.original_seqs.first) if item.kind == "original" else None
        named |= entities_of(item) if known is None else known
    return named


def _still_named(wanted: AbstractSet[Entity], named: AbstractSet[Entity]) -> dict[str, Measure]:
    whole = Counter(kind for kind, _ in wanted)
    kept = Counter(kind for kind, _ in wanted & named)
    return {kind: _share(kept[kind], whole[kind], n=whole[kind]) for kind in CLASSES}


def _share(part: int, whole: int, *, n: int) -> Measure:
    return Measure(part / whole if whole else None, n)
