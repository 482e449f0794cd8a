"""What becomes of a frame under a version of the window: the words, and how a message's kind leads to them."""

from typing import Literal

from sessions_app.engine.window import ContextItem, Kind

Fate = Literal["kept", "edited", "summarised", "dropped"]
FATES: tuple[Fate, ...] = ("kept", "edited", "summarised", "dropped")
_FATE_OF_KIND: dict[Kind, Fate] = {"original": "kept", "edited": "edited", "summary": "summarised"}


def fate_of(item: ContextItem) -> Fate:
    return _FATE_OF_KIND[item.kind]


def fate_of_kind(kind: str) -> Fate:
    return _FATE_OF_KIND[kind]  # type: ignore[index]
