"""Gemini CLI: a chat as one document, and the lines of newer versions, which are changes to it."""

from collections.abc import Iterator
from typing import Any

from sessions_app.interchange.formats.gemini_cli_chat.messages import Talk
from sessions_app.interchange.formats.gemini_cli_chat.replay import Replay, Shortened
from sessions_app.interchange.jsonreading import LONGEST_LINE, Document, Unreadable, loads
from sessions_app.interchange.loose import as_text
from sessions_app.interchange.sniff import Sniff
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.times import parse_time
from sessions_app.interchange.transcript import SUMMARY, Compacted, Said, Step, Transcript


class GeminiCLIChat:
    name = "gemini-cli-chat"
    title = "Gemini CLI"

    def recognises(self, sniff: Sniff) -> bool:
        match sniff.shape:
            case "object":
                return _is_head(sniff.members)
            case "lines":
                return any(_is_head(value) or _is_change(value) for value in sniff.objects)
        return False

    def read(self, source: Source, sniff: Sniff, tally: Tally) -> Iterator[Transcript]:
        transcript = Transcript([])
        if sniff.shape == "object" and ("messages" in sniff.members or not _is_one_line(source)):
            document = Document(source, tally, lists={"messages"})
            transcript.steps = _of_document(document, transcript, Talk(tally))
        else:
            replay = Replay(source, tally)
            replay.run()
            transcript.steps = _of_replay(replay, Talk(tally))
            _tell(replay.about, transcript)
        yield transcript


def _is_one_line(source: Source) -> bool:
    """Whether the first line is whole: the one line of a chat that has no other yet, or none that can be read."""
    with source.open() as stream:
        line = stream.readline(LONGEST_LINE)
    try:
        return isinstance(loads(line.decode("utf-8-sig", errors="replace")), dict)
    except Unreadable:
        return False


def _is_head(value: dict[str, Any]) -> bool:
    return isinstance(value.get("sessionId"), str) and isinstance(value.get("projectHash"), str)


def _is_change(value: dict[str, Any]) -> bool:
    return isinstance(value.get("$rewindTo"), str) or isinstance(value.get("$set"), dict)


def _tell(about: dict[str, Any], transcript: Transcript) -> None:
    transcript.native_id = as_text(about.get("sessionId"))
    transcript.title = as_text(about.get("summary")).strip()
    if about.get("kind") == "subagent":
        transcript.labels = ("sidechain",)


def _of_document(document: Document, transcript: Transcript, talk: Talk) -> Iterator[Said]:
    for record in document.records():
        yield from talk.said(record.value, record.number)
    _tell(document.header, transcript)


def _of_replay(replay: Replay, talk: Talk) -> Iterator[Step]:
    for entry in replay.order:
        if isinstance(entry, Shortened):
            yield _compaction(replay, entry, talk)
        else:
            place = replay.places[entry]
            yield from talk.said(replay.value(place), place.number)


def _compaction(replay: Replay, entry: Shortened, talk: Talk) -> Compacted:
    place = replay.places[entry.summary]
    record = replay.value(place)
    said = [said.message for said in talk.said(record, place.number)]
    return Compacted(
        tuple(dict.fromkeys((entry.number, place.number))),
        said[-1] if said else None,
        keeps=entry.kept,
        at=parse_time(record.get("timestamp")),
        order=(SUMMARY, *entry.kept),
    )
