"""What became of a frame, and where a context message came from: a word, a sign and a link, never a colour alone."""

from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from inspector.pins import Pin
from inspector.presenters.shown import Link
from inspector.view_state import ViewState
from sessions_app import engine

RANGES = 6
"""Ranges of `original_seqs` that a row names; the page of the message names all."""


@dataclass(frozen=True, slots=True)
class FateMark:
    """`href` is empty where there is no message to go to, `title` where the sign is one of the legend."""

    kind: str
    text: str
    title: str
    href: str = ""

    def as_recovery(self) -> "FateMark":
        """That of a frame which the engine wrote after an interruption, where it is kept."""
        return replace(self, kind="recovery") if self.kind == "kept" else self


@dataclass(frozen=True, slots=True)
class Origins:
    """`= #1`, `≈ #99`, `⊂ #2–#97, #103`. Each part is a link, or the text between two. `pin`: lights all the frames."""

    sign: str
    kind: str
    parts: tuple[Link, ...]
    frames: str
    title: str
    pin: str


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


def fate_mark(seq: int, place: engine.reads.Place, links: Links, *, version: int) -> FateMark:
    """With a link that pins the frame: its message is then lit and in view."""
    fate, position = place
    if position is None:
        return FateMark("dropped", _("dropped"), _("No message of v%(v)s stands for it.") % {"v": version})
    href, at = links.view.pin_url(Pin.frame(seq)), f"C{position}"
    match fate:
        case "kept":
            return FateMark("kept", f"→ {at}", "", href)
        case "edited":
            return FateMark("edited", f"≈ {at}", _("edited"), href)
    return FateMark("summarised", f"⊂ {at}", _("summarised"), href)


def later_mark(version: int) -> FateMark:
    return FateMark("later", _("later"), _("It was written after the window that is shown, v%(v)s.") % {"v": version})


def orphan_mark() -> FateMark:
    return FateMark("orphan", _("in no window"), _("It answers no call, so that no window could hold it."))


def origins(position: int, kind: str, seqs: engine.Seqs, links: Links, *, ranges: int | None = RANGES) -> Origins:
    sign, title = {
        "original": ("=", ""),
        "edited": ("≈", _("The frame said otherwise.")),
        "summary": ("⊂", _("A summary of these frames.")),
    }[kind]
    shown = seqs.ranges[:ranges]
    pinned = links.view.pin_url(Pin.message(position))
    parts: list[Link] = []
    for i, (first, last) in enumerate(shown):
        if i:
            parts.append(Link(", ", ""))
        parts.append(Link(f"#{first}", pinned if len(seqs) == 1 else links.frame(first)))
        if last != first:
            parts += [Link("–", ""), Link(f"#{last}", links.frame(last))]
    left_out = len(seqs.ranges) - len(shown)
    if left_out > 0:
        parts.append(Link(_(" and %(n)s more ranges") % {"n": left_out}, ""))
    count = len(seqs)
    frames = ngettext("%(n)s frame", "%(n)s frames", count) % {"n": f"{count:,}"} if count > 1 else ""
    return Origins(sign, kind, tuple(parts), frames, title, pinned)
