"""`dedupe_reads`: of a file that was read five times the newest reading will do."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import Field

from sessions_app import jsontext
from sessions_app.compression.base import Parameters, Strategy
from sessions_app.compression.digesting.bounded import one_line
from sessions_app.compression.digesting.results import failure_in, is_interruption
from sessions_app.compression.kept import old_stop, smaller
from sessions_app.compression.tool_results import replaced, with_calls
from sessions_app.engine import Call, ContextItem, Toolbox, Window


class DedupeReads(Strategy):
    """Replace an old tool result by a pointer where the same tool was called again later with equal arguments.

    The later result must stand verbatim, and tell neither of a failure nor of an interruption; it need not be equal.
    Any tool counts, one that changes something too (`bash`, say): its calls stay, and so does its newest result; only
    what it once answered goes.
    """

    name = "dedupe_reads"

    class Params(Parameters):
        protect_rounds: int = Field(default=3, ge=1, description="How many of the newest complete rounds stay.")

    def compress(self, window: Window, *, params: Params, tools: Toolbox) -> Window:
        stop = old_stop(window, params.protect_rounds)
        answers = list(_answers(window))
        newest = {answer.asked: answer for answer in answers if _is_good(answer.item)}
        after = list(window.items)
        for answer in answers:
            later = newest.get(answer.asked)
            if answer.at < stop and later is not None and later.group > answer.group:
                after[answer.at] = replaced(answer.item, pointer(answer.asked[0]))
        return smaller(window, after)


def pointer(tool: str) -> str:
    """It names no id and no number: whatever is compressed later, it stays true."""
    return f"[{one_line(tool, 80)} was called again later with the same arguments: see the later result]"


@dataclass(frozen=True, slots=True)
class _Answer:
    """A reply, where it stands, the number of its call group, and what was asked: tool and arguments."""

    item: ContextItem
    at: int
    group: int
    asked: tuple[str, str]


def _answers(items: Iterable[ContextItem]) -> Iterable[_Answer]:
    group = 0
    for at, (item, call) in enumerate(with_calls(items)):
        if item.role == "assistant":
            group += 1
        elif call is not None:
            yield _Answer(item, at, group, (call.name, _canonical(call)))


def _canonical(call: Call) -> str:
    """The same for arguments that are equal as JSON, their members in any order; else the text itself."""
    try:
        return json.dumps(jsontext.loads(call.arguments), sort_keys=True)
    except jsontext.MalformedJSON:
        return call.arguments


def _is_good(item: ContextItem) -> bool:
    """Whether a result is worth pointing at. Its text is taken as a file's: only its beginning can say that it failed,
    for a test run that failed is a result like any other."""
    text = item.message.body
    if item.kind != "original" or item.message.is_error or is_interruption(text):
        return False
    return failure_in(text, is_error=False, is_file=True) is None
