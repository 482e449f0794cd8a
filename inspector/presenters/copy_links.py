"""Where a copy comes from: frames, a window, or one message of a window, as JSON, Markdown or curl."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _


@dataclass(frozen=True, slots=True)
class CopyLinks:
    """Three addresses, and what is copied, in words."""

    json: str
    markdown: str
    curl: str
    text: str


def copy_of_frames(session_id: str, first: int, last: int) -> CopyLinks:
    """The frames `first` to `last`, both included."""
    if first == last:
        return _links(session_id, _("frame %(n)s") % {"n": first}, frames=first)
    text = _("frames %(a)s–%(b)s") % {"a": first, "b": last}
    return _links(session_id, text, frames=f"{first}-{last}")


def copy_of_window(session_id: str, version: int | None = None, at_seq: int | None = None) -> CopyLinks:
    """The whole window as it is sent to a model: the current one, that of a version, or the one that frame `at_seq`
    was written under.
    """
    if at_seq is not None:
        return _links(session_id, _("what the model saw before #%(n)s") % {"n": at_seq}, at_seq=at_seq)
    text = _("the window") if version is None else _("the window v%(n)s") % {"n": version}
    return _links(session_id, text, version=version)


def copy_of_message(session_id: str, version: int, position: int, at_seq: int | None = None) -> CopyLinks:
    """One message of a window, as it is stored."""
    text = _("message C%(n)s of v%(v)s") % {"n": position, "v": version}
    return _links(session_id, text, version=version, at_seq=at_seq, positions=position)


def _links(session_id: str, text: str, **asked: int | str | None) -> CopyLinks:
    given = {name: value for name, value in asked.items() if value is not None}
    path = reverse("copy", args=[session_id])
    json, markdown, curl = (f"{path}?{urlencode({**given, 'as': form})}" for form in ("json", "markdown", "curl"))
    return CopyLinks(json, markdown, curl, text)
