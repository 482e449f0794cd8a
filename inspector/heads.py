"""The head that a form was drawn from, as the hidden field carries it: `<next>.<version>.<incarnation>`."""

import re

from django.http import HttpRequest
from django.utils.translation import gettext as _

from sessions_app.engine import Fault, Head, InvalidInput

_TAG = re.compile(r"([0-9]{1,18})\.([0-9]{1,18})\.([0-9a-f]{1,16})", re.ASCII)


def tag_of(head: Head) -> str:
    return f"{head.next_msg_seq}.{head.context_compression_version}.{head.incarnation}"


def head_from(request: HttpRequest, session_id: str) -> Head:
    """The head in the form that was sent. Raises InvalidInput: no control of ours acts without one."""
    found = _TAG.fullmatch(request.POST.get("head", ""))
    if found is None:
        raise InvalidInput([Fault("/head", _("is missing or is none: reload the page and try again"))])
    return Head(session_id, int(found[1]), int(found[2]), found[3])
