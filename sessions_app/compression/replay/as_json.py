"""A replay as plain JSON: what the API answers, the command prints and the page hands out."""

from dataclasses import asdict
from typing import Any

from sessions_app.compression.replay.values import Event, Replay, Run, Totals


def replay_json(replay: Replay) -> dict[str, Any]:
    terms = replay.terms
    return {
        "frames": replay.frames,
        "calls": replay.calls,
        "terms": {**asdict(terms), "trigger_tokens": terms.trigger_tokens},
        "baseline": {
            "totals": totals_json(replay.baseline.totals),
            "series": [list(point) for point in replay.baseline.series],
        },
        "runs": [run_json(run) for run in replay.runs],
    }


def run_json(run: Run) -> dict[str, Any]:
    return {
        "strategy": run.name,
        "params": {} if run.choice is None else run.choice.params_json,
        "outcome": "unavailable" if run.unavailable else "ok",
        "why": run.unavailable or run.why or None,
        "stand_in": run.stand_in or None,
        "totals": totals_json(run.totals),
        "series": [list(point) for point in run.series],
        "compressions": [_event_json(event) for event in run.compressions],
        "pareto": run.is_pareto,
    }


def totals_json(totals: Totals) -> dict[str, Any]:
    return asdict(totals)


def _event_json(event: Event) -> dict[str, Any]:
    return {"seq": event.seq, "before": event.before, "after": event.after, "broken": list(event.broken)}
