"""One message of a window, as the address of its page names it."""

from dataclasses import dataclass

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from inspector.view_state import ViewState
from sessions_app import engine


@dataclass(frozen=True, slots=True)
class WindowMessage:
    """`at_seq`: the window is the one that this frame was written under. `more`: another message follows."""

    version: int
    at_seq: int | None
    placement: engine.Placement
    more: bool


def window_message(request: HttpRequest, record: engine.SessionRecord, version: int, position: int) -> WindowMessage:
    """Raises Http404, and what reading a window raises."""
    session_id = record.state.session_id
    at_seq = ViewState.of(session_id, request.GET).at_seq
    two = {"after_position": position - 1, "limit": 2}
    if at_seq is not None:
        read = engine.reads.window_at(session_id, at_seq, **two)
    else:
        read = engine.reads.window_of_version(session_id, version, **two)
    if not read.placements or read.version != version:
        raise Http404(_("The window has no such message."))
    return WindowMessage(version, at_seq, read.placements[0], len(read.placements) > 1)
