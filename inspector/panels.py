"""The panels of a session's page: what each form holds, before it was sent and when it comes back refused."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from django.http import QueryDict
from django.utils.translation import gettext as _

from inspector.decorators import reason_against
from inspector.forms_strategy import PREFIX, Field, errors_by_field, fields_of, params_from
from inspector.heads import drawn_from, tag_of
from inspector.panel_policy import PolicyContent, policy_content
from inspector.presenters.previews import CompressionPreview, RecoveryPreview, recovery_preview
from inspector.presenters.shown import text
from inspector.reading import Reading
from inspector.refusals import Refusal
from inspector.view_state import NO_PANEL, ViewState
from inspector.wording import in_words
from sessions_app import engine
from sessions_app.access.actors import Actor
from sessions_app.access.roles import Right
from sessions_app.compression import Strategy, load_policy, registry


@dataclass(frozen=True, slots=True)
class Sent:
    """What came back to a form: what was filled in, and the refusal or the preview that it met."""

    posted: QueryDict
    refusal: Refusal | None = None
    error: Exception | None = None
    preview: CompressionPreview | None = None


@dataclass(frozen=True, slots=True)
class Panel:
    """`why_not`: why it cannot be used, empty where it can. `deletes`: the versions whose windows it would take away.
    `content`: plain values of the panel's own template.
    """

    name: str
    template: str
    action: str
    head: str
    drawn: str
    close: str
    why_not: str
    deletes: tuple[int, ...]
    refusal: Refusal | None
    content: Any


@dataclass(frozen=True, slots=True)
class Control:
    """A control at the top of the page."""

    name: str
    href: str
    why_not: str
    is_open: bool


@dataclass(frozen=True, slots=True)
class StrategyChoice:
    name: str
    summary: str
    href: str
    why_not: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class CompressContent:
    """`previewed`: the form of what the preview shows, as (name, value), so that just that can be applied."""

    choices: tuple[StrategyChoice, ...]
    chosen: str
    fields: tuple[Field, ...]
    can_preview: bool
    preview: CompressionPreview | None
    previewed: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class FilledContent:
    """What the simple forms hold, by field."""

    values: dict[str, str]
    kept: tuple[int, ...] = ()
    keeps_history: bool = True


RIGHTS: Final[dict[str, Right]] = {
    "compress": Right.COMPRESS,
    "recover": Right.RECOVER,
    "restore": Right.COMPRESS,
    "append": Right.APPEND,
    "rename": Right.CHANGE,
    "history": Right.CHANGE,
    "policy": Right.CHANGE,
    "delete": Right.DELETE,
}
"""The panels by the name that the URL gives them, and the right that each needs."""


def controls_of(reading: Reading, view: ViewState, actor: Actor) -> dict[str, Control]:
    return {
        name: Control(
            name=name,
            href=view.url(**NO_PANEL | {"do": name}, fragment="#panel"),
            why_not=_why_not(name, reading.record.state, actor),
            is_open=view.do == name,
        )
        for name in RIGHTS
    }


def panel_of(reading: Reading, view: ViewState, actor: Actor, sent: Sent | None = None) -> Panel | None:
    """The panel that the URL names; None where it names none of ours."""
    content_of = _CONTENT.get(view.do)
    if content_of is None:
        return None
    return Panel(
        name=view.do,
        template=f"inspector/_panel_{view.do}.html",
        action=view.action(f"session_{view.do}"),
        head=tag_of(reading.record.state.head),
        drawn=drawn_from(reading.record, view.do),
        close=view.url(**NO_PANEL),
        why_not=_why_not(view.do, reading.record.state, actor),
        deletes=windows_that_go(reading) if RIGHTS[view.do] is Right.COMPRESS else (),
        refusal=sent.refusal if sent else None,
        content=content_of(reading, view, sent),
    )


def windows_that_go(reading: Reading) -> tuple[int, ...]:
    """The versions whose windows the next version takes with it: those that are kept, where history is not."""
    if reading.record.state.keep_context_history:
        return ()
    return tuple(v.entry.version for v in reading.versions if v.kept)


def _why_not(name: str, state: engine.SessionState, actor: Actor) -> str:
    right = RIGHTS[name]
    if not actor.may(right):
        return reason_against(right, actor.role.value)
    if name == "recover" and not state.open_calls:
        return _("No call is open.")
    if name == "compress" and not state.context_messages:
        return _("The window is empty.")
    return ""


def _compress(reading: Reading, view: ViewState, sent: Sent | None) -> CompressContent:
    posted = sent.posted if sent else QueryDict()
    name = posted.get("strategy") or view.strategy
    choices = tuple(
        StrategyChoice(
            name=s.name,
            summary=in_words(s.summary),
            href=view.url(do="compress", strategy=s.name, fragment="#panel"),
            why_not=in_words(s.why),
            is_chosen=s.name == name,
        )
        for s in registry.strategies()
    )
    chosen = next((s for s in registry.strategies() if s.name == name), None)
    if chosen is None or not chosen.available:
        return CompressContent(choices, "", (), False, None)
    schema = registry.describe(chosen)["params_schema"]
    values = params_from(schema, posted) if sent else _of_policy(reading.record.state.compression_policy, chosen)
    error = sent.error if sent else None
    errors = errors_by_field(error) if isinstance(error, engine.InvalidInput) else {}
    fields = fields_of(schema, values=values, errors=errors)
    preview = sent.preview if sent else None
    previewed = [
        (key, value) for key in posted if key == "strategy" or key.startswith(PREFIX) for value in posted.getlist(key)
    ]
    return CompressContent(choices, name, fields, not chosen.needs_model, preview, tuple(previewed) if preview else ())


def _of_policy(policy_text: str, strategy: Strategy) -> dict[str, Any]:
    policy = load_policy(policy_text)
    if policy is None:
        return {}
    return policy.params_for(strategy) if policy.strategy == strategy.name else policy.shared(strategy)


def _recover(reading: Reading, view: ViewState, sent: Sent | None) -> RecoveryPreview:
    given = sent.posted.get("reason", "") if sent else view.reason
    reason = given if given in engine.REASONS else ""
    state = reading.record.state
    would = engine.recover(
        session_id=state.session_id,
        expected=engine.ANY_HEAD,
        reason=reason or None,
        dry_run=True,
    )
    return recovery_preview(would, view, calling=_calling_frames(would), reason=reason)


def _calling_frames(would: engine.Written) -> dict[int, engine.Frame]:
    seqs = {call.seq for call in would.state.open_calls}
    return {seq: engine.reads.frame(would.state.session_id, seq) for seq in seqs}


def _restore(reading: Reading, view: ViewState, sent: Sent | None) -> FilledContent:
    version = (sent.posted.get("version", "") if sent else "") or str(reading.version)
    return FilledContent({"version": text(version, limit=20)})


def _append(reading: Reading, view: ViewState, sent: Sent | None) -> FilledContent:
    given = sent.posted.get("messages", "") if sent else ""
    return FilledContent({"messages": text(given), "recover": sent.posted.get("recover", "") if sent else ""})


def _rename(reading: Reading, view: ViewState, sent: Sent | None) -> FilledContent:
    record = reading.record
    title, labels = record.title, "\n".join(record.labels)
    if sent:
        title, labels = sent.posted.get("title", ""), sent.posted.get("labels", "")
    return FilledContent({"title": text(title), "labels": text(labels)})


def _history(reading: Reading, view: ViewState, sent: Sent | None) -> FilledContent:
    current = reading.record.state.context_compression_version
    kept = tuple(v.entry.version for v in reading.versions if v.kept and v.entry.version != current)
    return FilledContent({}, kept=kept, keeps_history=reading.record.state.keep_context_history)


def _policy(reading: Reading, view: ViewState, sent: Sent | None) -> PolicyContent:
    current = reading.record.state.compression_policy
    return policy_content(current, sent.posted if sent else None, sent.error if sent else None)


def _delete(reading: Reading, view: ViewState, sent: Sent | None) -> FilledContent:
    return FilledContent({"confirm": text(sent.posted.get("confirm", ""), limit=200) if sent else ""})


_CONTENT: Final[dict[str, Callable[[Reading, ViewState, Sent | None], Any]]] = {
    "compress": _compress,
    "recover": _recover,
    "restore": _restore,
    "append": _append,
    "rename": _rename,
    "history": _history,
    "policy": _policy,
    "delete": _delete,
}
