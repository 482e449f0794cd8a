"""The rows of a Claude Code file: a small index of them all, and each read again when its turn comes.

A file may be far larger than memory: what is kept of a row is who it is, whom it follows, and where it stands.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from tempfile import SpooledTemporaryFile
from typing import Any

from sessions_app.interchange.formats.claude_code.compactions import Preserved, preserved_by
from sessions_app.interchange.formats.claude_code.kinds import (
    UNSEEN,
    Kind,
    agent_of,
    calls_in,
    kind_of,
    mark_of,
    results_in,
    session_of,
    text_of,
)
from sessions_app.interchange.formats.claude_code.titles import Title, title_in
from sessions_app.interchange.jsonreading import Document, Record, json_lines, line_at
from sessions_app.interchange.sniff import Sniff
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import Tally

_IN_MEMORY = 8 * 1024 * 1024


@dataclass(slots=True)
class Row:
    """One row, without what it says. `index`: its place among the rows; `place`: where its bytes are.

    `lane`: "" for the conversation itself, else the side chain's agent. `is_prompt`: whether somebody asked it, which
    begins a turn; `is_notice`: whether it is one of the program's. `calls`: the ids of the tool calls it makes;
    `answers`: those it answers; `serves`: the one it was added for. `mark`: equal for rows that say the same.
    """

    index: int
    number: int
    place: tuple[int, int]
    kind: Kind
    uuid: str
    parent: str
    logical_parent: str
    is_linked: bool
    lane: str
    is_sidechain: bool
    agent: str
    session: str
    time: str
    is_prompt: bool
    is_notice: bool
    message_id: str
    request: str
    calls: tuple[str, ...]
    answers: tuple[str, ...]
    serves: str
    mark: int
    follows_damage: int
    """The number of the last line before this one that could not be read; 0: none."""


@dataclass(slots=True)
class Rows:
    """The index of a file."""

    source: Source
    rows: list[Row] = field(default_factory=list)
    preserved: dict[int, Preserved] = field(default_factory=dict)
    titles: list[Title] = field(default_factory=list)
    _file: SpooledTemporaryFile[bytes] | None = None

    def value(self, row: Row) -> dict[str, Any]:
        value: dict[str, Any] = line_at(self.source, *row.place)
        return value

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def index(source: Source, sniff: Sniff, tally: Tally) -> Rows:
    """The first pass: every row is indexed, or named in the tally."""
    if _is_one_document(sniff):
        # Its elements are written down as lines, so that they too can be read one at a time.
        file = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - lives as long as the rows
        document = Document(source, tally, lists={"", "loglines"})
        records = _as_lines(document.records(), file)
        rows = Rows(source, _file=file)
        _index(records, rows, tally)
        rows.source = Source(file)  # type: ignore[arg-type]
        return rows
    rows = Rows(source)
    _index(json_lines(source, tally), rows, tally)
    return rows


def _is_one_document(sniff: Sniff) -> bool:
    """A file of one line looks like a document, too."""
    return sniff.shape == "array" or isinstance(sniff.members.get("loglines"), list)


def _as_lines(records: Iterator[Record], file: SpooledTemporaryFile[bytes]) -> Iterator[Record]:
    start = 0
    for record in records:
        line = json.dumps(record.value).encode() + b"\n"
        file.write(line)
        yield Record(record.number, record.value, start=start, length=len(line))
        start += len(line)


def _index(records: Iterator[Record], rows: Rows, tally: Tally) -> None:
    damaged = last = 0
    names: dict[str, str] = {}
    for record in records:
        damaged = max((n for n in range(last + 1, record.number) if n in tally.read), default=damaged)
        last = record.number
        if not isinstance(record.value, dict):
            tally.skip("line", "is no object", record.number)
            continue
        row = _row(record, len(rows.rows), damaged, names)
        kind = kind_of(record.value)
        row.kind = kind.kind
        title = title_in(record.value, record.number) if kind.kind == UNSEEN else None
        if title is not None:
            rows.titles.append(title)
        elif kind.kind == UNSEEN:
            tally.skip(kind.what, kind.why, record.number)
        if kind.kind != UNSEEN or row.uuid:
            rows.rows.append(row)
        if kind.kind == "boundary":
            rows.preserved[row.index] = preserved_by(record.value)


def _row(record: Record, index: int, damaged: int, names: dict[str, str]) -> Row:
    """`names` holds each name once, however many rows bear it."""

    def name(value: Any) -> str:
        return names.setdefault(value, value) if isinstance(value, str) else ""

    value = record.value
    message = value.get("message")
    message = message if isinstance(message, dict) else {}
    type_, agent = value.get("type"), name(agent_of(value))
    is_sidechain = value.get("isSidechain") is True or bool(value.get("parent_tool_use_id"))
    return Row(
        index=index,
        number=record.number,
        place=(record.start, record.length),
        kind=UNSEEN,
        uuid=name(value.get("uuid")),
        parent=name(value.get("parentUuid")),
        logical_parent=name(value.get("logicalParentUuid")),
        is_linked="parentUuid" in value,
        lane=name(f"agent {agent}") if is_sidechain else "",
        is_sidechain=is_sidechain,
        agent=agent,
        session=name(session_of(value)),
        time=text_of(value.get("timestamp")),
        is_prompt=type_ == "user" and value.get("isMeta") is not True and not results_in(message),
        is_notice=type_ == "system",
        message_id=name(message.get("id")) if type_ == "assistant" else "",
        request=name(value.get("requestId")),
        calls=tuple(map(name, calls_in(message))) if type_ == "assistant" else (),
        answers=tuple(map(name, results_in(message))) if type_ == "user" else (),
        serves=name(value.get("sourceToolUseID")) if value.get("isMeta") is True else "",
        mark=mark_of(message),
        follows_damage=damaged,
    )
