"""Parameters of every built-in strategy, drawn."""

from typing import Any

from hypothesis import strategies as st

ROUNDS = st.integers(1, 5)
SIZES = st.sampled_from([0.6, 0.001, 1.5, 200.0, 600.0])
"""Fractions of the limit and tokens: met, missed, and out of reach."""
STEPS = st.sampled_from(
    [
        "dedupe_reads",
        "drop_reasoning",
        {"strategy": "sliding_window", "params": {"protect_rounds": 2}},
        {"strategy": "trim_to_target", "params": {"protect_rounds": 1, "target": 900.5}},
        {"strategy": "clear_tool_results", "params": {"protect_rounds": 2, "clear_inputs": True}},
        {"strategy": "mask_observations", "params": {"protect_rounds": 1, "batch": 2}},
        {"strategy": "truncate_tool_results", "params": {"protect_rounds": 1, "max_tokens": 60}},
        {"strategy": "digest", "params": {"protect_rounds": 2, "max_tokens": 300}},
        {"strategy": "cascade", "params": {"protect_rounds": 2, "trigger": 0.001, "target": 0.001}},
    ]
)
PARAMS: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "sliding_window": st.fixed_dictionaries({"protect_rounds": ROUNDS}),
    "trim_to_target": st.fixed_dictionaries({"protect_rounds": ROUNDS, "target": SIZES}),
    "clear_tool_results": st.fixed_dictionaries(
        {
            "protect_rounds": ROUNDS,
            "min_saving": st.sampled_from([0, 0, 50]),
            "exclude_tools": st.sampled_from([[], ["bash"]]),
            "clear_inputs": st.booleans(),
        }
    ),
    "mask_observations": st.fixed_dictionaries({"protect_rounds": ROUNDS, "batch": st.integers(1, 4)}),
    "truncate_tool_results": st.fixed_dictionaries(
        {"protect_rounds": ROUNDS, "max_tokens": st.sampled_from([50, 60, 400])}
    ),
    "dedupe_reads": st.fixed_dictionaries({"protect_rounds": ROUNDS}),
    "drop_reasoning": st.fixed_dictionaries({"protect_rounds": ROUNDS}),
    "digest": st.fixed_dictionaries({"protect_rounds": ROUNDS, "max_tokens": st.sampled_from([200, 600, 2_000])}),
    "summarize": st.fixed_dictionaries({"protect_rounds": ROUNDS, "max_tokens": st.sampled_from([200, 2_000])}),
    "cascade": st.fixed_dictionaries({"protect_rounds": ROUNDS, "trigger": SIZES, "target": SIZES}),
    "pipeline": st.fixed_dictionaries({"steps": st.lists(STEPS, min_size=1, max_size=5), "target": SIZES}),
}


def pressed(name: str, protect_rounds: int) -> dict[str, Any]:
    """Parameters under which a strategy does all that it may to what lies before the newest rounds."""
    own = {"protect_rounds": protect_rounds}
    match name:
        case "trim_to_target":
            return {**own, "target": 0.0001}
        case "mask_observations":
            return {**own, "batch": 1}
        case "cascade":
            return {**own, "trigger": 0.0001, "target": 0.0001}
        case "pipeline":
            steps = ["dedupe_reads", "truncate_tool_results", "clear_tool_results", "digest"]
            return {"steps": [{"strategy": step, "params": own} for step in steps], "target": 0.0001}
    return own
