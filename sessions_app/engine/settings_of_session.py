"""What a session may be called and set to. Checked on creation and on change alike."""

from collections.abc import Sequence
from typing import Final

from sessions_app import jsontext
from sessions_app.engine.errors import Fault, InvalidInput

MAX_TITLE = 200
MAX_LABELS = 20
MAX_LABEL = 50

_NO_POLICY: Final = "must be the JSON text of an object, as compression.parse_policy() gives it, or empty"


def check_title(title: str) -> None:
    """Raises InvalidInput."""
    if len(title) > MAX_TITLE:
        raise InvalidInput([Fault("/title", f"is longer than {MAX_TITLE} characters")])
    check_storable(title, "/title")


def check_labels(labels: Sequence[str]) -> None:
    """Raises InvalidInput."""
    if len(labels) > MAX_LABELS:
        raise InvalidInput([Fault("/labels", f"has more than {MAX_LABELS} labels")])
    for i, label in enumerate(labels):
        if not 1 <= len(label) <= MAX_LABEL:
            raise InvalidInput([Fault(f"/labels/{i}", f"must have 1 to {MAX_LABEL} characters")])
        if label in labels[:i]:
            raise InvalidInput([Fault(f"/labels/{i}", "stands twice")])
        check_storable(label, f"/labels/{i}")


def check_policy(text: str) -> None:
    """That it can be read back: every list of sessions reads it. What it says is checked above the engine.

    Raises InvalidInput.
    """
    if text == "":
        return
    try:
        stored = jsontext.loads(text) if isinstance(text, str) else None
    except jsontext.MalformedJSON:
        stored = None
    if not isinstance(stored, dict):
        raise InvalidInput([Fault("/compression_policy", _NO_POLICY)])
    check_storable(text, "/compression_policy")


def check_storable(text: str, pointer: str) -> None:
    """Names are kept as plain text, which holds neither NUL nor lone surrogates. Raises InvalidInput."""
    if jsontext.printable(text) != text:
        raise InvalidInput([Fault(pointer, "holds NUL or a lone surrogate")])
