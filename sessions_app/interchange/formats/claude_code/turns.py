"""The nodes of a chain as the steps of a session: messages in the engine's form, and compactions."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from sessions_app.interchange.formats.anthropic_messages.blocks import assistant_message, blocks_of, user_messages
from sessions_app.interchange.formats.claude_code.chains import Chain
from sessions_app.interchange.formats.claude_code.compactions import params_of
from sessions_app.interchange.formats.claude_code.copies import Links
from sessions_app.interchange.formats.claude_code.forest import Node
from sessions_app.interchange.formats.claude_code.kinds import content_of
from sessions_app.interchange.formats.claude_code.metadata import Extras, response_metadata
from sessions_app.interchange.formats.claude_code.rows import Row, Rows
from sessions_app.interchange.spool import title_of
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.times import parse_time
from sessions_app.interchange.transcript import Compacted, Said, Step

_SENT_BY_PROGRAM = re.compile(r"\s*(<[a-z-]+>|Caveat: |\[Request interrupted)")
"""How texts begin that stand in the user's place and are not the user's own."""
_COMMAND = re.compile(r"<command-name>(/?[^<]{1,100})")
_ARGUMENTS = re.compile(r"<command-args>([^<]+)")

Value = dict[str, Any]


class Turns:
    """Reads a chain's rows, one message at a time. `title`: what the user asked first, else the first bare command."""

    def __init__(self, chain: Chain, links: Links, rows: Rows, tally: Tally) -> None:
        self._chain, self._forest = chain, chain.forest
        self._links, self._rows, self._tally = links, rows, tally
        self._extras = Extras()
        self._has_history = False
        self._request = self._command = ""

    @property
    def title(self) -> str:
        return self._request or self._command

    def steps(self) -> Iterator[Step]:
        boundary: Node | None = None
        for node in (self._forest.nodes[n] for n in reversed(list(self._chain.upwards()))):
            if boundary is not None and node.kind != "summary":
                yield from self._compaction(boundary, None)
                boundary = None
            match node.kind:
                case "boundary":
                    boundary = node
                case "summary":
                    yield from self._compaction(boundary, node)
                    boundary = None
                case "response":
                    yield from self._response(node)
                case "user":
                    yield from self._user(node)
        if boundary is not None:
            # The summary is written after it: what this compaction made is not known yet.
            self._tally.skip(
                "system/compact_boundary", "is the end of the file: its summary is missing", boundary.rows[0].number
            )

    def _user(self, node: Node) -> Iterator[Said]:
        (row,) = node.rows
        value = self._rows.value(row)
        messages = user_messages(content_of(value))
        if not self._request and value.get("isMeta") is not True and messages[-1]["role"] == "user":
            self._request, command = _asked(messages[-1]["content"])
            self._command = self._command or command
        yield from self._said(messages, row, value)

    def _response(self, node: Node) -> Iterator[Said]:
        values = [self._rows.value(row) for row in node.rows]
        blocks = _without_repeats([b for v in values for b in blocks_of(content_of(v))])
        said = Said(
            assistant_message(blocks),
            tuple(row.number for row in node.rows),
            response_metadata(values, self._extras),
            _first_time(values),
            _keys(node.rows),
        )
        self._has_history = True
        yield said
        del values
        # To the API, every result comes before anything else that is said.
        later: list[Said] = []
        for row in node.replies:
            value = self._rows.value(row)
            for reply in self._said(user_messages(content_of(value)), row, value):
                if reply.message["role"] == "tool":
                    yield reply
                else:
                    later.append(reply)
        yield from later

    def _said(self, messages: list[dict[str, Any]], row: Row, value: Value) -> Iterator[Said]:
        """One row may hold several messages: what else it holds is told of the first."""
        self._has_history = True
        metadata = self._extras.metadata(value, messages[0])
        for message in messages:
            yield Said(message, (row.number,), metadata, parse_time(value.get("timestamp")), _keys([row]))
            metadata = {}

    def _compaction(self, boundary: Node | None, summary: Node | None) -> Iterator[Step]:
        rows = [node.rows[0] for node in (boundary, summary) if node is not None]
        values = [self._rows.value(row) for row in rows]
        records = tuple(row.number for row in rows)
        message = None if summary is None else {"role": "user", "content": _summary_content(values[-1])}
        if self._has_history:
            at = parse_time(values[0].get("timestamp"))
            yield Compacted(records, message, keeps=self._kept(boundary), params=params_of(values[0]), at=at)
        elif message is None:
            self._tally.skip(
                "system/compact_boundary", "stands before every message: there is nothing to compact", records[0]
            )
        else:
            # What it stands for is in another file: all that is left of that is the summary.
            self._has_history = True
            metadata = {"extra": {"compaction": True, **params_of(values[0])}}
            yield Said(message, records, metadata, parse_time(values[-1].get("timestamp")), _keys(rows))

    def _kept(self, boundary: Node | None) -> set[Any]:
        """The names of the messages that stay. A response stays whole, with its replies."""
        if boundary is None:
            return set()
        nodes = {self._forest.node_of[i] for i in self._links.kept.get(boundary.rows[0].index, ())}
        return {key for n in nodes if n >= 0 for key in _keys(self._forest.nodes[n].all_rows)}


def _keys(rows: list[Row]) -> tuple[Any, ...]:
    return tuple(row.uuid or row.number for row in rows)


def _summary_content(value: Value) -> Any:
    return user_messages(content_of(value))[-1]["content"]


def _first_time(values: list[Value]) -> datetime | None:
    return next((time for v in values if (time := parse_time(v.get("timestamp"))) is not None), None)


def _without_repeats(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A call that was written down twice is one call."""
    seen: list[dict[str, Any]] = []
    return [b for b in blocks if b["type"] != "tool_use" or not b.get("id") or _is_new(b, seen)]


def _is_new(block: dict[str, Any], seen: list[dict[str, Any]]) -> bool:
    if block in seen:
        return False
    seen.append(block)
    return True


def _asked(content: Any) -> tuple[str, str]:
    """(what the user says in their own words, a bare command), each in a line, or empty."""
    texts = (b["text"] for b in blocks_of(content) if b["type"] == "text" and isinstance(b.get("text"), str))
    text = next((t for t in texts if t.strip()), "")[:4000]
    if name := _COMMAND.search(text):
        command, arguments = name[1].strip(), _ARGUMENTS.search(text)
        said = arguments[1].strip() if arguments else ""
        return (title_of(f"{command} {said}"), "") if said else ("", title_of(command))
    return ("" if _SENT_BY_PROGRAM.match(text) else title_of(text)), ""
