"""Codex rollouts: `{timestamp, type, payload}` a line; in files from before September 2025 the bare payloads.

What is said is taken from the response items. Events tell the screen the same once more.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from sessions_app.interchange.formats.codex_rollout.steps import CodexSteps
from sessions_app.interchange.formats.openai_responses import kinds as kinds
from sessions_app.interchange.jsonreading import json_lines
from sessions_app.interchange.sniff import Sniff
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Transcript

_LINES: Final = ("session_meta", "turn_context", "response_item", "event_msg", "compacted")
_NAMED: Final = re.compile(r"rollout-.*?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl", re.IGNORECASE)


class CodexRollout:
    name = "codex-rollout"
    title = "Codex rollout"

    def recognises(self, sniff: Sniff) -> bool:
        if sniff.shape == "object":
            return _is_line(sniff.members)
        if sniff.shape != "lines" or not sniff.objects:
            return False
        return any(_is_line(value) for value in sniff.objects) or _is_bare(sniff)

    def read(self, source: Source, sniff: Sniff, tally: Tally) -> Iterator[Transcript]:
        named = _NAMED.search(sniff.name)
        transcript = Transcript([], native_id=named[1] if named else "")
        steps = CodexSteps(transcript, tally, has_items=any(_holds_item(value) for value in sniff.objects))
        transcript.steps = steps.of(json_lines(source, tally))
        yield transcript


def _is_line(value: dict[str, Any]) -> bool:
    return value.get("type") in _LINES and isinstance(value.get("payload"), dict)


def _holds_item(value: dict[str, Any]) -> bool:
    return value.get("type") == "response_item" or kinds.kind_of(value) in kinds.KINDS


def _is_bare(sniff: Sniff) -> bool:
    """A first line that tells of the session, and then nothing but items."""
    first, *others = sniff.objects
    begins = "type" not in first and isinstance(first.get("id"), str) and "timestamp" in first
    return (
        begins
        and ("instructions" in first or "git" in first or "cwd" in first)
        and all("record_type" in other or kinds.kind_of(other) in kinds.KINDS for other in others)
    )
