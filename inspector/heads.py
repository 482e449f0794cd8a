"""The head that a form was drawn from, as the hidden field carries it: `<next>.<version>.<incarnation>`."""

import re
from hashlib import sha256

from django.http import HttpRequest
from django.utils.translation import gettext as _

from sessions_app import jsontext
from sessions_app.engine import Fault, Head, InvalidInput, SessionRecord

_TAG = re.compile(r"([0-9]{1,18})\.([0-9]{1,18})\.([0-9a-f]{1,16})", re.ASCII)


def tag_of(head: Head) -> str:
    return f"{head.next_msg_seq}.{head.context_compression_version}.{head.incarnation}"


def drawn_from(record: SessionRecord) -> str:
    """What a form knows of a session beside its head: what it is called, and whether its windows are kept. None of it
    moves a head.
    """
    told = [record.title, list(record.labels), record.state.keep_context_history]
    return sha256(jsontext.dumps(told).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def check_drawn(request: HttpRequest, record: SessionRecord) -> None:
    """Raises SettingsMoved where they are others now. A form that says nothing of them is taken at its word."""
    if request.POST.get("drawn", drawn_from(record)) != drawn_from(record):
        raise SettingsMoved


class SettingsMoved(Exception):
    """Title, labels or history of the session were changed after the form was drawn."""

    def __str__(self) -> str:
        return _("Its title, its labels or the history of its windows were changed by another meanwhile.")


def head_from(request: HttpRequest, session_id: str) -> Head:
    """The head in the form that was sent. Raises InvalidInput: no control of ours acts without one."""
    found = _TAG.fullmatch(request.POST.get("head", ""))
    if found is None:
        raise InvalidInput([Fault("/head", _("is missing or is none: reload the page and try again"))])
    return Head(session_id, int(found[1]), int(found[2]), found[3])
