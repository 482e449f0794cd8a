"""Whether a path or a number that a summary gives stands anywhere in the raw frames, however it is written there."""

import re
from collections.abc import Iterable
from functools import cached_property

from sessions_app.compression.measures.readable import pieces
from sessions_app.compression.measures.words import Entity

_DIGITS = re.compile(r"\d+(?:\.\d+)*")


class RawWords:
    """`named`: the entities of all frames; `texts`: their texts, read only if a number is in none of the entities."""

    def __init__(self, named: frozenset[Entity], texts: Iterable[str]) -> None:
        self._named = named
        self._texts = texts

    def has(self, entity: Entity) -> bool:
        """A path also where it is the end or a directory of a longer one; a number also within another word."""
        kind, text = entity
        if entity in self._named:
            return True
        if kind == "path":
            return text.strip("/") in self._parts_of_paths
        return text in self._numbers or text.replace("-", "/") in self._parts_of_paths

    @cached_property
    def _parts_of_paths(self) -> frozenset[str]:
        parts: set[str] = set()
        for kind, path in self._named:
            if kind in ("path", "url"):
                segments = path.strip("/").split("/")[:40]
                for cut in range(len(segments)):
                    parts.add("/".join(segments[cut:]))
                    parts.add("/".join(segments[: cut + 1]))
        return frozenset(parts)

    @cached_property
    def _numbers(self) -> frozenset[str]:
        numbers: set[str] = set()
        for text in self._texts:
            for piece in pieces(text):
                for run in _DIGITS.findall(piece.replace(",", "") if "," in piece else piece):
                    numbers.add(run)
                numbers.update(re.findall(r"\d+", piece))
        return frozenset(numbers)
