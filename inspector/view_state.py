"""What the URL of a session's page says to show. All of the page's state is there."""

from dataclasses import dataclass, fields, replace
from typing import Any, Final, Self
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from inspector.pins import Pin
from sessions_app import engine

LARGEST = 10**18 - 1

ERRORS: Final = "errors"
DROPPED: Final = "dropped"
OPEN: Final = "open"
ONLY: Final = (ERRORS, DROPPED, OPEN)
FRAMES: Final = "frames"
CONTEXT: Final = "context"


@dataclass(frozen=True, slots=True)
class ViewState:
    """`frame` and `message` ask for the pages around a frame and a context message; `compare` names a second version;
    `only` is one of ONLY; `q` is looked for among the frames from `upto` down, and `hit` is the one to stand at; `pin`
    names what is lit on both sides; `band` is the tab of a narrow screen; `do` names the open panel, `strategy` and
    `reason` what is chosen in it.
    """

    session_id: str
    version: int | None = None
    compare: int | None = None
    at_seq: int | None = None
    frame: int | None = None
    after_seq: int | None = None
    before_seq: int | None = None
    message: int | None = None
    after_position: int | None = None
    role: str = ""
    tool: str = ""
    only: str = ""
    q: str = ""
    upto: int | None = None
    hit: int | None = None
    pin: Pin | None = None
    band: str = ""
    do: str = ""
    strategy: str = ""
    reason: str = ""

    @classmethod
    def of(cls, session_id: str, params: QueryDict) -> Self:
        """Raises BadRequest for a number that is none, and for a word that is none of those which a member knows."""
        return cls(
            session_id=session_id,
            version=number_in(params, "version"),
            compare=number_in(params, "compare"),
            at_seq=number_in(params, "at_seq"),
            frame=number_in(params, "frame"),
            after_seq=number_in(params, "after_seq"),
            before_seq=number_in(params, "before_seq"),
            message=number_in(params, "message"),
            after_position=number_in(params, "after_position"),
            role=_one_of(params, "role", engine.ROLES),
            tool=params.get("tool", ""),
            only=_one_of(params, "only", ONLY),
            q=params.get("q", ""),
            upto=number_in(params, "upto"),
            hit=number_in(params, "hit"),
            pin=Pin.parse(params.get("pin", "")),
            band=_one_of(params, "band", (FRAMES, CONTEXT)),
            do=params.get("do", ""),
            strategy=params.get("strategy", ""),
            reason=params.get("reason", ""),
        )

    @property
    def shows_context(self) -> bool:
        """Whether the window is the tab of a narrow screen: a pinned frame has its other side there."""
        return self.band == CONTEXT or (not self.band and self.pin is not None and self.pin.first > 0)

    @property
    def is_filtered(self) -> bool:
        """Whether frames are left out. A search leaves none out: it leads from hit to hit."""
        return bool(self.role or self.tool or self.only)

    def with_(self, **changes: Any) -> "ViewState":
        return replace(self, **changes)

    def params(self) -> dict[str, str]:
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "session_id"}
        return {name: str(value) for name, value in values.items() if value not in (None, "")}

    def query(self) -> str:
        given = self.params()
        return f"?{urlencode(given)}" if given else ""

    def url(self, *, fragment: str = "", **changes: Any) -> str:
        """The address of this page with some of it changed."""
        return reverse("session", args=[self.session_id]) + self.with_(**changes).query() + fragment

    def action(self, route: str) -> str:
        """Where a form of this page is sent. It carries the page's state, so that the answer can show the same."""
        return reverse(route, args=[self.session_id]) + self.query()

    def frame_url(self, seq: int) -> str:
        """The page around a frame, whatever is filtered now."""
        return self.url(fragment=f"#f-{seq}", **NO_FILTER, **NO_PAGE | {"frame": seq}, pin=None, band="")

    def message_url(self, position: int) -> str:
        return self.url(fragment=f"#c-{position}", **NO_CONTEXT_PAGE | {"message": position}, pin=None, band=CONTEXT)

    def pin_url(self, pin: Pin) -> str:
        """What is pinned, and its other side brought into view: both pages follow from the pin."""
        return self.url(fragment=pin.fragment, **NO_PAGE, pin=pin, band="")

    def saw_url(self, seq: int) -> str:
        """What the model saw when frame `seq` was written, with the frames around it."""
        fresh = self.with_(**NO_PANEL, **NO_PAGE, pin=None, version=None, compare=None)
        return fresh.url(at_seq=seq, fragment=f"#f-{seq}")

    def version_url(self, version: int | None) -> str:
        return self.url(version=version, at_seq=None, **NO_PANEL, pin=None, **NO_CONTEXT_PAGE)


NO_FILTER: dict[str, Any] = {"role": "", "tool": "", "only": "", "q": "", "upto": None, "hit": None}
NO_FRAME_PAGE: dict[str, Any] = {"frame": None, "after_seq": None, "before_seq": None}
NO_CONTEXT_PAGE: dict[str, Any] = {"message": None, "after_position": None}
NO_PANEL: dict[str, Any] = {"do": "", "strategy": "", "reason": ""}
NO_PAGE = NO_FRAME_PAGE | NO_CONTEXT_PAGE


def number_in(params: QueryDict, name: str) -> int | None:
    """Raises BadRequest where it is no whole number."""
    text = params.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit()) or int(text[:19]) > LARGEST or len(text) > 18:
        raise BadRequest(_("%(name)s must be a whole number.") % {"name": name})
    return int(text)


def _one_of(params: QueryDict, name: str, words: tuple[str, ...]) -> str:
    word = params.get(name, "")
    if word and word not in words:
        raise BadRequest(
            _("%(name)s must be one of: %(words)s.") % {"name": name, "words": ", ".join(filter(None, words))}
        )
    return word
