"""The top of a session's page: what it is called, where it stands, how full its window is, which versions it had."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from inspector.presenters.shown import Moment, Number, per_cent, saved_per_cent, text
from inspector.wording import in_words
from sessions_app import engine
from sessions_app.compression.policy import load_policy
from sessions_app.compression.stopping import stopped


@dataclass(frozen=True, slots=True)
class StateChip:
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Gauge:
    """The window against the limit of the session's policy. `percent` and `trigger` run from 0 to 100."""

    limit: Number
    percent: int
    trigger: int
    is_due: bool


@dataclass(frozen=True, slots=True)
class SessionHead:
    """`stopped`: why it no longer compresses by itself, empty where it has not stopped."""

    session_id: str
    title: str
    labels: tuple[str, ...]
    chip: StateChip
    open_calls: int
    last_seq: int
    next_seq: int
    version: int
    frames: Number
    window: Number
    messages: Number
    raw: Number
    saved: int
    gauge: Gauge | None
    keeps_history: bool
    requires_head: bool
    stopped: str
    updated: Moment


def state_word(state: engine.State) -> str:
    words = {
        engine.State.EMPTY: _("empty"),
        engine.State.AWAITING_MODEL: _("awaiting model"),
        engine.State.AWAITING_TOOLS: _("awaiting tools"),
        engine.State.SETTLED: _("settled"),
    }
    return words[state]


def state_chip(state: engine.SessionState) -> StateChip:
    word, count = state_word(state.state), len(state.open_calls)
    if count:
        word += " · " + ngettext("%(n)s open", "%(n)s open", count) % {"n": count}
    return StateChip(state.state.value, word)


def gauge_of(state: engine.SessionState) -> Gauge | None:
    policy = load_policy(state.compression_policy)
    if policy is None:
        return None
    limit = policy.limit_tokens
    return Gauge(
        limit=Number.of(limit),
        percent=min(100, per_cent(state.context_tokens, limit)),
        trigger=min(100, per_cent(round(policy.trigger_tokens), limit)),
        is_due=state.context_tokens >= policy.trigger_tokens,
    )


def session_head(record: engine.SessionRecord, *, now: datetime) -> SessionHead:
    state = record.state
    return SessionHead(
        session_id=state.session_id,
        title=text(record.title),
        labels=tuple(text(label) for label in record.labels),
        chip=state_chip(state),
        open_calls=len(state.open_calls),
        last_seq=state.frame_count,
        next_seq=state.next_msg_seq,
        version=state.context_compression_version,
        frames=Number.of(state.frame_count),
        window=Number.of(state.context_tokens),
        messages=Number.of(state.context_messages),
        raw=Number.of(state.raw_tokens),
        saved=saved_per_cent(state.context_tokens, state.raw_tokens),
        gauge=gauge_of(state),
        keeps_history=state.keep_context_history,
        requires_head=state.require_head,
        stopped=in_words(stopped(state.compression_policy)),
        updated=Moment.of(record.updated_at, now=now),
    )


def fate_word(fate: str) -> str:
    words = {"kept": _("kept"), "edited": _("edited"), "summarised": _("summarised"), "dropped": _("dropped")}
    return words.get(fate, fate)
