"""What the URL of the list of sessions says to show, and where its next page goes on."""

import binascii
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Self
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from sessions_app import engine


@dataclass(frozen=True, slots=True)
class ListState:
    q: str = ""
    state: str = ""
    label: str = ""
    mark: engine.reads.Mark | None = None

    @classmethod
    def of(cls, params: QueryDict) -> Self:
        """Raises BadRequest for a state that does not exist and a cursor that is none."""
        state, q = params.get("state", ""), params.get("q", "").strip()
        if state and state not in {s.value for s in engine.State}:
            raise BadRequest(_("There is no such state."))
        if "\0" in q or "\0" in params.get("label", ""):
            raise BadRequest(_("No title holds the character NUL."))
        cursor = params.get("cursor", "")
        return cls(q=q, state=state, label=params.get("label", ""), mark=mark_from(cursor) if cursor else None)

    @property
    def filter(self) -> engine.reads.SessionFilter:
        return engine.reads.SessionFilter(
            search=self.q or None,
            state=engine.State(self.state) if self.state else None,
            label=self.label or None,
        )

    @property
    def is_narrowed(self) -> bool:
        return bool(self.q or self.state or self.label)

    def url(self, *, cursor: str = "", **changes: str) -> str:
        values = {"q": self.q, "state": self.state, "label": self.label, "cursor": cursor, **changes}
        given = {name: value for name, value in values.items() if value}
        return reverse("sessions") + (f"?{urlencode(given)}" if given else "")

    def refresh_url(self, drawn: str) -> str:
        """Where the page asks whether it still holds; empty for a search, which would look through all messages each
        time.
        """
        return "" if self.q else self.url(cursor=cursor_of(self.mark) if self.mark else "", drawn=drawn)


def drawn_from(found: engine.reads.SessionsPage, *, now: datetime) -> str:
    """What a page of the list was drawn from, in few characters. Its times are relative: they hold for a minute."""
    drawn = repr((found, now.replace(second=0, microsecond=0)))
    return blake2b(drawn.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def cursor_of(mark: engine.reads.Mark) -> str:
    """Plain, not signed: it names a place in an order, and gives a right to nothing."""
    assert isinstance(mark.value, datetime)  # the list is ordered by the last change
    return urlsafe_b64encode(json.dumps([mark.value.isoformat(), mark.session_id]).encode()).decode().rstrip("=")


def mark_from(cursor: str) -> engine.reads.Mark:
    """Raises BadRequest."""
    try:
        at, session_id = json.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        moment = datetime.fromisoformat(at).astimezone(UTC)
    except (ValueError, TypeError, OverflowError, binascii.Error) as e:
        raise BadRequest(_("The page to go on from is none of ours.")) from e
    if not isinstance(session_id, str) or not engine.SESSION_ID.match(session_id):
        raise BadRequest(_("The page to go on from is none of ours."))
    return engine.reads.Mark(moment, session_id)
