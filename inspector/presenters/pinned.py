"""The bar of what is pinned: what it is, and what can be had of it."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from inspector.presenters.copy_links import CopyLinks, copy_of_frames, copy_of_message
from inspector.presenters.shown import Link
from inspector.reading import Reading
from inspector.view_state import ViewState


@dataclass(frozen=True, slots=True)
class Pinned:
    """`show`: the page of the one frame or message, empty for a run. `saw`: empty for a message. `copy`: None for a
    message that is stored nowhere.
    """

    text: str
    show: str
    saw: str
    copy: CopyLinks | None
    other: tuple[Link, ...]
    clear: str


def pinned_of(reading: Reading, view: ViewState) -> Pinned | None:
    """None where nothing is pinned, and where what is pinned does not exist."""
    pin = view.pin
    if pin is None or pin.last > reading.record.state.frame_count:
        return None
    clear = view.url(pin=None)
    if pin.position:
        return _message(reading, view, pin.position, clear)
    one = pin.first == pin.last
    said = _("frame %(a)s") if one else _("frames %(a)s–%(b)s, %(n)s of them")
    return Pinned(
        text=said % {"a": f"#{pin.first:,}", "b": f"#{pin.last:,}", "n": f"{pin.last - pin.first + 1:,}"},
        show=reverse("frame", args=[view.session_id, pin.first]) if one else "",
        saw=view.saw_url(pin.first),
        copy=copy_of_frames(view.session_id, pin.first, pin.last),
        other=(),
        clear=clear,
    )


def _message(reading: Reading, view: ViewState, position: int, clear: str) -> Pinned | None:
    rows = reading.window.rows if reading.window else ()
    row = next((row for row in rows if row.position == position), None)
    if row is None:
        return None
    place = {"version": reading.version, "position": position, "session_id": view.session_id}
    then = f"?at_seq={view.at_seq}" if view.at_seq else ""
    seqs = row.original_seqs
    return Pinned(
        text=_("message %(at)s of v%(v)s") % {"at": f"C{position}", "v": reading.version},
        show=reverse("context_message", kwargs=place) + then,
        saw="",
        copy=copy_of_message(view.session_id, reading.version, position, at_seq=view.at_seq),
        other=tuple(
            Link(
                f"#{first:,}" if first == last else f"#{first:,}–#{last:,}",
                view.url(fragment=f"#f-{first}", frame=first),
            )
            for first, last in seqs.ranges[:4]
        ),
        clear=clear,
    )
