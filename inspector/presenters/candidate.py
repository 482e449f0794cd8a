"""A candidate that was opened: its window beside the raw frames, and what it keeps that another one does not."""

from dataclasses import dataclass, replace
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _

from inspector.compare_view import CompareView
from inspector.presenters.bands import ContextBand, FramesBand, context_band, frames_band
from inspector.presenters.candidate_difference import CandidateDifference, Other, difference_of
from inspector.presenters.pinned import Pinned, pinned_of
from inspector.presenters.rows import ContextLine
from inspector.presenters.shown import Number
from inspector.reading import Reading
from inspector.slots import Slot
from inspector.view_state import NO_PAGE
from sessions_app.compression.comparison import Comparison


@dataclass(frozen=True, slots=True)
class Bands:
    frames: FramesBand
    context: ContextBand
    pinned: Pinned | None
    last_seq: int


@dataclass(frozen=True, slots=True)
class Opened:
    number: int
    name: str
    tokens: Number
    messages: Number
    bands: Bands
    others: tuple[Other, ...]
    difference: CandidateDifference | None
    close: str


def bands_of(reading: Reading, view: CompareView, *, now: datetime) -> Bands:
    turn = view.with_(**NO_PAGE, pin=None)
    frames = frames_band(reading, view, now=now)
    newest = turn.url(before_seq=reading.record.state.next_msg_seq) if frames.newest else ""
    band = context_band(reading, view)
    lines = tuple(_line(line, view) for line in band.lines)
    return Bands(
        frames=replace(frames, newest=newest),
        context=replace(band, lines=lines, copy=None, end=turn.url(after_position=0)),
        pinned=_pinned(reading, view),
        last_seq=reading.record.state.frame_count,
    )


def opened_of(
    reading: Reading, comparison: Comparison, slots: tuple[Slot, ...], view: CompareView, *, now: datetime
) -> Opened:
    by_number = {s.number: r for r, s in zip(comparison.results, slots, strict=True) if r.window is not None}
    number = view.open or 0
    result, window = by_number[number], by_number[number].window
    assert window is not None  # only such are opened
    others = tuple(
        Other(s.number, s.name, view.url(against=s.number, fragment="#difference"), view.against == s.number)
        for s in slots
        if s.number in by_number and s.number != number
    )
    other = next((other for other in others if other.is_on), None)
    return Opened(
        number=number,
        name=result.choice.name,
        tokens=Number.of(window.tokens),
        messages=Number.of(len(window)),
        bands=bands_of(reading, view, now=now),
        others=others,
        difference=difference_of(result, by_number[other.number], other, comparison.probes, view) if other else None,
        close=view.with_(**NO_PAGE, pin=None, band="").url(open=None, against=None),
    )


def _line(line: ContextLine, view: CompareView) -> ContextLine:
    """A message that is a frame word for word is told there; another one is stored nowhere."""
    if line.kind == "original":
        seq = int(line.seqs)
        whole = reverse("frame_text", args=[view.session_id, seq]) if line.whole else ""
        return replace(line, href=reverse("frame", args=[view.session_id, seq]), whole=whole)
    address = view.text_url(line.position)
    return replace(line, href=address, whole=address if line.whole else "")


def _pinned(reading: Reading, view: CompareView) -> Pinned | None:
    found = pinned_of(reading, view)
    if found is None or view.pin is None or not view.pin.position:
        return found
    said = _("message %(at)s of this candidate") % {"at": f"C{view.pin.position}"}
    return replace(found, text=said, show=view.text_url(view.pin.position), copy=None)
