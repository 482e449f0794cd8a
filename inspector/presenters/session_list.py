"""The list of sessions as plain values."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _

from inspector.list_state import ListState, cursor_of
from inspector.presenters.session_head import Gauge, StateChip, gauge_of, state_chip, state_word
from inspector.presenters.shown import Link, Moment, Number, text
from sessions_app import engine


@dataclass(frozen=True, slots=True)
class SessionLine:
    session_id: str
    title: str
    href: str
    labels: tuple[Link, ...]
    chip: StateChip
    frames: Number
    window: Number
    gauge: Gauge | None
    version: int
    updated: Moment


def session_line(record: engine.SessionRecord, *, label_url: Callable[[str], str], now: datetime) -> SessionLine:
    state = record.state
    return SessionLine(
        session_id=state.session_id,
        title=text(record.title),
        href=reverse("session", args=[state.session_id]),
        labels=tuple(Link(text(label), label_url(label)) for label in record.labels),
        chip=state_chip(state),
        frames=Number.of(state.frame_count),
        window=Number.of(state.context_tokens),
        gauge=gauge_of(state),
        version=state.context_compression_version,
        updated=Moment.of(record.updated_at, now=now),
    )


@dataclass(frozen=True, slots=True)
class Choice:
    text: str
    href: str
    is_on: bool


@dataclass(frozen=True, slots=True)
class ListPage:
    """`clear`: the list without any filter; empty where there is none. `older`: empty at the end."""

    lines: tuple[SessionLine, ...]
    q: str
    state: str
    label: str
    states: tuple[Choice, ...]
    without_label: str
    clear: str
    older: str
    newest: str


def present_list(found: engine.reads.SessionsPage, state: ListState, *, now: datetime) -> ListPage:
    words = {"": _("all"), **{s.value: state_word(s) for s in engine.State}}
    return ListPage(
        lines=tuple(
            session_line(record, label_url=lambda label: state.url(label=label), now=now) for record in found.items
        ),
        q=text(state.q),
        state=state.state,
        label=text(state.label),
        states=tuple(Choice(word, state.url(state=value), state.state == value) for value, word in words.items()),
        without_label=state.url(label=""),
        clear=ListState().url() if state.is_narrowed else "",
        older=state.url(cursor=cursor_of(found.next)) if found.next else "",
        newest=state.url() if state.mark else "",
    )
