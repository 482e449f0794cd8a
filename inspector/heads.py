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


def drawn_from(record: SessionRecord, control: str) -> str:
    """What the outcome of a control depends on beside the head, as its form was drawn; empty where on nothing. None of
    it moves a head.
    """
    match control:
        case "rename":
            told = [record.title, *record.labels]
        case "compress" | "restore" | "history":
            told = ["kept" if record.state.keep_context_history else "not kept"]
        case "policy":
            told = [record.state.compression_policy]
        case _:
            return ""
    return sha256(jsontext.dumps(told).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def check_drawn(request: HttpRequest, record: SessionRecord, control: str) -> None:
    """Raises SettingsMoved where it is otherwise now. A form that says nothing of it is taken at its word."""
    now = drawn_from(record, control)
    if request.POST.get("drawn", now) != now:
        raise SettingsMoved


class SettingsMoved(Exception):
    """The title and labels of the session, its policy, or whether its windows are kept, changed after the form was
    drawn.
    """

    def __str__(self) -> str:
        return _("Its title, its labels, its policy or the history of its windows was changed by another meanwhile.")


def head_from(request: HttpRequest, session_id: str) -> Head:
    """The head in the form that was sent. Raises InvalidInput: no control of ours acts without one."""
    found = _TAG.fullmatch(request.POST.get("head", ""))
    if found is None:
        raise InvalidInput([Fault("/head", _("is missing or is none: reload the page and try again"))])
    return Head(session_id, int(found[1]), int(found[2]), found[3])
