"""A span as any format tells it, and values that may be JSON text."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from sessions_app.interchange.jsonreading import Unreadable, loads
from sessions_app.interchange.times import parse_time

Kind = Literal["model", "tool", "agent", "other"]

_MODEL = ("chat", "text_completion", "generate_content")
_AGENT = ("invoke_agent", "create_agent", "invoke_workflow")


@dataclass(frozen=True, slots=True)
class Span:
    """`what`: the format's own word for its kind. `session`: the file's own id of what it belongs to. `given` and
    `said`: input and output that stand beside the attributes.
    """

    record: int
    kind: Kind
    what: str
    id: str = ""
    parent: str = ""
    session: str = ""
    start: datetime | None = None
    end: datetime | None = None
    attributes: dict[str, Any] = field(default_factory=dict)
    events: tuple[dict[str, Any], ...] = ()
    given: Any = None
    said: Any = None
    is_error: bool = False
    usage: Any = None
    cost: Any = None
    model: Any = None

    @property
    def duration_ms(self) -> int | None:
        if self.start is None or self.end is None or self.end < self.start:
            return None
        return round((self.end - self.start).total_seconds() * 1000)

    def text(self, name: str) -> str:
        """An attribute that is a text; empty where it is none."""
        value = self.attributes.get(name)
        return value if isinstance(value, str) else ""


def kind_of(attributes: dict[str, Any]) -> Kind:
    """By the operation that the GenAI conventions name, or by what older instrumentations write."""
    operation = attributes.get("gen_ai.operation.name")
    if operation in _MODEL:
        return "model"
    if operation == "execute_tool" or "gen_ai.tool.call.id" in attributes:
        return "tool"
    if operation in _AGENT or "pydantic_ai.all_messages" in attributes or "all_messages_events" in attributes:
        return "agent"
    if operation is None and ("gen_ai.request.model" in attributes or attributes.get("llm.request.type") == "chat"):
        return "model"
    return "other"


def decoded(value: Any) -> Any:
    """The value of JSON text, even where it was written down twice; anything else as it is."""
    for _ in range(2):
        if not isinstance(value, str) or not value.lstrip().startswith(("{", "[", '"')):
            return value
        try:
            value = loads(value)
        except Unreadable:
            return value
    return value


def time_of(value: Any) -> datetime | None:
    """A time of a span: ISO 8601, or nanoseconds since 1970, which OTLP writes as text."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 40:
        return parse_time(int(value))
    return parse_time(value)
