"""SWE-agent: `history` is what the agent and its environment said; `trajectory` tells it again, step by step."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.swe_agent_traj import entries as entries
from sessions_app.interchange.formats.swe_agent_traj import steps as steps
from sessions_app.interchange.jsonreading import Document
from sessions_app.interchange.sniff import Sniff
from sessions_app.interchange.source import Source
from sessions_app.interchange.spool import title_of
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Said, Transcript

_STEP = ("action", "observation")

_AGAIN = "tells the history again, with the input and the state of the shell at each step"
_MISSING = "is missing: the session is what the steps of the trajectory tell"
_SETUP = "says how the run was set up, not what was said"


class SweAgentTraj:
    name = "swe-agent-traj"
    title = "SWE-agent trajectory"

    def recognises(self, sniff: Sniff) -> bool:
        if sniff.shape != "object":
            return False
        step, entry = sniff.first("trajectory"), sniff.first("history")
        if entry:
            return "role" in entry and ("trajectory" in sniff.members or "message_type" in entry)
        # The look may end before the history begins.
        return "history" not in sniff.members and all(isinstance(step.get(member), str) for member in _STEP)

    def read(self, source: Source, sniff: Sniff, tally: Tally) -> Iterator[Transcript]:
        transcript = Transcript([])
        if entries.has_role(sniff.first("history")) or _has_history(source):
            transcript.steps = self._history(source, transcript, tally)
        else:
            transcript.steps = self._steps(source, tally)
        yield transcript

    def _history(self, source: Source, transcript: Transcript, tally: Tally) -> Iterator[Said]:
        document = Document(source, tally, lists={"history"}, unread={"trajectory"})
        held: Said | None = None
        has_demo = False
        for said in _entries(document, tally):
            if held is not None:
                yield held
            held = said
            # The demonstrations come first, and the task after them.
            has_demo |= entries.is_demo(said)
            if has_demo and not transcript.title and said.message["role"] == "user" and not entries.is_demo(said):
                transcript.title = title_of(entries.text(said.message["content"]))
        if held is not None:
            yield _with_outcome(held, document.header)
        tally.skip("trajectory", _AGAIN)
        _skip_setup(document, tally)

    def _steps(self, source: Source, tally: Tally) -> Iterator[Said]:
        document = Document(source, tally, lists={"trajectory"}, unread={"history"})
        held: Said | None = None
        for said in steps.told(document.records(), tally):
            if held is not None:
                yield held
            held = said
        if held is not None:
            yield _with_outcome(held, document.header)
        tally.skip("history", _MISSING)
        _skip_setup(document, tally)


def _has_history(source: Source) -> bool:
    """Whether there is one behind the look: the trajectory comes first, and may be long, or cut off."""
    document = Document(source, Tally(), lists={"history"}, unread={"trajectory"})
    return any(entries.has_role(record.value) for record in document.records())


def _entries(document: Document, tally: Tally) -> Iterator[Said]:
    calls: set[str] = set()
    for record in document.records():
        if not entries.has_role(record.value):
            tally.skip("history", "is an entry without a role", record.number)
            continue
        said = entries.said(record.value, record.number)
        if said.message["role"] != "tool":
            calls = entries.calls_of(said.message)
        yield said
        yield from entries.replies_besides(said, record.value, calls)


def _skip_setup(document: Document, tally: Tally) -> None:
    if "replay_config" in document.header:
        tally.skip("replay_config", _SETUP)


def _with_outcome(said: Said, header: dict[str, Any]) -> Said:
    """How the run ended stands with its last message."""
    outcome = neutral.without_empty({"info": header.get("info"), "environment": header.get("environment")})
    if not outcome:
        return said
    return replace(said, metadata={**said.metadata, "extra": {**said.metadata.get("extra", {}), **outcome}})
