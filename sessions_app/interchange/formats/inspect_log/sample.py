"""A sample of an Inspect log as a session: its messages, and around them what its events say."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.formats.inspect_log.events import Answer, Told, read_events
from sessions_app.interchange.formats.inspect_log.identity import Known
from sessions_app.interchange.formats.inspect_log.messages import ROLES, Attachments, Message, neutral_message
from sessions_app.interchange.formats.inspect_log.windows import Windows, is_marked
from sessions_app.interchange.loose import as_object, as_text, without
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Said, Step, Transcript

_TOLD = ("messages", "events", "attachments", "message_pool", "call_pool", "events_data", "timelines")
_OF_EVAL = ("eval_id", "run_id", "task", "task_id", "created", "model")


@dataclass(frozen=True, slots=True)
class Sample:
    """`data`: all but its `events`, which are read once. `eval`: what the log says of the whole evaluation."""

    number: int
    data: dict[str, Any]
    events: Iterable[Any]
    eval: dict[str, Any]


def transcript_of(sample: Sample, tally: Tally) -> Transcript | None:
    """The session of a sample; None where it holds no messages, which is named in the tally."""
    messages = _messages(sample, tally)
    if not messages:
        tally.skip("sample", "holds no messages", sample.number)
        return None
    name, epoch = sample.data.get("id"), sample.data.get("epoch")
    title = f"{as_text(sample.eval.get('task')) or 'sample'}: {name}" + (f" (epoch {epoch})" if epoch != 1 else "")
    return Transcript(_steps(sample, messages, tally), native_id=_native_id(sample), title=title)


def _messages(sample: Sample, tally: Tally) -> list[Message]:
    told = sample.data.get("messages") or sample.data.get("input")
    if isinstance(told, str):
        return [{"role": "user", "content": told, "source": "input"}]
    listed = told if isinstance(told, list) else []
    messages = [m for m in listed if isinstance(m, dict) and m.get("role") in ROLES]
    if len(messages) < len(listed):
        count = len(listed) - len(messages)
        tally.skip("message", "has no role of this format", sample.number, count=count)
    return messages


def _native_id(sample: Sample) -> str:
    """The evaluation, the sample and its epoch; the sample's own id where the log does not name the evaluation."""
    about = sample.eval
    run = [about[n] for n in ("eval_id", "run_id", "task_id") if about.get(n) and isinstance(about[n], str)][:2]
    if not run:
        return as_text(sample.data.get("uuid"))
    return neutral.json_text([*run, sample.data.get("id"), sample.data.get("epoch")])


def _steps(sample: Sample, messages: list[Message], tally: Tally) -> Iterator[Step]:
    attachments = Attachments(as_object(sample.data.get("attachments")))
    known = Known(messages, attachments)
    pooled = sample.data.get("message_pool") or as_object(sample.data.get("events_data")).get("messages")
    told = read_events(sample.events, known, pooled if isinstance(pooled, list) else [])
    windows = Windows(messages, known, attachments, sample.number, tally)
    summary: int | None = None
    said_any = False
    clock = told.start
    following = _answers_after(told, len(messages))
    for place, message in enumerate(messages):
        answer = told.answers.get(place)
        if is_marked(message) and windows.is_summary(place, following[place]):
            if summary is not None:
                tally.skip("summary", "is followed by another before any answer was made with it", sample.number)
            summary = place
            continue
        if answer is not None:
            yield from windows.before(place, answer, summary)
            summary = None
        at, metadata = _about(message, place, told)
        clock = at or clock
        said, extra = neutral_message(attachments.resolved(message))
        extra = {**extra, **metadata.pop("extra", {})} | (_around(sample, messages) if not said_any else {})
        if as_text(message.get("model")):
            metadata.setdefault("model", message["model"])
        yield Said(said, (sample.number,), {**metadata, **without({"extra": extra})}, at=clock, keys=(place,))
        said_any = True
        windows.say(place)
    for (kind, why), count in told.others.items():
        if count > 0:
            tally.skip(kind, why, sample.number, count=count)
    for why, count in attachments.left_out.items():
        tally.skip("attachment", why, sample.number, count=count)


def _answers_after(told: Told, count: int) -> list[Answer | None]:
    """For each message, the next answer behind it."""
    following: list[Answer | None] = []
    answer: Answer | None = None
    for place in range(count - 1, -1, -1):
        following.append(answer)
        answer = told.answers.get(place, answer)
    return following[::-1]


def _about(message: Message, place: int, told: Told) -> tuple[Any, dict[str, Any]]:
    """When a message was said, and what its event says of it."""
    if (answer := told.answers.get(place)) is not None:
        return answer.ended, dict(answer.metadata)
    call = as_text(message.get("tool_call_id"))
    at, metadata = told.replies.get(call, (None, {})) if call else (None, {})
    return at, dict(metadata)


def _around(sample: Sample, messages: list[Message]) -> dict[str, Any]:
    """What the log says of the sample as a whole; it stands with its first message."""
    about = without(sample.data, *_TOLD)
    if isinstance(about.get("input"), list) or about.get("input") in [m.get("content") for m in messages]:
        about.pop("input", None)
    # Its last answer is a message, and what it cost stands beside that.
    about["output"] = without(as_object(about.get("output")), "model", "choices", "completion", "usage", "time")
    return {"sample": without(about), "eval": without({n: sample.eval.get(n) for n in _OF_EVAL})}
