"""What the address of the compare page says to show. All of the page's state is there."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from inspector.pins import Pin
from inspector.slots import Asked, Slot, are_right, canonical, slots_from, unheard
from inspector.view_state import CONTEXT, ViewState, number_in
from sessions_app.compression.comparison import LONGEST_PROBE, MOST_PROBES

OF_FORM: Final = ("add", "remove", "probes")
"""Only the form sends these: its answer is the address that says the same in its shortest form."""

PLACE: Final = ("frame", "after_seq", "before_seq", "message", "after_position", "pin", "band")


@dataclass(frozen=True, slots=True)
class CompareView(ViewState):
    """`open` is the number of the candidate that is shown as a window, `against` that of another one to tell its
    difference from; what ViewState says of places is said of the opened one. `edit`: the form stands open. `ignored`:
    what of the address was passed over.
    """

    slots: tuple[Slot, ...] = ()
    probes: tuple[str, ...] = ()
    open: int | None = None
    against: int | None = None
    edit: bool = False
    ignored: tuple[str, ...] = ()

    @classmethod
    def of(cls, session_id: str, params: QueryDict, *, default: Sequence[Asked] = ()) -> "CompareView":
        """Raises BadRequest for a number or a pin that is none."""
        view = cls(
            session_id=session_id,
            frame=number_in(params, "frame"),
            after_seq=number_in(params, "after_seq"),
            before_seq=number_in(params, "before_seq"),
            message=number_in(params, "message"),
            after_position=number_in(params, "after_position"),
            pin=Pin.parse(params.get("pin", "")),
            band=CONTEXT if params.get("band") == CONTEXT else "",
            slots=slots_from(params, default=default),
            probes=_probes(params),
            open=number_in(params, "open"),
            against=number_in(params, "against"),
            edit="edit" in params or bool(params.get("add") or params.get("remove")),
        )
        view = view.with_(ignored=(*unheard(params), *view._no_candidates()))
        if any(getattr(view, name) not in (None, "") for name in PLACE if name != "band"):
            return view
        # What was compressed is old: one reads from the beginning.
        return view.with_(after_seq=0, after_position=0)

    @property
    def probe_error(self) -> str:
        """What is wrong with the probes; empty where nothing is."""
        if len(self.probes) > MOST_PROBES:
            values = {"most": MOST_PROBES, "n": len(self.probes)}
            return _("At most %(most)s texts can be looked for; these are %(n)s.") % values
        if long := sum(len(probe) > LONGEST_PROBE for probe in self.probes):
            said = ngettext(
                "%(n)s text is longer than %(most)s characters.",
                "%(n)s texts are longer than %(most)s characters.",
                long,
            )
            return said % {"n": long, "most": LONGEST_PROBE}
        return ""

    @property
    def is_right(self) -> bool:
        return are_right(self.slots) and not self.probe_error

    @property
    def opened(self) -> Slot | None:
        """The slot that is shown as a window."""
        return next((slot for slot in self.slots if slot.number == self.open and slot.choice), None)

    def _no_candidates(self) -> tuple[str, ...]:
        """The numbers in the address that are no candidate's."""
        there = {slot.number for slot in self.slots}
        given = [("open", self.open), ("against", self.against)]
        wrong = [{"name": name, "n": n} for name, n in given if n is not None and n not in there]
        return tuple(_("%(name)s=%(n)s is passed over: there is no such candidate.") % values for values in wrong)

    def asked(self) -> list[tuple[str, str]]:
        """What is compared, as (name, value)."""
        return [*canonical(self.slots), *(("probe", probe) for probe in self.probes)]

    def query(self) -> str:
        place = [(name, getattr(self, name)) for name in ("open", "against", *(PLACE if self.open else ()))]
        pairs = [*self.asked(), *((name, str(value)) for name, value in place if value not in (None, ""))]
        return f"?{urlencode([*pairs, *([('edit', '1')] if self.edit else [])])}"

    def with_(self, **changes: Any) -> "CompareView":
        return replace(self, **changes)

    def url(self, *, fragment: str = "", **changes: Any) -> str:
        return reverse("session_compare", args=[self.session_id]) + self.with_(**changes).query() + fragment

    def saw_url(self, seq: int) -> str:
        """What the model saw is told on the page of the session."""
        return ViewState(self.session_id).saw_url(seq)

    def text_url(self, position: int) -> str:
        """The whole text of a message of the opened candidate: it is stored nowhere, and made again."""
        alone = [replace(slot, number=1) for slot in (self.opened,) if slot]
        pairs = [*canonical(alone), ("open", "1"), ("message", str(position))]
        return f"{reverse('session_compare_text', args=[self.session_id])}?{urlencode(pairs)}"


def _probes(params: QueryDict) -> tuple[str, ...]:
    """A line each, and each once."""
    lines = [
        line.strip() for text in (*params.getlist("probe"), *params.getlist("probes")) for line in text.splitlines()
    ]
    return tuple(dict.fromkeys(line for line in lines if line))
