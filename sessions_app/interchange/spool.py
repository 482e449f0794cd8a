"""The steps of one session on their way from the file to the database: on disk when they are many.

The file is read once, before the transaction; the transaction reads from here, more than once if it must.
"""

import hashlib
import json
from collections.abc import Hashable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import islice
from tempfile import SpooledTemporaryFile
from typing import Any

from sessions_app import jsontext
from sessions_app.engine import (
    ImportedCompaction,
    ImportedMessage,
    ImportStep,
    InvalidMessages,
    Message,
    parse_messages,
)
from sessions_app.interchange.call_ids import CallIds
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import SUMMARY, Compacted, Said, Transcript

_IN_MEMORY = 8 * 1024 * 1024
_TITLE = 80


class Spool:
    """Takes a transcript's steps, checks and counts them, and gives them as often as asked for.

    `content` is the hash of the messages and compactions; `first_request` the start of what the user said first;
    `records[n]` the records of message n, from 0; `compactions[n]` those of compaction n.
    """

    def __init__(self, transcript: Transcript, tally: Tally, *, file: str = "") -> None:
        self._transcript, self._name = transcript, file
        self.messages = 0
        self.records: list[tuple[int, ...]] = []
        self.compactions: list[tuple[int, ...]] = []
        self.first_request = ""
        self._first_time: datetime | None = None
        self._file = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - lives as long as the spool
        self._hash = hashlib.sha256()
        self._ids = CallIds()
        self._named: dict[Hashable, list[int]] = {}
        self._forgotten: set[int] = set()
        for step in transcript.steps:
            self._first_time = self._first_time or step.at
            if isinstance(step, Said):
                self._say(step, tally)
            else:
                self._compact(step, tally)

    @property
    def content(self) -> str:
        return self._hash.hexdigest()

    def beginning(self, steps: int) -> str:
        """The hash of the first steps: the same for a file that goes on from there."""
        self._file.seek(0)
        digest = hashlib.sha256()
        for line in islice(self._file, steps):
            kind, text, _about, _at, *rest = json.loads(line)
            digest.update(f"{kind}{text}{(rest[0], rest[2]) if kind == 'compaction' else ''}\n".encode())
        return digest.hexdigest()

    def steps(self) -> Iterator[ImportStep]:
        """A step without a time of its own has that of the one before it; the first ones, the first time there is."""
        self._file.seek(0)
        at, origin = self._first_time, self._origin
        for line in self._file:
            step = _step(json.loads(line))
            at = step.at or at
            if origin and isinstance(step, ImportedMessage):
                # Known at the end of the file only: it stands with the first message.
                step, origin = replace(step, metadata={**step.metadata, **origin}), {}
            yield step if step.at == at else replace(step, at=at)

    @property
    def _origin(self) -> dict[str, str]:
        """By what its owner knows the session: the file's own id of it, and the file."""
        names = {"session": self._transcript.native_id, "file": jsontext.printable(self._name)}
        return {member: name for member, name in names.items() if name}

    def close(self) -> None:
        self._file.close()

    def _say(self, said: Said, tally: Tally) -> None:
        try:
            (message,) = parse_messages([self._ids.complete(said.message)], pointer="")
        except InvalidMessages as e:
            fault = e.faults[0]
            why = f"is not valid: {fault.pointer.removeprefix('/0')} {fault.detail}"
            tally.skip("message", why, said.records[0])
            for record in said.records[1:]:
                tally.skip("message", why, record, count=0)
            return
        for name in said.names:
            self._named.setdefault(name, []).append(self.messages)
        self.messages += 1
        self.records.append(said.records)
        tally.use(said.records)
        self._hash.update(message.text.encode() + b"\n")
        if not self.first_request and message.role == "user":
            self.first_request = title_of(message.body)
        metadata = {"record": said.records[0] if len(said.records) == 1 else list(said.records), **said.metadata}
        if said.at is not None:
            metadata["time"] = said.at.isoformat()
        self._write("message", message.text, metadata, said.at, message.count_tokens())

    def _compact(self, step: Compacted, tally: Tally) -> None:
        summary = self._summary(step, tally)
        if step.keeps is not None:
            keeps = {n for name in step.keeps for n in self._named.get(name, ())}
        else:
            # What an earlier compaction forgot stays forgotten.
            self._forgotten.update(n for name in step.forgets or () for n in self._named.get(name, ()))
            keeps = set(range(self.messages)) - self._forgotten
        order = self._order(step)
        self._hash.update(f"{sorted(keeps)}{order}{summary}".encode() + b"\n")
        self.compactions.append(step.records)
        tally.use(step.records)
        self._write("compaction", summary, step.params, step.at, sorted(keeps), step.usage, order)

    def _order(self, step: Compacted) -> list[int | None]:
        order: list[int | None] = []
        for name in step.order:
            order += (None,) if name is SUMMARY else self._named.get(name, ())
        return order

    def _summary(self, step: Compacted, tally: Tally) -> str | None:
        if step.summary is None:
            return None
        try:
            (summary,) = parse_messages([step.summary], pointer="")
        except InvalidMessages as e:
            tally.skip("summary", f"is not valid: {e.faults[0].detail}", step.records[0] if step.records else None)
            return None
        return summary.text if summary.body.strip() or not isinstance(summary.data.get("content"), str) else None

    def _write(self, *values: Any) -> None:
        line = json.dumps(values, default=datetime.isoformat)
        self._file.write(line.encode() + b"\n")


def _step(values: list[Any]) -> ImportStep:
    kind, text, about, at, *rest = values
    time = None if at is None else datetime.fromisoformat(at)
    if kind == "message":
        return ImportedMessage(Message.counted(text, tokens=rest[0]), about, time)
    keeps, usage, order = rest
    summary = None if text is None else Message(text)
    return ImportedCompaction(frozenset(keeps), summary, about, usage, time, tuple(order))


def title_of(text: str, *, length: int = _TITLE) -> str:
    """The first line that says something, shortened."""
    line = next((line.strip() for line in jsontext.printable(text[:4000]).splitlines() if line.strip()), "")
    return line if len(line) <= length else line[: length - 1] + "…"
