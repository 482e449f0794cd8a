"""One bundle of a file on its way to the database: checked line by line, on disk when it is long.

The file is read once, before the transaction; the transaction reads from here.
"""

import hashlib
import json
from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import Any, Final

from pydantic import ValidationError

from sessions_app import jsontext
from sessions_app.engine import Copy, InvalidInput, Message, Part, parse_messages
from sessions_app.interchange.bundle_lines import part_line, read_part, read_session, session_line
from sessions_app.interchange.bundle_shapes import FORMAT, LINES, VERSION
from sessions_app.interchange.record_numbers import RecordNumbers
from sessions_app.interchange.tally import Tally

_IN_MEMORY: Final = 8 * 1024 * 1024


class BundleDamaged(Exception):
    """What is wrong with a line, as a clause."""


class CopySpool:
    """Takes the lines of one bundle. It is whole or not: after the first fault nothing more of it is kept.

    `copy` may be asked for once `is_whole` has said so; `content` is the hash of all but the session's id.
    """

    copy: Copy

    def __init__(self, first_record: int) -> None:
        self.first_record = first_record
        self.records = RecordNumbers()
        self._fault = ""
        self._counts = dict.fromkeys(LINES, 0)
        self._file = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - lives as long as the spool
        self._hash = hashlib.sha256()

    @property
    def content(self) -> str:
        return self._hash.hexdigest()

    def take(self, number: int, value: Any) -> None:
        """`value`: that of the line, or why it has none."""
        self.records.add(number)
        if self._fault:
            return
        try:
            if isinstance(value, BundleDamaged):
                raise value
            self._take(_shaped(value))
        except BundleDamaged as e:
            self._fault = f"line {number} {e}"

    def is_whole(self) -> bool:
        """Asked at its end."""
        if not self._fault:
            frames, versions = self.copy.next_msg_seq - 1, self.copy.context_compression_version
            found = (self._counts["frame"], self._counts["version"])
            if found != (frames, versions):
                self._fault = f"{found[0]} of its {frames} frames and {found[1]} of its {versions} versions are there"
        return not self._fault

    def refuse(self, tally: Tally, why: str = "") -> None:
        """Name it and every line of it: nothing of it is stored."""
        tally.skip("bundle", why or self._fault, self.first_record)
        for number in self.records:
            if number != self.first_record:
                tally.skip("line", "belongs to a bundle that is not stored", number)

    def lines(self) -> Iterator[str]:
        """What follows the first line, as an export writes it."""
        return (text for _, text in self._counted_lines())

    def close(self) -> None:
        self._file.close()

    def _take(self, values: dict[str, Any]) -> None:
        kind = values["type"]
        self._counts[kind] += 1
        if kind == "session":
            try:
                self.copy = read_session(values, self._parts)
            except InvalidInput as e:
                raise BundleDamaged(f"is not valid: {e}") from e
            self._hash.update(session_line(self.copy, session_id="").encode())
            return
        message = _message(values)
        line = part_line(read_part(values, message)).encode()
        self._hash.update(b"\n" + line)
        self._file.write(b"%d %s\n" % (message.count_tokens() if message else 0, line))

    def _parts(self) -> Iterator[Part]:
        for tokens, line in self._counted_lines():
            values = json.loads(line)
            text = jsontext.dumps(values["message"]) if "message" in values else None
            yield read_part(values, None if text is None else Message.counted(text, tokens=tokens))

    def _counted_lines(self) -> Iterator[tuple[int, str]]:
        self._file.seek(0)
        for raw in self._file:
            tokens, _, line = raw.rstrip(b"\n").decode().partition(" ")
            yield int(tokens), line


def _shaped(value: Any) -> dict[str, Any]:
    """Raises BundleDamaged unless the value has the shape of its type."""
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(kind, str) or kind not in LINES:
        raise BundleDamaged(f"is none of the lines of a bundle: {', '.join(LINES)}")
    if kind == "session" and (value.get("format"), value.get("bundle_version")) != (FORMAT, VERSION):
        raise BundleDamaged(f"says that this is no {FORMAT} of version {VERSION}, which is the one that can be read")
    try:
        LINES[kind].model_validate(value)
    except ValidationError as e:
        error = e.errors(include_url=False, include_input=False)[0]
        at = "".join(f"/{part}" for part in error["loc"])
        raise BundleDamaged(f"is not valid: {at} {error['msg']}".removesuffix(" ")) from e
    return value


def _message(values: dict[str, Any]) -> Message | None:
    if "message" not in values:
        return None
    try:
        (message,) = parse_messages([values["message"]], pointer="")
    except InvalidInput as e:
        fault = e.faults[0]
        raise BundleDamaged(f"is not valid: /message{fault.pointer.removeprefix('/0')} {fault.detail}") from e
    return message
