"""What the URL of a session's page says to show. All of the page's state is there."""

from dataclasses import dataclass, fields, replace
from typing import Any, Self
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from sessions_app import engine

LARGEST = 10**18 - 1


@dataclass(frozen=True, slots=True)
class ViewState:
    """`frame` and `message` ask for the pages around a frame and a context message; `do` names the open panel."""

    session_id: str
    version: int | None = None
    at_seq: int | None = None
    frame: int | None = None
    after_seq: int | None = None
    before_seq: int | None = None
    message: int | None = None
    after_position: int | None = None
    role: str = ""
    tool: str = ""
    errors: bool = False
    q: str = ""
    do: str = ""
    strategy: str = ""

    @classmethod
    def of(cls, session_id: str, params: QueryDict) -> Self:
        """Raises BadRequest for a number that is none and a role that does not exist."""
        role = params.get("role", "")
        if role and role not in engine.ROLES:
            raise BadRequest(_("There is no such role."))
        return cls(
            session_id=session_id,
            version=_number(params, "version"),
            at_seq=_number(params, "at_seq"),
            frame=_number(params, "frame"),
            after_seq=_number(params, "after_seq"),
            before_seq=_number(params, "before_seq"),
            message=_number(params, "message"),
            after_position=_number(params, "after_position"),
            role=role,
            tool=params.get("tool", ""),
            errors=params.get("errors") in ("1", "on"),
            q=params.get("q", ""),
            do=params.get("do", ""),
            strategy=params.get("strategy", ""),
        )

    @property
    def filter(self) -> engine.reads.FrameFilter:
        return engine.reads.FrameFilter(
            role=self.role or None, tool=self.tool or None, errors=self.errors, search=self.q or None
        )

    def with_(self, **changes: Any) -> "ViewState":
        return replace(self, **changes)

    def query(self) -> str:
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "session_id"}
        given = {
            name: "1" if value is True else value for name, value in values.items() if value not in (None, "", False)
        }
        return f"?{urlencode(given)}" if given else ""

    def url(self, *, fragment: str = "", **changes: Any) -> str:
        """The address of this page with some of it changed."""
        return reverse("session", args=[self.session_id]) + self.with_(**changes).query() + fragment

    def action(self, route: str) -> str:
        """Where a form of this page is sent. It carries the page's state, so that the answer can show the same."""
        return reverse(route, args=[self.session_id]) + self.query()

    def frame_url(self, seq: int) -> str:
        """The page around a frame, whatever is filtered now."""
        return self.url(fragment=f"#f-{seq}", **NO_FILTER, **NO_FRAME_PAGE | {"frame": seq}, **NO_CONTEXT_PAGE)

    def message_url(self, position: int) -> str:
        return self.url(fragment=f"#c-{position}", **NO_CONTEXT_PAGE | {"message": position})

    def version_url(self, version: int | None) -> str:
        return self.url(version=version, at_seq=None, do="", strategy="", **NO_CONTEXT_PAGE)


NO_FILTER: dict[str, Any] = {"role": "", "tool": "", "errors": False, "q": ""}
NO_FRAME_PAGE: dict[str, Any] = {"frame": None, "after_seq": None, "before_seq": None}
NO_CONTEXT_PAGE: dict[str, Any] = {"message": None, "after_position": None}


def _number(params: QueryDict, name: str) -> int | None:
    text = params.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit()) or int(text[:19]) > LARGEST or len(text) > 18:
        raise BadRequest(_("%(name)s must be a whole number.") % {"name": name})
    return int(text)
