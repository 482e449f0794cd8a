"""What a message holds besides its text: reasoning, blocks that only the provider can read, images, documents."""

from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from inspector.presenters.shown import Number, size_text, text
from sessions_app import engine, jsontext

ADDRESS: Final = 400
PARTS: Final = 200


@dataclass(frozen=True, slots=True)
class Part:
    """One line: its kind in the format's own word, what it is, and an address or a name in it."""

    kind: str
    note: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class HeldImage:
    """An image as base64 in the message. `media_type`: what the message says it is, or empty."""

    kind: str
    media_type: str
    data: str


def other_parts(message: engine.Message) -> tuple[Part, ...]:
    """The parts of the content that are no text."""
    return tuple(_part(p) for p in _content(message) if not _is_text(p))[:PARTS]


def parts_but_images(message: engine.Message) -> tuple[Part, ...]:
    return tuple(_part(p) for p in _content(message) if not _is_text(p) and _held_image(p) is None)[:PARTS]


def held_images(message: engine.Message) -> tuple[HeldImage, ...]:
    return tuple(held for p in _content(message) if (held := _held_image(p)) is not None)[:PARTS]


def reasoning_text(message: engine.Message) -> str:
    told = message.data.get("reasoning_content")
    return told if isinstance(told, str) else ""


def reasoning_blocks(message: engine.Message) -> tuple[Part, ...]:
    """The original blocks, of which a person reads no more than their kind and size."""
    blocks = message.data.get("reasoning_details")
    return tuple(_part(b) for b in blocks)[:PARTS] if isinstance(blocks, list) else ()


def instead_of_text(first_part: str, *, has_reasoning: bool) -> str:
    """What a row says of a message without text and calls."""
    if "image" in first_part:
        return _("an image")
    if first_part not in ("", "text"):
        return text(first_part, limit=60)
    return _("reasoning only") if has_reasoning else _("no text")


def _content(message: engine.Message) -> list[Any]:
    content = message.data.get("content")
    return content if isinstance(content, list) else []


def _held_image(part: Any) -> HeldImage | None:
    """`image_url` with a data: address, or a `source` with base64, as the providers have them."""
    if not isinstance(part, dict):
        return None
    kind, address, source = text(str(part.get("type") or ""), limit=60), _address(part), part.get("source")
    if address is not None:
        head, comma, data = address.partition(",")
        if not (comma and head.startswith("data:") and head.endswith(";base64")):
            return None
        return HeldImage(kind, head.removeprefix("data:").partition(";")[0].lower(), data)
    if not isinstance(source, dict) or not isinstance(source.get("data"), str):
        return None
    media_type = str(source.get("media_type") or "").lower()
    is_image = "image" in kind or media_type.startswith("image/")
    return HeldImage(kind, media_type, source["data"]) if is_image else None


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str)


def _part(part: Any) -> Part:
    if not isinstance(part, dict):
        return Part(_("other"), _characters(part))
    kind = text(str(part.get("type") or _("other")), limit=60)
    if (address := _address(part)) is not None:
        if address.startswith("data:"):
            head, _comma, data = address.partition(",")
            media_type = head.removeprefix("data:").partition(";")[0]
            return Part(kind, _held(media_type, len(data) * 3 // 4 if head.endswith(";base64") else len(data)))
        return Part(kind, _("at an address"), text(address, limit=ADDRESS))
    source = part.get("source")
    if isinstance(source, dict) and isinstance(source.get("data"), str):
        return Part(kind, _held(str(source.get("media_type") or ""), len(source["data"]) * 3 // 4))
    for word, members in _SEALED:
        sealed = next((part[m] for m in members if isinstance(part.get(m), str) and part[m]), None)
        if sealed is not None:
            return Part(kind, _("%(how)s, %(n)s characters") % {"how": word, "n": Number.of(len(sealed)).short})
    return Part(kind, _characters(part))


# Whose data is not named otherwise is a redacted or encrypted block's.
_SEALED: Final = (
    (gettext_lazy("encrypted"), ("encrypted_content",)),
    (gettext_lazy("signed"), ("signature", "thoughtSignature", "thought_signature")),
    (gettext_lazy("sealed"), ("data",)),
)


def _address(part: dict[str, Any]) -> str | None:
    image = part.get("image_url")
    found = image.get("url") if isinstance(image, dict) else image
    return found if isinstance(found, str) else None


def _held(media_type: str, size: int) -> str:
    kind = text(media_type, limit=60) or _("data")
    return _("%(kind)s, %(size)s, held in the message") % {"kind": kind, "size": size_text(size)}


def _characters(value: Any) -> str:
    return _("%(n)s characters of JSON") % {"n": Number.of(len(jsontext.dumps(value))).short}
