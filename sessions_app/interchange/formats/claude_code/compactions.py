"""What the boundary of a compaction in Claude Code says of it."""

import re
from dataclasses import dataclass
from typing import Any

from sessions_app.interchange.formats.claude_code.kinds import is_hollow, text_of


@dataclass(frozen=True, slots=True)
class Preserved:
    """What a compaction says that it kept: a stretch of the chain, or the rows by name."""

    head: str
    tail: str
    uuids: tuple[str, ...]


NOTHING = Preserved("", "", ())


def preserved_by(boundary: dict[str, Any]) -> Preserved:
    about = _about(boundary)
    segment = _member(about, "preservedSegment", "preserved_segment")
    uuids = _member(about, "preservedMessages", "preserved_messages").get("uuids")
    return Preserved(
        head=text_of(segment.get("headUuid") or segment.get("head_uuid")),
        tail=text_of(segment.get("tailUuid") or segment.get("tail_uuid")),
        uuids=tuple(u for u in uuids if isinstance(u, str)) if isinstance(uuids, list) else (),
    )


def params_of(boundary: dict[str, Any]) -> dict[str, Any]:
    """What a boundary says of its compaction, but for what it kept, which the window shows."""
    about = {_with_underscores(name): value for name, value in _about(boundary).items()}
    return {
        name: value
        for name, value in about.items()
        if name not in ("preserved_segment", "preserved_messages") and not is_hollow(value)
    }


def _with_underscores(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


def _about(boundary: dict[str, Any]) -> dict[str, Any]:
    """The live stream spells it with underscores."""
    return _member(boundary, "compactMetadata", "compact_metadata")


def _member(value: dict[str, Any], *names: str) -> dict[str, Any]:
    return next((value[name] for name in names if isinstance(value.get(name), dict)), {})
