"""The page of a replay as plain values."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from inspector.presenters.replay_result import Result, replay_result
from inspector.presenters.shown import Number, short_number, text
from inspector.refusals import Refusal
from inspector.replay_state import ReplayState
from inspector.replay_terms import PRESETS, Group, doubts_about
from inspector.slots import SlotsForm, slots_form
from sessions_app import engine
from sessions_app.compression.replay import Replay


@dataclass(frozen=True, slots=True)
class Preset:
    text: str
    href: str
    is_on: bool


@dataclass(frozen=True, slots=True)
class ReplayPage:
    """`must_ask`: the session is so long that it is replayed only when asked for. `lowered`: why it is shown under
    another limit than the usual one. `doubts`: what was most likely not meant.
    """

    session_id: str
    title: str
    back: str
    compare: str
    go: str
    told: str
    lowered: str
    doubts: tuple[str, ...]
    form: SlotsForm
    groups: tuple[Group, ...]
    presets: tuple[Preset, ...]
    frames: Number
    is_right: bool
    is_open: bool
    must_ask: bool
    refusal: Refusal | None
    result: Result | None


def replay_page(
    record: engine.SessionRecord,
    asked: ReplayState,
    replay: Replay | None,
    refusal: Refusal | None,
    *,
    lowered: str = "",
) -> ReplayPage:
    session_id = record.state.session_id
    return ReplayPage(
        session_id=session_id,
        title=text(record.title),
        back=reverse("session", args=[session_id]),
        compare=reverse("session_compare", args=[session_id]) + asked.slots_query,
        go=asked.url(),
        told=_asked_told(asked),
        lowered=lowered,
        doubts=_doubts(asked),
        form=slots_form(asked.slots),
        groups=asked.groups,
        presets=_presets(asked),
        frames=Number.of(record.state.frame_count),
        is_right=asked.is_right,
        is_open=not asked.is_right or asked.is_edited,
        must_ask=asked.is_right and replay is None and refusal is None,
        refusal=refusal,
        result=replay_result(asked, replay) if replay is not None else None,
    )


def _asked_told(asked: ReplayState) -> str:
    """What is asked for, in one line; nothing where it is not right."""
    if asked.terms is None:
        return ""
    prices = asked.terms.prices
    values = {
        "limit": short_number(asked.terms.limit_tokens),
        "trigger": short_number(round(asked.terms.trigger_tokens)),
        "read": f"{prices.read:g}",
        "write": f"{prices.write:g}",
        "output": f"{prices.output:g}",
    }
    return (
        _("limit %(limit)s · trigger %(trigger)s · prices: read %(read)s, write %(write)s, output %(output)s") % values
    )


def _doubts(asked: ReplayState) -> tuple[str, ...]:
    strange = ", ".join(asked.strange)
    told = (_("Nothing here is called so, and it was passed over: %(names)s") % {"names": strange},) if strange else ()
    return (*told, *(doubts_about(asked.terms) if asked.terms is not None else ()))


def _presets(asked: ReplayState) -> tuple[Preset, ...]:
    return tuple(
        Preset(
            text=str(name),
            href=asked.url(read=prices.read, write=prices.write, output=prices.output),
            is_on=asked.terms is not None and asked.terms.prices == prices,
        )
        for name, prices in PRESETS
    )
