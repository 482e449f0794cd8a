"""The compare page as plain values: a row for each candidate, and what all of them share."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from inspector.compare_view import CompareView
from inspector.decorators import reason_against
from inspector.forms_strategy import PREFIX
from inspector.heads import drawn_from, tag_of
from inspector.presenters.candidate_words import done_and_why, params_line, short_numbers
from inspector.presenters.lanes import Lane, lane_of
from inspector.presenters.measured import Figure, figures_in_front
from inspector.presenters.probes import ProbeMark, folded, probe_marks, probes_told, shown_in_a_row
from inspector.presenters.shown import Number, saved_per_cent, short_number, text
from inspector.slots import Slot, params_of
from inspector.view_state import ViewState
from inspector.wording import in_words
from sessions_app import engine
from sessions_app.access.actors import Actor
from sessions_app.access.roles import Right
from sessions_app.compression import strategies
from sessions_app.compression.comparison import Comparison, Gate, Result

BROKEN: Final = 6
"""Places where rules are broken that a row names."""


@dataclass(frozen=True, slots=True)
class GateLine:
    """A rule that is broken, why, and at which message; `href` is empty where it is no message's fault."""

    rule: int
    text: str
    at: str
    href: str


@dataclass(frozen=True, slots=True)
class Apply:
    """The form that publishes a candidate: `fields` as (name, value). `why_not`: why it cannot be; empty where it can.
    `asks_model`: it may ask a model, which the comparison did not. `is_unavailable`: another stood in for it all the
    same.
    """

    action: str
    fields: tuple[tuple[str, str], ...]
    why_not: str
    asks_model: bool
    is_unavailable: bool


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """`problem`: why it could not be published, in two words, and `why` in a sentence, with its numbers short and, as
    `why_exact`, whole. `stand_in`: the strategy that stood in, and `why` is then the reason; `done`: what was done.
    `open`: shows it as a window; empty where there is none.
    """

    number: int
    name: str
    params: str
    problem: str
    why: str
    why_exact: str
    done: str
    stand_in: str
    lane: Lane | None
    tokens: Number | None
    saved: int
    messages: str
    messages_exact: str
    figures: tuple[Figure, ...]
    held: bool
    broken: tuple[GateLine, ...]
    probes: tuple[ProbeMark, ...]
    more_probes: int
    probes_told: str
    open: str
    is_open: bool
    apply: Apply


def candidate_rows(
    comparison: Comparison, slots: Sequence[Slot], record: engine.SessionRecord, view: CompareView, actor: Actor
) -> tuple[CandidateRow, ...]:
    """`slots`: those of the results, in the same order."""
    return tuple(
        _row(result, slot, comparison, record, view, actor)
        for result, slot in zip(comparison.results, slots, strict=True)
    )


def _row(
    result: Result,
    slot: Slot,
    comparison: Comparison,
    record: engine.SessionRecord,
    view: CompareView,
    actor: Actor,
) -> CandidateRow:
    state, base = comparison.state, comparison.base
    marks = probe_marks(comparison.probes, result.found)
    shown, left_out = folded(shown_in_a_row(marks))
    done, why = done_and_why(result)
    opens = view.with_(pin=None, frame=None, before_seq=None, message=None, band="", edit=False)
    open_url = opens.url(open=slot.number, against=None, after_seq=0, after_position=0, fragment="#candidate")
    return CandidateRow(
        number=slot.number,
        name=slot.name,
        params=params_line(result.choice.params_json),
        problem=_problem(result),
        why=short_numbers(why),
        why_exact=why,
        done=done,
        stand_in=result.stand_in,
        lane=_lane(result, comparison) if result.window else None,
        tokens=Number.of(result.after.tokens) if result.after else None,
        saved=saved_per_cent(result.after.tokens, base.tokens) if result.after else 0,
        messages=_messages(result.after.messages, len(base)) if result.after else "",
        messages_exact=f"{result.after.messages:,}" if result.after else "",
        figures=figures_in_front(result, tokens=base.tokens) if result.window else (),
        held=all(gate.held for gate in result.gates),
        broken=tuple(_broken(result.gates, view.with_(open=slot.number))),
        probes=shown,
        more_probes=left_out,
        probes_told=probes_told(marks),
        open=open_url if result.window else "",
        is_open=view.open == slot.number,
        apply=_apply(result, slot, state, record, actor),
    )


def _lane(result: Result, comparison: Comparison) -> Lane | None:
    return lane_of(
        result.fates,
        frame_count=comparison.state.frame_count,
        before=comparison.before,
        recovery=comparison.recovery,
    )


def _messages(after: int, before: int) -> str:
    return ngettext("%(n)s of %(all)s message", "%(n)s of %(all)s messages", before) % {
        "n": short_number(after),
        "all": short_number(before),
    }


def _problem(result: Result) -> str:
    return {
        "ok": "",
        "nothing-to-compress": _("Nothing to compress"),
        "rule-broken": _("A rule is broken"),
        "unavailable": _("Unavailable"),
    }[result.outcome]


def _broken(gates: Iterable[Gate], view: CompareView) -> Iterable[GateLine]:
    found = [broken for gate in gates for broken in gate.broken]
    for broken in found[:BROKEN]:
        at = f"C{broken.position}" if broken.position else ""
        href = view.message_url(broken.position) if broken.position else ""
        yield GateLine(broken.rule, text(in_words(broken.why), limit=400), at, href)


def _apply(result: Result, slot: Slot, state: engine.SessionState, record: engine.SessionRecord, actor: Actor) -> Apply:
    fields = (
        ("head", tag_of(state.head)),
        ("drawn", drawn_from(record, "compress")),
        ("strategy", slot.name),
        *params_of(slot, prefix=PREFIX),
        ("act", "apply"),
    )
    action = reverse("session_compress", args=[state.session_id]) + ViewState(state.session_id, do="compress").query()
    is_unavailable = bool(slot.why_not) and result.window is not None
    return Apply(action, fields, _why_not(result, slot, actor), _asks_model(result), is_unavailable)


def _asks_model(result: Result) -> bool:
    """Where another stood in, a model is asked in earnest if there is one."""
    is_there = any(strategy.needs_model and strategy.available for strategy in strategies())
    return result.choice.strategy.needs_model or (bool(result.stand_in) and is_there)


def _why_not(result: Result, slot: Slot, actor: Actor) -> str:
    if not actor.may(Right.COMPRESS):
        return reason_against(Right.COMPRESS, actor.role.value)
    if slot.why_not:
        return slot.why_not
    match result.outcome:
        case "ok":
            return ""
        case "rule-broken":
            return _("It breaks a rule: the engine would refuse it.")
    return text(in_words(result.why), limit=200) or _("There is nothing to apply.")
