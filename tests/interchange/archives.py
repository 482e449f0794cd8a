"""Zip archives for tests, sound ones and such as nobody should trust."""

import io
import warnings
import zipfile
from collections.abc import Mapping
from typing import Any

from sessions_app.interchange.source import Source
from tests.interchange.samples import of


def archive(
    members: Mapping[str, bytes | str] | list[tuple[str, bytes | str]], method: int = zipfile.ZIP_DEFLATED
) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as zipped, warnings.catch_warnings(action="ignore", category=UserWarning):
        for name, content in members.items() if isinstance(members, Mapping) else members:
            zipped.writestr(name, content)
    return file.getvalue()


def zipped(members: Any, **options: Any) -> Source:
    return of(archive(members, **options), name="log.eval")


def patched(content: bytes, *, of_entry: int = 0, **values: tuple[int, bytes]) -> bytes:
    """With bytes of a directory entry replaced, each by (offset in the entry, new bytes)."""
    start = -1
    for _ in range(of_entry + 1):
        start = content.index(b"PK\x01\x02", start + 1)
    changed = bytearray(content)
    for offset, new in values.values():
        changed[start + offset : start + offset + len(new)] = new
    return bytes(changed)
