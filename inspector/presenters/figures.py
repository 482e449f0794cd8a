"""What all sessions of a reader come to, as the head of the list says it."""

from dataclasses import dataclass

from django.utils.translation import ngettext

from inspector.list_state import ListState
from inspector.presenters.shown import Number, per_cent
from sessions_app import engine


@dataclass(frozen=True, slots=True)
class Figure:
    """`href`: the sessions that it counts; empty where that is all of them."""

    name: str
    number: Number
    text: str
    more: str = ""
    href: str = ""


def present_figures(figures: engine.reads.Figures) -> tuple[Figure, ...]:
    share = per_cent(figures.tokens_saved, figures.tokens_saved + figures.tokens_held)
    waiting = ListState().url(state=engine.State.AWAITING_TOOLS.value)
    n = figures
    return (
        Figure("sessions", Number.of(n.sessions), ngettext("session", "sessions", n.sessions)),
        Figure("frames", Number.of(n.frames), ngettext("frame", "frames", n.frames)),
        Figure("held", Number.of(n.tokens_held), ngettext("token held", "tokens held", n.tokens_held)),
        Figure(
            "saved",
            Number.of(n.tokens_saved),
            ngettext("token saved by compression", "tokens saved by compression", n.tokens_saved),
            more=f"{share} %" if share else "",
        ),
        Figure(
            "open",
            Number.of(n.open_calls),
            ngettext("open call", "open calls", n.open_calls),
            href=waiting if n.open_calls else "",
        ),
    )
