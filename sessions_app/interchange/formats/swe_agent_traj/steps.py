"""The steps of a trajectory of SWE-agent as messages: where the file was cut off before its history, or has none."""

from collections.abc import Iterator
from typing import Any, Final

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.swe_agent_traj.entries import has_role, said, text
from sessions_app.interchange.jsonreading import Record
from sessions_app.interchange.loose import as_text, without
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Said

_INPUTS: Final = ("query", "messages")
_TOLD: Final = ("response", "thought", "action", "observation", *_INPUTS)


def told(records: Iterator[Record], tally: Tally) -> Iterator[Said]:
    """What the model was given first, then what it said at each step and what came of that."""
    is_first = True
    for record in records:
        step = record.value if isinstance(record.value, dict) else {}
        answer = _answer(step)
        observed = step.get("observation")
        if not answer and observed in (None, "", [], {}):
            tally.skip("step", "holds neither a response nor an observation", record.number)
            continue
        if is_first:
            yield from _opening(step, answer, record.number)
        elif any(step.get(name) for name in _INPUTS):
            tally.skip("query", "tells again what came before the step", record.number)
        is_first = False
        yield from _step(step, answer, record.number)


def _step(step: dict[str, Any], answer: str, number: int) -> Iterator[Said]:
    about = without(step, *_TOLD)
    if answer:
        besides = {name: step.get(name) for name in ("thought", "action") if text(step.get(name)).strip() not in answer}
        yield Said(neutral.assistant(answer), (number,), neutral.without_empty({"extra": without(besides)}))
    observed = neutral.content(step.get("observation"))
    if observed:
        yield Said({"role": "user", "content": observed}, (number,), neutral.without_empty({"extra": about}))


def _answer(step: dict[str, Any]) -> str:
    texts = (as_text(step.get(name)) for name in ("thought", "action"))
    return as_text(step.get("response")) or "\n\n".join(t for t in texts if t.strip())


def _opening(step: dict[str, Any], answer: str, number: int) -> Iterator[Said]:
    """The input of the first step. Older files hold that of the next one, which ends with this step's own messages."""
    given: list[Any] = next((step[name] for name in _INPUTS if isinstance(step.get(name), list)), [])
    entries = [entry for entry in given if has_role(entry)]
    own = [
        n
        for n, e in enumerate(entries)
        if e["role"] == "assistant" and text(e.get("content")).strip() == answer.strip()
    ]
    for entry in entries[: own[-1]] if own and answer.strip() else entries:
        yield said(entry, number)
