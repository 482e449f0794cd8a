"""Inspect: the log of an evaluation as one document, or as a `.eval` archive. Each sample is a session."""

from collections.abc import Iterator
from typing import Any

from sessions_app.interchange.archive import Archive
from sessions_app.interchange.formats.inspect_log.archive import is_eval, read_archive
from sessions_app.interchange.formats.inspect_log.sample import Sample, transcript_of
from sessions_app.interchange.jsonreading import Document
from sessions_app.interchange.loose import as_object
from sessions_app.interchange.sniff import Sniff
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Transcript


class InspectLog:
    name = "inspect-log"
    title = "Inspect log"

    def recognises(self, sniff: Sniff) -> bool:
        if sniff.shape == "zip":
            return is_eval(sniff.entries)
        about = as_object(sniff.members.get("eval"))
        has_parts = any(name in sniff.members for name in ("samples", "status", "plan"))
        return sniff.shape == "object" and "version" in sniff.members and "task" in about and has_parts

    def read(self, source: Source, sniff: Sniff, tally: Tally) -> Iterator[Transcript]:
        if sniff.shape == "zip":
            yield from read_archive(Archive(source), tally)
            return
        document = Document(source, tally, lists={"samples"})
        about = as_object(sniff.members.get("eval"))
        has_samples = False
        for record in document.records():
            has_samples = True
            if not isinstance(record.value, dict):
                tally.skip("sample", "is no object", record.number)
                continue
            transcript = transcript_of(_sample(record.number, record.value, about), tally)
            if transcript is not None:
                yield transcript
        if not has_samples:
            tally.skip("samples", "are not in the file")


def _sample(number: int, value: dict[str, Any], about: dict[str, Any]) -> Sample:
    events = value.get("events")
    return Sample(number, value, events if isinstance(events, list) else [], about)
