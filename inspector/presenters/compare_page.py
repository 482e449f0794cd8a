"""The compare page as plain values."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from inspector.compare_view import CompareView
from inspector.presenters.candidate import Opened
from inspector.presenters.compare_advice import advice_for
from inspector.presenters.comparison import CandidateRow
from inspector.presenters.lanes import lane_keys
from inspector.presenters.measure_table import MeasureTable
from inspector.presenters.measured import IN_FRONT, help_of, label_of
from inspector.presenters.shown import Number, text
from inspector.presenters.strip import Key
from inspector.refusals import Refusal
from inspector.slots import SlotsForm, canonical, slots_form
from inspector.view_state import ViewState
from sessions_app import engine
from sessions_app.compression import limit_of


@dataclass(frozen=True, slots=True)
class Column:
    label: str
    help: str


@dataclass(frozen=True, slots=True)
class ProbesField:
    value: str
    error: str


@dataclass(frozen=True, slots=True)
class ComparePage:
    """`rows` is empty where nothing could be compared: `refusal`, or the faults in the form, say why. `deletes`: to
    apply one takes earlier windows away, since history is not kept. `advice`: what to do where no strategy makes a
    window. `ignored`: what of the address was passed over.
    """

    session_id: str
    name: str
    heading: str
    base: str
    tokens: Number
    last_seq: int
    form: SlotsForm
    probes: ProbesField
    edits: bool
    share: str
    replay: str
    columns: tuple[Column, ...]
    keys: tuple[Key, ...]
    cell: str
    rows: tuple[CandidateRow, ...]
    measures: MeasureTable | None
    opened: Opened | None
    refusal: Refusal | None
    advice: tuple[str, ...]
    policy: str
    ignored: tuple[str, ...]
    read_only: str
    deletes: bool


def compare_page(
    record: engine.SessionRecord,
    view: CompareView,
    *,
    rows: tuple[CandidateRow, ...] = (),
    measures: MeasureTable | None = None,
    opened: Opened | None = None,
    refusal: Refusal | None = None,
    read_only: str = "",
) -> ComparePage:
    state = record.state
    lanes = [row.lane for row in rows if row.lane]
    advice = advice_for(view.slots, state) if rows and not any(row.open for row in rows) else ()
    return ComparePage(
        session_id=state.session_id,
        name=text(record.title) or state.session_id,
        heading=_heading(len(rows), state.context_compression_version),
        base=_base(state),
        tokens=Number.of(state.context_tokens),
        last_seq=state.frame_count,
        form=slots_form(view.slots),
        probes=ProbesField(text("\n".join(view.probes)), view.probe_error),
        edits=view.edit or not view.is_right or not view.slots,
        share=view.with_(edit=False).url(),
        replay=f"{reverse('session_replay', args=[state.session_id])}?{urlencode(canonical(view.slots))}",
        columns=tuple(Column(label_of(name), help_of(name)) for name in IN_FRONT),
        keys=lane_keys(lanes) if lanes else (),
        cell=_cell(lanes[0].strip.width) if lanes else "",
        rows=rows,
        measures=measures,
        opened=opened,
        refusal=refusal,
        advice=advice,
        policy=ViewState(state.session_id, do="policy").url() if advice and not read_only else "",
        ignored=view.ignored,
        read_only=read_only,
        deletes=not state.keep_context_history,
    )


def _cell(width: int) -> str:
    if width == 1:
        return ""
    return ngettext("%(n)s frame a cell", "%(n)s frames a cell", width) % {"n": width}


def _heading(count: int, version: int) -> str:
    if not count:
        return _("Strategies on the window of v%(v)s") % {"v": version}
    said = ngettext("%(n)s strategy on the window of v%(v)s", "%(n)s strategies on the window of v%(v)s", count)
    return said % {"n": count, "v": version}


def _base(state: engine.SessionState) -> str:
    """What is compared, in numbers."""
    values = {
        "frames": f"{state.frame_count:,}",
        "messages": f"{state.context_messages:,}",
        "limit": Number.of(limit_of(state.compression_policy)).short,
    }
    return _("%(frames)s frames; %(messages)s messages in the window, limit %(limit)s tokens.") % values
