"""A session's page as plain values."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from inspector.heads import tag_of
from inspector.panels import Control, Panel, Sent, controls_of, panel_of
from inspector.presenters.bands import ContextBand, FramesBand, context_band, frames_band
from inspector.presenters.differences import DifferenceView, difference_view
from inspector.presenters.filters import Filters, filters_of
from inspector.presenters.live import Live, live_of
from inspector.presenters.pinned import Pinned, pinned_of
from inspector.presenters.rail import Rail, rail_of
from inspector.presenters.session_head import SessionHead, session_head
from inspector.presenters.strip import StripView, strip_view
from inspector.reading import Reading
from inspector.view_state import ViewState
from sessions_app.access.actors import Actor
from sessions_app.access.roles import Right


@dataclass(frozen=True, slots=True)
class SessionPage:
    """`self_url`: the page as it is, without what was pinned and searched for."""

    head: SessionHead
    rail: Rail
    strip: StripView | None
    difference: DifferenceView | None
    controls: dict[str, Control]
    read_only: str
    panel: Panel | None
    head_tag: str
    filters: Filters
    frames: FramesBand
    context: ContextBand
    pinned: Pinned | None
    live: Live


def present(reading: Reading, view: ViewState, actor: Actor, *, sent: Sent | None, now: datetime) -> SessionPage:
    record = reading.record
    may_write = actor.may(Right.APPEND)
    return SessionPage(
        head=session_head(record, now=now),
        rail=rail_of(reading, view, now=now),
        strip=strip_view(reading.strip),
        difference=difference_view(reading, view),
        controls=controls_of(reading, view, actor),
        read_only="" if may_write else _("Read only: your role is %(role)s.") % {"role": actor.role.value},
        panel=panel_of(reading, view, actor, sent),
        head_tag=tag_of(record.state.head),
        filters=filters_of(reading, view),
        frames=frames_band(reading, view, now=now),
        context=context_band(reading, view),
        pinned=pinned_of(reading, view),
        live=live_of(reading, view),
    )
