"""How a replay is told: as text, CSV, JSON or Markdown; each recording when it is done, then all together."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from sessions_app.compression.replay import Replay, replay_csv, replay_json
from sessions_app.compression.replay.tables import Value
from sessions_app.management.printable import printable
from sessions_app.management.replay_recordings import Recorded
from sessions_app.management.replay_tables import escaped, markdown_table, text_table


@dataclass(frozen=True, slots=True)
class All:
    """All recordings together, and what was asked for besides and gave none."""

    recordings: int
    replay: Replay
    failed: int
    skipped: int


class Report(Protocol):
    """Gives the text for each recording, and the one that ends it all."""

    def recording(self, recorded: Recorded, replay: Replay) -> str: ...
    def total(self, total: All) -> str: ...


class AsJSON:
    """An object a line."""

    def recording(self, recorded: Recorded, replay: Replay) -> str:
        return _line({**_names(recorded), **replay_json(replay)})

    def total(self, total: All) -> str:
        told = replay_json(total.replay)
        counts = {"recordings": total.recordings, "failed": total.failed, "skipped": total.skipped}
        runs = [_without(run, "series", "compressions") for run in told["runs"]]
        baseline = _without(told["baseline"], "series")
        members = {"frames": told["frames"], "calls": told["calls"], "baseline": baseline, "runs": runs}
        return _line({"total": {**counts, **members}})


class AsCSV:
    """One table of all recordings. No total: whoever adds up a column would count everything twice."""

    def __init__(self) -> None:
        self._has_header = False

    def recording(self, recorded: Recorded, replay: Replay) -> str:
        about: dict[str, Value] = {
            **_names(recorded),
            "frames": replay.frames,
            "limit_tokens": replay.terms.limit_tokens,
            "trigger_tokens": replay.terms.trigger_tokens,
        }
        with_header, self._has_header = not self._has_header, True
        return replay_csv(replay, before=about, with_header=with_header)

    def total(self, total: All) -> str:
        return ""


class AsText:
    def recording(self, recorded: Recorded, replay: Replay) -> str:
        heading = printable(" · ".join(filter(None, [recorded.name, recorded.title])))
        return f"{heading}\n{_about(recorded, replay)}\n\n{text_table(replay)}\n\n"

    def total(self, total: All) -> str:
        return f"{_about_all(total)}\n\n{text_table(total.replay)}\n" if total.recordings > 1 else ""


class AsMarkdown:
    def recording(self, recorded: Recorded, replay: Replay) -> str:
        heading = escaped(printable(recorded.name))
        return f"### {heading}\n\n{_about(recorded, replay)}\n\n{markdown_table(replay)}\n\n"

    def total(self, total: All) -> str:
        return f"### All\n\n{_about_all(total)}\n\n{markdown_table(total.replay)}\n" if total.recordings > 1 else ""


REPORTS: Final[dict[str, Callable[[], Report]]] = {
    "text": AsText,
    "csv": AsCSV,
    "json": AsJSON,
    "markdown": AsMarkdown,
}


def _names(recorded: Recorded) -> dict[str, Any]:
    return {name: getattr(recorded, name) for name in ("file", "number", "session_id", "branch", "title", "format")}


def _about(recorded: Recorded, replay: Replay) -> str:
    terms = replay.terms
    told = [
        *filter(None, [recorded.format]),
        f"{replay.frames:,} frames",
        f"{replay.calls:,} model calls",
        f"limit {terms.limit_tokens:,}",
        f"trigger {terms.trigger_tokens:,.0f} tokens",
    ]
    return ", ".join(told)


def _about_all(total: All) -> str:
    replay = total.replay
    return f"All {total.recordings:,} recordings, {replay.frames:,} frames, {replay.calls:,} model calls"


def _without(members: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in members.items() if name not in names}


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value) + "\n"
