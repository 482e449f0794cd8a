"""Claude Code: the JSON Lines file of a session or of an agent, and the web's export `{"loglines": [...]}`.

The file is a log, not a list: it holds what was said, what went on around it, and every way that was taken and left.
The session is the way that leads to its newest row; the others are sessions of their own.
"""

from collections.abc import Iterator
from typing import Any

from sessions_app.interchange.formats.claude_code.chains import affordable, identified_chains, owners_of
from sessions_app.interchange.formats.claude_code.forest import Forest
from sessions_app.interchange.formats.claude_code.kinds import OWN_TYPES
from sessions_app.interchange.formats.claude_code.links import link
from sessions_app.interchange.formats.claude_code.rows import index
from sessions_app.interchange.formats.claude_code.titles import choose_titles
from sessions_app.interchange.formats.claude_code.turns import Turns
from sessions_app.interchange.sniff import Sniff
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Step, Transcript


class ClaudeCode:
    name = "claude-code"
    title = "Claude Code"

    def recognises(self, sniff: Sniff) -> bool:
        match sniff.shape:
            case "lines" | "array":
                return any(_is_row(value) for value in sniff.objects)
            case "object":
                return isinstance(sniff.members.get("loglines"), list) or _is_row(sniff.members)
        return False

    def read(self, source: Source, sniff: Sniff, tally: Tally) -> Iterator[Transcript]:
        rows = index(source, sniff, tally)
        try:
            links = link(rows, tally)
            forest = Forest(rows.rows, links)
            identified = affordable(identified_chains(forest), rows=len(rows.rows), tally=tally)
            sessions = {n: t.native_id for n, (_, t) in enumerate(identified) if not t.branch}
            owners = owners_of([chain for chain, _ in identified], rows.rows)
            titles = choose_titles(rows.titles, sessions, owners.get, tally)
            for n, (chain, transcript) in enumerate(identified):
                turns = Turns(chain, links, rows, tally)
                transcript.steps = _titled(transcript, titles.get(n, ""), turns)
                yield transcript
        finally:
            rows.close()


def _is_row(value: dict[str, Any]) -> bool:
    if not {"parentUuid", "isSidechain", "leafUuid"}.isdisjoint(value):
        return True
    type_ = value.get("type")
    if not isinstance(type_, str):
        return False
    is_message = type_ in ("user", "assistant") and isinstance(value.get("message"), dict)
    return type_ in OWN_TYPES or (is_message and not {"uuid", "sessionId", "session_id"}.isdisjoint(value))


def _titled(transcript: Transcript, title: str, turns: Turns) -> Iterator[Step]:
    yield from turns.steps()
    transcript.title = title or turns.title
