"""What can be read off the beginning of a stored message: enough for a row of a list, whatever the message's size.

Only for showing. Inside a JSON string each quote is escaped, so that the pattern below finds members, and no text that
looks like them.
"""

import json
import re
from typing import Final

from sessions_app import jsontext
from sessions_app.engine.errors import DamagedMessage
from sessions_app.engine.messages import Call, Message

LENGTH: Final = 2_000
"""Characters of a stored message that a row reads."""

_STRING = r'"((?:[^"\\]|\\.)*)'
_CALL = re.compile(rf'"(?:function|custom)":\{{(?:"name":{_STRING}",)?"(?:arguments|input)":{_STRING}', re.DOTALL)
_PART = re.compile(rf'"content":\[\{{"type":{_STRING}"', re.DOTALL)
_CUT_ESCAPE = re.compile(r"\\u[0-9a-fA-F]{0,3}\Z")


def calls_in(beginning: str) -> tuple[Call, ...] | None:
    """The calls of an assistant message that begin here; the arguments of the last may be cut.

    None: this is the beginning of no message that the engine stored. One that goes on is judged by how it starts.
    """
    if len(beginning) >= LENGTH:
        if not beginning.startswith('{"'):
            return None
        return tuple(Call(id="", name=_text(m[1] or ""), arguments=_text(m[2])) for m in _CALL.finditer(beginning))
    message = Message(beginning)
    try:
        return None if message.is_damaged else message.calls
    except (DamagedMessage, KeyError, TypeError, AttributeError):  # JSON, but none that the engine lets in
        return None


def first_part_in(beginning: str) -> str:
    """The type of the first part of the content; empty where the content is no list of parts."""
    found = _PART.search(beginning)
    return _text(found[1]) if found else ""


def has_reasoning_in(beginning: str) -> bool:
    return '"reasoning_content":"' in beginning


def _text(escaped: str) -> str:
    """A JSON string that may have been cut within an escape."""
    try:
        return jsontext.unescape(_CUT_ESCAPE.sub("", escaped))
    except json.JSONDecodeError:
        return escaped
