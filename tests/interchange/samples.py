"""Files for importers, made by the tests, and the real ones where TRAJECTORIES_DIR says that they are."""

import io
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from sessions_app.interchange import Source
from sessions_app.interchange.sniff import Sniff, sniff
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Compacted, Format, Said, Transcript

TRAJECTORIES_DIR = os.environ.get("TRAJECTORIES_DIR", "")

real_files = pytest.mark.skipif(not TRAJECTORIES_DIR, reason="TRAJECTORIES_DIR names no folder of real files")


def real(name: str) -> Source:
    """One of the real files, by its folder and name."""
    return Source(io.BytesIO((Path(TRAJECTORIES_DIR) / name).read_bytes()), name=Path(name).name)


def lines(*values: Any) -> Source:
    """A JSON Lines file; a string is a line as it is."""
    texts = (v if isinstance(v, str) else json.dumps(v) for v in values)
    return of("".join(f"{t}\n" for t in texts))


def document(value: Any) -> Source:
    return of(json.dumps(value, indent=1))


def of(content: str | bytes, name: str = "sample") -> Source:
    return Source(io.BytesIO(content.encode() if isinstance(content, str) else content), name=name)


class Read:
    """What an importer makes of a file, by itself: no database."""

    def __init__(self, format: Format, source: Source) -> None:
        self.look: Sniff = sniff(source)
        assert format.recognises(self.look), "the importer does not recognise its own file"
        self.tally = Tally()
        self.transcripts: list[Transcript] = []
        self.steps: list[list[Said | Compacted]] = []
        for transcript in format.read(source, self.look, self.tally):
            assert isinstance(transcript, Transcript)
            steps = list(transcript.steps)
            self.transcripts.append(transcript)
            self.steps.append(steps)
            for step in steps:
                self.tally.use(step.records)
        assert self.tally.unaccounted == set(), "records that are neither used nor named"

    def said(self, session: int = 0) -> list[Said]:
        return [s for s in self.steps[session] if isinstance(s, Said)]

    def messages(self, session: int = 0) -> list[dict[str, Any]]:
        return [s.message for s in self.said(session)]

    def compacted(self, session: int = 0) -> list[Compacted]:
        return [s for s in self.steps[session] if isinstance(s, Compacted)]

    @property
    def skipped(self) -> list[tuple[str, int]]:
        return [(s.what, s.count) for s in self.tally.skipped]


def texts(messages: Iterable[dict[str, Any]]) -> list[Any]:
    return [m.get("content") for m in messages]
