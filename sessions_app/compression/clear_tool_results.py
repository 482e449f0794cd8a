"""`clear_tool_results`: what tools once answered is the bulk of a window, and the agent can ask again."""

from collections.abc import Iterator
from typing import Any, Final

from pydantic import Field

from sessions_app.compression.base import Parameters, Strategy
from sessions_app.compression.kept import if_shorter, old_stop, smaller
from sessions_app.compression.tool_results import cleared, tool_of, with_calls
from sessions_app.engine import CannotCompress, ContextItem, Toolbox, Window

CLEARED_ARGUMENTS: Final = "{}"
"""An empty object, for custom calls too: an input may happen to be JSON, and must not be left as something else."""


class ClearToolResults(Strategy):
    """Replace old tool results by a short placeholder; the calls stay.

    A reply that says only that its call was interrupted stays: cleared, it would read as if the tool had run.
    """

    name = "clear_tool_results"

    class Params(Parameters):
        protect_rounds: int = Field(default=3, ge=1, description="How many of the newest complete rounds stay.")
        min_saving: int = Field(default=0, ge=0, description="Do nothing where fewer tokens would be saved.")
        exclude_tools: tuple[str, ...] = Field(default=(), description="Tools whose results and inputs stay.")
        clear_inputs: bool = Field(default=False, description="Clear the arguments of old calls as well.")

    def compress(self, window: Window, *, params: Params, tools: Toolbox) -> Window:
        stop = old_stop(window, params.protect_rounds)
        after = Window((*_cleared(window.items[:stop], params), *window.items[stop:]))
        saved = window.tokens - after.tokens
        if saved == 0:
            return window
        if saved < params.min_saving:
            raise CannotCompress(f"It would save {saved} tokens, fewer than the {params.min_saving} asked for.")
        return smaller(window, after)


def _cleared(items: tuple[ContextItem, ...], params: ClearToolResults.Params) -> Iterator[ContextItem]:
    for item, call in with_calls(items):
        if item.role == "tool":
            tool = tool_of(item, call)
            yield item if tool in params.exclude_tools else cleared(item, tool)
        elif params.clear_inputs and item.message.calls:
            yield _without_inputs(item, params.exclude_tools)
        else:
            yield item


def _without_inputs(item: ContextItem, excluded: tuple[str, ...]) -> ContextItem:
    calls = [_without_input(call, excluded) for call in item.message.data["tool_calls"]]
    return if_shorter(item, {**item.message.data, "tool_calls": calls})


def _without_input(call: dict[str, Any], excluded: tuple[str, ...]) -> dict[str, Any]:
    kind, text = ("function", "arguments") if isinstance(call.get("function"), dict) else ("custom", "input")
    if call[kind]["name"] in excluded or not call[kind][text]:
        return call
    return {**call, kind: {**call[kind], text: CLEARED_ARGUMENTS}}
