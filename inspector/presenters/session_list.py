"""The list of sessions as plain values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from inspector.list_state import ListState, cursor_of
from inspector.presenters.session_head import StateChip, gauge_of, state_chip, state_word
from inspector.presenters.shown import Link, Moment, Number, per_cent, text
from inspector.view_state import ViewState
from sessions_app import engine
from sessions_app.compression.policy import limit_of


@dataclass(frozen=True, slots=True)
class Bar:
    """The window against a limit; `percent` and `trigger` run from 0 to 100.

    A session without a policy has no limit of its own: its bar shows how large it is among the others, against the
    usual limit, and has no trigger.
    """

    limit: Number
    percent: int
    trigger: int | None
    is_due: bool


@dataclass(frozen=True, slots=True)
class SessionLine:
    """`owner`: empty where it is the reader. `title`: one line, empty where there is none."""

    session_id: str
    title: str
    href: str
    owner: str
    labels: tuple[Link, ...]
    chip: StateChip
    frames: Number
    frames_unit: str
    window: Number
    bar: Bar
    version: int
    updated: Moment


@dataclass(frozen=True, slots=True)
class Choice:
    text: str
    href: str
    is_on: bool


@dataclass(frozen=True, slots=True)
class ListPage:
    """`clear`: the list without any filter; empty where there is none. `older`: empty at the end. `refresh`: where the
    page asks whether it still holds; empty where it does not.
    """

    lines: tuple[SessionLine, ...]
    q: str
    state: str
    label: str
    states: tuple[Choice, ...]
    without_label: str
    clear: str
    older: str
    newest: str
    refresh: str


def present_list(
    found: engine.reads.SessionsPage, state: ListState, *, owners: Mapping[int, str], drawn: str, now: datetime
) -> ListPage:
    """`owners`: the names of those whose sessions are not the reader's own, by id."""
    words = {"": _("all"), **{s.value: state_word(s) for s in engine.State}}
    return ListPage(
        lines=tuple(
            _line(record, state, owner=owners.get(record.state.owner_id, ""), now=now) for record in found.items
        ),
        q=text(state.q),
        state=state.state,
        label=text(state.label),
        states=tuple(Choice(word, state.url(state=value), state.state == value) for value, word in words.items()),
        without_label=state.url(label=""),
        clear=ListState().url() if state.is_narrowed else "",
        older=state.url(cursor=cursor_of(found.next)) if found.next else "",
        newest=state.url() if state.mark else "",
        refresh=state.refresh_url(drawn),
    )


def _line(record: engine.SessionRecord, listed: ListState, *, owner: str, now: datetime) -> SessionLine:
    state, label_url = record.state, _label_url(listed)
    return SessionLine(
        session_id=state.session_id,
        title=" ".join(text(record.title).split()),
        href=_href(record, listed.q),
        owner=text(owner),
        labels=tuple(Link(text(label), label_url(label)) for label in record.labels),
        chip=state_chip(state),
        frames=Number.of(state.frame_count),
        frames_unit=ngettext("frame", "frames", state.frame_count),
        window=Number.of(state.context_tokens),
        bar=_bar(state),
        version=state.context_compression_version,
        updated=Moment.of(record.updated_at, now=now),
    )


def _label_url(state: ListState) -> Callable[[str], str]:
    return lambda label: state.url(label=label)


def _bar(state: engine.SessionState) -> Bar:
    gauge = gauge_of(state)
    if gauge is not None:
        return Bar(gauge.limit, gauge.percent, gauge.trigger, gauge.is_due)
    limit = limit_of(state.compression_policy)
    return Bar(Number.of(limit), min(100, per_cent(state.context_tokens, limit)), None, False)


def _href(record: engine.SessionRecord, q: str) -> str:
    """Of a session that was found by what it holds: the page at the hit."""
    told = (record.title, record.state.session_id, *record.labels)
    is_inside = q and not any(q.lower() in name.lower() for name in told)
    return ViewState(record.state.session_id, q=q if is_inside else "").url()
