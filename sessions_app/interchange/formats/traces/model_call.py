"""One call of a model: what was sent, what it answered, and what is known of it."""

from dataclasses import dataclass, field
from typing import Any

from sessions_app.interchange import neutral
from sessions_app.interchange.exchanges import Sent, key_of
from sessions_app.interchange.formats.traces import genai_parts as genai_parts
from sessions_app.interchange.formats.traces import shapes as shapes
from sessions_app.interchange.formats.traces import told as told
from sessions_app.interchange.formats.traces.compaction_parts import key_of_compaction
from sessions_app.interchange.formats.traces.span import Span, decoded
from sessions_app.interchange.loose import as_objects, without
from sessions_app.interchange.neutral import Message

_USAGE = "gen_ai.usage."

_TOLD = (
    told.INPUT,
    told.OUTPUT,
    told.RUN,
    told.RUN_EVENTS,
    "events",
    "gen_ai.system_instructions",
    "gen_ai.response.id",
    "gen_ai.response.model",
    "gen_ai.response.finish_reasons",
    "gen_ai.conversation.id",
    "gen_ai.agent.name",
    "gen_ai.operation.name",
    "operation.cost",
    "input.value",
    "output.value",
    "gcp.vertex.agent.llm_request",
    "gcp.vertex.agent.llm_response",
    "logfire.json_schema",
    "langfuse.observation.input",
    "langfuse.observation.output",
)
_TOLD_UNDER = ("gen_ai.prompt.", "gen_ai.completion.", _USAGE, "llm.input_messages.", "llm.output_messages.")


@dataclass(frozen=True, slots=True)
class ModelCall:
    """`lead`: how many of the inputs are system messages that come first."""

    span: Span
    inputs: list[Message]
    answer: list[Message]
    tools: list[Any] = field(default_factory=list)

    @property
    def lead(self) -> int:
        roles = [m.get("role") for m in self.inputs]
        return next((n for n, role in enumerate(roles) if role not in ("system", "developer")), len(roles))

    def sent(self) -> Sent:
        """By which calls of one conversation are found. Some providers keep it, and are sent only what is new."""
        lead, span = self.lead, self.span
        rest = self.inputs[lead:]
        system = key_of(self.inputs[:lead])
        asked = next((n for n, m in enumerate(rest) if m.get("role") == "assistant"), len(rest))
        thread, follows = span.text("gen_ai.conversation.id"), []
        replied = [str(m.get("tool_call_id") or "") for m in rest if m.get("role") == "tool"]
        if rest and asked == len(rest) and span.kind == "model":
            if len(replied) == len(rest) and all(replied):
                follows.append(f"calls {sorted(replied)}")
            if thread:
                follows += [f"response {thread}", f"thread {thread} {span.text('gen_ai.agent.name')} {system}"]
        called = [str(c.get("id") or "") for m in self.answer for c in as_objects(m.get("tool_calls"))]
        response_id = span.text("gen_ai.response.id")
        links = [f"thread {thread} {span.text('gen_ai.agent.name')} {system}"] if thread else []
        links += [f"response {response_id}"] if response_id else []
        links += [f"calls {sorted(called)}"] if called and all(called) else []
        return Sent(
            messages=tuple(key_of_message(m) for m in rest),
            before=lead,
            resumes=key_of_compaction(rest),
            compacts=key_of_compaction(self.answer),
            system=system,
            asked=asked,
            answer=key_of_message(self.answer[0]) if len(self.answer) == 1 else "",
            follows=tuple(follows),
            links=tuple(links),
        )

    def metadata(self) -> dict[str, Any]:
        """Of the answer. Its own attributes stand in `extra`; those of a whole run are left to the first."""
        span, a = self.span, self.span.attributes
        counts = {name[len(_USAGE) :]: _number(value) for name, value in a.items() if name.startswith(_USAGE)}
        return neutral.without_empty(
            {
                "model": a.get("gen_ai.response.model") or span.model or a.get("gen_ai.request.model"),
                "usage": neutral.usage(counts) or neutral.usage(span.usage),
                "cost": _number(a.get("operation.cost")) or span.cost,
                "stop_reason": _stop_reason(a),
                "response_id": span.text("gen_ai.response.id"),
                "agent": span.text("gen_ai.agent.name"),
                "duration_ms": span.duration_ms,
                "extra": {"span_id": span.id} if span.id else {},
            }
        )

    def options(self) -> dict[str, Any]:
        """What was asked for besides the messages: parameters, tools."""
        known = [name for name in self.span.attributes if name in _TOLD or name.startswith(_TOLD_UNDER)]
        options = {name: decoded(value) for name, value in without(self.span.attributes, *known).items()}
        return {**options, "tools": self.tools} if self.tools else options


def key_of_message(message: Message) -> str:
    """Reasoning may be left out when a message is sent again, and names are often added."""
    names = ("role", "content", "tool_calls", "tool_call_id")
    return key_of({name: message.get(name) or None for name in names})


def model_call(span: Span) -> ModelCall | None:
    """None where the span does not hold what was said: instrumentations record that only when they are told to.

    Of an agent's span the messages of its whole run, where it has them; they may end in a reply.
    """
    if span.kind == "agent":
        return _call(span, told.of_run(span), [])
    return _call(span, told.inputs(span), told.answers(span)[:1])


def run_of(span: Span) -> ModelCall | None:
    """An agent's span in place of the calls inside it, which tell nothing: what it was given and what it answered."""
    inputs, answers = told.inputs(span), told.outputs(span)
    return _call(span, [*inputs, *answers[:-1]], answers[-1:])


def _call(span: Span, inputs: list[Message], answer: list[Message]) -> ModelCall | None:
    if not inputs and not answer:
        return None
    system = decoded(span.attributes.get("gen_ai.system_instructions"))
    if system and (content := genai_parts.parts_of(system)) and not any(m.get("role") == "system" for m in inputs):
        inputs = [{"role": "system", "content": content}, *inputs]
    return ModelCall(span, inputs, answer, shapes.definitions_in(span.given))


def _stop_reason(attributes: dict[str, Any]) -> Any:
    reasons = decoded(attributes.get("gen_ai.response.finish_reasons"))
    if isinstance(reasons, list) and reasons:
        return reasons[0]
    answers = as_objects(decoded(attributes.get(told.OUTPUT)))
    return answers[0].get("finish_reason") if answers else None


def _number(value: Any) -> int | float | None:
    """Attributes are often texts."""
    if isinstance(value, str) and len(value) < 40:
        try:
            return int(value)
        except ValueError:
            try:
                number = float(value)
            except ValueError:
                return None
            return number if abs(number) < 1e15 else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
