"""Images that a message holds as base64. What one is, its bytes say, and not the message."""

import base64
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from inspector.presenters.parts import held_images
from inspector.presenters.readable import NO_MESSAGE
from inspector.presenters.shown import size_text, text
from sessions_app import engine

LARGEST: Final = 20 * 1024 * 1024
"""Bytes of an image that is served."""

_PEEK: Final = 32  # characters, whole groups of four
_SIGNATURES: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


class NoImage(Exception):
    """Why there is none to show, for people."""


@dataclass(frozen=True, slots=True)
class ShownImage:
    """`number`: its place among the message's images, from 1. `why_not`: why it cannot be shown, or empty."""

    number: int
    kind: str
    note: str
    why_not: str


def shown_images(message: engine.Message) -> tuple[ShownImage, ...]:
    return tuple(_shown(n, held.kind, held.media_type, held.data) for n, held in enumerate(held_images(message), 1))


def image_of(message: engine.Message, number: int) -> tuple[bytes, str]:
    """The bytes of an image and their real media type. Raises NoImage."""
    try:
        held = held_images(message)
    except NO_MESSAGE:
        held = ()
    if number > len(held):
        raise NoImage(_("The message holds no such image."))
    data = held[number - 1].data
    if why_not := _why_not(data):
        raise NoImage(why_not)
    try:
        decoded = base64.b64decode("".join(data.split()), validate=True)
    except ValueError as error:
        raise NoImage(_("It is no base64.")) from error
    return decoded, media_type_of(decoded)


def media_type_of(beginning: bytes) -> str:
    """Empty for what is none of the four that a browser shows as a picture and nothing else."""
    if beginning[:4] == b"RIFF" and beginning[8:12] == b"WEBP":
        return "image/webp"
    return next((media_type for signature, media_type in _SIGNATURES if beginning.startswith(signature)), "")


def _shown(number: int, kind: str, declared: str, data: str) -> ShownImage:
    real, size = media_type_of(_beginning(data)), size_text(_size(data))
    if not real:
        note = _("%(size)s, said to be %(kind)s") % {"size": size, "kind": text(declared, limit=60) or _("an image")}
    elif declared in ("", real):
        note = f"{real}, {size}"
    else:
        note = _("%(real)s, %(size)s, though said to be %(kind)s")
        note %= {"real": real, "size": size, "kind": text(declared, limit=60)}
    return ShownImage(number, kind, note, _why_not(data))


def _why_not(data: str) -> str:
    if _size(data) > LARGEST:
        return _("It is larger than %(size)s.") % {"size": size_text(LARGEST)}
    if not media_type_of(_beginning(data)):
        return _("Its bytes are no PNG, JPEG, GIF or WebP.")
    return ""


def _beginning(data: str) -> bytes:
    try:
        return base64.b64decode("".join(data[: 4 * _PEEK].split())[:_PEEK], validate=True)
    except ValueError:
        return b""


def _size(data: str) -> int:
    return len(data) * 3 // 4 - data[-2:].count("=")
