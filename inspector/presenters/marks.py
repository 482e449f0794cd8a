"""What became of a frame, and where a context message came from: a word, a sign and a link, never a colour alone."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from inspector.presenters.shown import Link
from inspector.view_state import ViewState
from sessions_app import engine

RANGES = 6
"""Ranges of `original_seqs` that a row names; the page of the message names all."""


@dataclass(frozen=True, slots=True)
class FateMark:
    """`href` is empty where there is no message to go to."""

    kind: str
    text: str
    title: str
    href: str = ""


@dataclass(frozen=True, slots=True)
class Origins:
    """`= #1`, `≈ #99`, `⊂ #2–#97, #103`. Each item is a link, or the text between two."""

    sign: str
    kind: str
    parts: tuple[Link, ...]
    frames: str
    title: str


@dataclass(frozen=True, slots=True)
class Links:
    """Where frames and messages are: on this page, or on another."""

    view: ViewState
    seqs: frozenset[int]
    positions: frozenset[int]

    def frame(self, seq: int) -> str:
        return f"#f-{seq}" if seq in self.seqs else self.view.frame_url(seq)

    def message(self, position: int) -> str:
        return f"#c-{position}" if position in self.positions else self.view.message_url(position)


def fate_mark(place: engine.reads.Place, links: Links, *, version: int) -> FateMark:
    fate, position = place
    if position is None:
        return FateMark("dropped", _("dropped"), _("No message of v%(v)s stands for it.") % {"v": version})
    href, at = links.message(position), f"C{position}"
    match fate:
        case "kept":
            return FateMark("kept", f"→ {at}", _("Kept word for word as %(at)s.") % {"at": at}, href)
        case "edited":
            return FateMark(
                "edited", _("edited → %(at)s") % {"at": at}, _("Said otherwise in %(at)s.") % {"at": at}, href
            )
    title = _("The summary %(at)s stands for it.") % {"at": at}
    return FateMark("summarised", _("summarised → %(at)s") % {"at": at}, title, href)


def later_mark(version: int) -> FateMark:
    return FateMark("later", _("later"), _("It was written after the window that is shown, v%(v)s.") % {"v": version})


def orphan_mark() -> FateMark:
    return FateMark("orphan", _("in no window"), _("It answers no call, so that no window could hold it."))


def origins(item: engine.ContextItem, links: Links, *, ranges: int | None = RANGES) -> Origins:
    sign, title = {
        "original": ("=", _("The frame word for word.")),
        "edited": ("≈", _("The frame said otherwise.")),
        "summary": ("⊂", _("A summary of these frames.")),
    }[item.kind]
    shown = item.original_seqs.ranges[:ranges]
    parts: list[Link] = []
    for i, (first, last) in enumerate(shown):
        if i:
            parts.append(Link(", ", ""))
        parts.append(Link(f"#{first}", links.frame(first)))
        if last != first:
            parts += [Link("–", ""), Link(f"#{last}", links.frame(last))]
    left_out = len(item.original_seqs.ranges) - len(shown)
    if left_out > 0:
        parts.append(Link(_(" and %(n)s more ranges") % {"n": left_out}, ""))
    count = len(item.original_seqs)
    frames = ngettext("%(n)s frame", "%(n)s frames", count) % {"n": f"{count:,}"} if count > 1 else ""
    return Origins(sign, item.kind, tuple(parts), frames, title)
