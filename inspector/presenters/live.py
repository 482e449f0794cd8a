"""What a page that follows its session asks for, and how it knows that nothing has moved."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from inspector.heads import tag_of
from inspector.reading import Reading
from inspector.view_state import ViewState
from sessions_app import engine


@dataclass(frozen=True, slots=True)
class Live:
    """`url`: what to ask for next; the page adds `last` and `last_position`, the ends of its bands, where it shows the
    ends. `last`: the newest frame of the session. `frames_grow`, `context_grows`: whether what comes belongs to the
    band at all: not where it is filtered, nor to a window of the past.
    """

    url: str
    last: int
    frames_grow: bool
    context_grows: bool


def mark_of(record: engine.SessionRecord) -> str:
    """Changes whenever the row of the session does: its head, its title and labels, its settings."""
    return f"{tag_of(record.state.head)}.{record.updated_at.timestamp():.6f}"


def is_mark_of_the_same(mark: str, record: engine.SessionRecord) -> bool:
    """Whether a mark was made of this session, and not of one that was deleted under the same id."""
    return mark.split(".")[2:3] == [record.state.incarnation]


def live_of(reading: Reading, view: ViewState) -> Live:
    record = reading.record
    followed = ViewState(
        view.session_id,
        version=view.version,
        compare=view.compare,
        at_seq=view.at_seq,
        role=view.role,
        tool=view.tool,
        only=view.only,
        band=view.band,
    )
    query = urlencode({**followed.params(), "seen": mark_of(record), "drawn": reading.version})
    return Live(
        url=f"{reverse('session_live', args=[view.session_id])}?{query}",
        last=record.state.frame_count,
        frames_grow=not view.is_filtered,
        context_grows=reading.is_current and view.at_seq is None,
    )
