"""The figures as people read them."""

import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Row = tuple[str, ...]
HEADINGS: Row = ("database", "operation", "size", "engine", "p90", "driver", "p90", "ratio")
REPLAY: Row = ("strategy", "frames", "compressions", "ms", "ratio")
BESIDE: Row = ("database", "page", "pages", "median", "p90", "slowest", "replay of six")
PAGES: Row = ("database", "page", "frames", "statements", "KB", "ms", "ratio")


def machine() -> dict[str, Any]:
    """The class of machine: enough to know with what else the figures may be compared."""
    return {
        "processors": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "processor": _processor(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "load": round(os.getloadavg()[0], 1),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or sys.platform
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def table(figures: dict[str, Any]) -> str:
    return _table("Milliseconds, median and p90.", figures, HEADINGS, [_row(r) for r in figures["results"]])


def pages_table(figures: dict[str, Any]) -> str:
    """Of each pair the first is the short session's."""
    return _table("The server's work for a page, median.", figures, PAGES, [_page_row(r) for r in figures["pages"]])


def replay_table(figures: dict[str, Any]) -> str:
    title = "Replay: processor milliseconds of a short and of a long recording."
    return _table(title, figures, REPLAY, [_replay_row(r) for r in figures["replay"]])


def beside_table(figures: dict[str, Any]) -> str:
    told = [row for result in figures["beside"] for row in _beside_rows(result)]
    return _table("A session's page alone, and beside a replay. Milliseconds.", figures, BESIDE, told)


def _table(title: str, figures: dict[str, Any], headings: Row, told: Sequence[Row]) -> str:
    rows = [headings, *told]
    widths = [max(len(row[n]) for row in rows) for n in range(len(headings))]
    where = ", ".join(f"{name} {value}" for name, value in figures["machine"].items())
    lines = [f"{title} {where}", ""]
    for row in rows:
        cells = [cell.ljust(w) if n < 2 else cell.rjust(w) for n, (cell, w) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(cells))
    return "\n".join(lines)


def _row(result: dict[str, Any]) -> Row:
    times = [f"{result[side][figure]:.2f}" for side in ("engine", "driver") for figure in ("median_ms", "p90_ms")]
    what = {"append": "append 1 KB at", "load": "load a window of"}[result["operation"]]
    return (result["database"], what, f"{result['size']:,}", *times, f"{result['ratio']:.1f}")


def _page_row(result: dict[str, Any]) -> Row:
    pairs = (
        " / ".join(f"{n:,}" for n in result["frames"]),
        " / ".join(map(str, result["statements"])),
        " / ".join(f"{n / 1000:.0f}" for n in result["bytes"]),
        " / ".join(f"{n:.1f}" for n in result["median_ms"]),
    )
    return (result["database"], result["page"], *pairs, f"{result['ratio']:.2f}")


def _replay_row(result: dict[str, Any]) -> Row:
    pairs = (
        " / ".join(f"{n:,}" for n in result["frames"]),
        " / ".join(f"{n:.0f}" for n in result["compressions"]),
        " / ".join(f"{n:,.0f}" for n in result["ms"]),
    )
    return (result["strategy"], *pairs, f"{result['ratio']:.2f}")


def _beside_rows(result: dict[str, Any]) -> list[Row]:
    rows = []
    for what, replay in (("quiet", "-"), ("beside", f"{result['replay_s']:.1f} s")):
        took = result[what]
        times = (f"{took[name]:,.0f}" for name in ("median_ms", "p90_ms", "max_ms"))
        rows.append((result["database"], what, str(took["pages"]), *times, replay))
    return rows
