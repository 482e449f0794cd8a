"""The form of a strategy's parameters, made from the JSON Schema that its declaration gives."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.http import QueryDict

from inspector.presenters.shown import text
from inspector.wording import in_words
from sessions_app import engine, jsontext

PREFIX: Final = "p."
"""Before each parameter's name in the form, so that a parameter may be called `head`."""

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Option:
    value: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Field:
    """`kind`: integer, number, checkbox, select, lines, text or json. Empty `low`, `high`, `step`: no bound."""

    name: str
    label: str
    kind: str
    value: str
    help: str = ""
    low: str = ""
    high: str = ""
    step: str = ""
    is_checked: bool = False
    options: tuple[Option, ...] = ()
    error: str = ""


def fields_of(
    schema: Schema, *, values: Mapping[str, Any], errors: Mapping[str, str], prefix: str = PREFIX
) -> tuple[Field, ...]:
    """`values` as `params_from` gives them; what is not among them shows its default."""
    return tuple(
        _field(name, member, values.get(name, member.get("default")), errors.get(name, ""), prefix)
        for name, member in schema.get("properties", {}).items()
    )


def params_from(schema: Schema, posted: QueryDict, *, prefix: str = PREFIX) -> dict[str, Any]:
    """What was filled in, as JSON values. What does not fit its kind stays text: the strategy refuses it by name."""
    params: dict[str, Any] = {}
    for name, member in schema.get("properties", {}).items():
        kind, given = _kind(member), posted.get(prefix + name, "")
        if kind == "checkbox":
            params[name] = bool(given)
        elif kind == "lines":
            params[name] = [line.strip() for line in given.replace("\r\n", "\n").split("\n") if line.strip()]
        elif given.strip() or (kind == "text" and "default" not in member):
            params[name] = _value(kind, given)
    return params


def sent_as(schema: Schema, name: str, value: Any) -> str:
    """A parameter's value as its form sends it: what `params_from` reads back."""
    kind = _kind(schema["properties"][name])
    return ("on" if value else "") if kind == "checkbox" else _text_of(kind, value)


def errors_by_field(error: engine.InvalidInput) -> dict[str, str]:
    """Which parameter each fault is of: `/params/protect_rounds` is of `protect_rounds`."""
    errors: dict[str, str] = {}
    for fault in error.faults:
        steps = fault.pointer.split("/")
        if len(steps) > 2 and steps[1] == "params":
            errors.setdefault(steps[2], in_words(fault.detail))
    return errors


def _value(kind: str, given: str) -> Any:
    try:
        match kind:
            case "integer":
                return int(given)
            case "number":
                return int(given) if given.strip().lstrip("-").isdigit() else float(given)
            case "json":
                return jsontext.loads(given)
    except ValueError:
        pass  # It stays text, and the strategy says what it wants instead.
    return given


def _kind(member: Schema) -> str:
    member = _without_null(member)
    if "enum" in member and all(isinstance(v, str) for v in member["enum"]):
        return "select"
    match member.get("type"):
        case "integer" | "number" as kind:
            return str(kind)
        case "boolean":
            return "checkbox"
        case "string":
            return "text"
        case "array" if member.get("items", {}).get("type") == "string":
            return "lines"
    return "json"


def _without_null(member: Schema) -> Schema:
    """`int | None` is the form of an int that may be left empty."""
    branches = [b for b in member.get("anyOf", ()) if b.get("type") != "null"]
    return {**member, **branches[0]} if len(branches) == 1 else member


def _field(name: str, member: Schema, value: Any, error: str, prefix: str) -> Field:
    kind, inner = _kind(member), _without_null(member)
    low, is_open = inner.get("minimum"), "exclusiveMinimum" in inner
    if kind == "integer" and is_open:
        low = inner["exclusiveMinimum"] + 1
    return Field(
        name=prefix + name,
        label=in_words(name.replace("_", " ").capitalize()),
        kind=kind,
        value=_text_of(kind, value),
        help=in_words(member.get("description", "")),
        low="" if low is None else str(low),
        high=str(inner.get("maximum", "")),
        step="1" if kind == "integer" else "any",
        is_checked=value is True,
        options=tuple(Option(v, v == value) for v in inner.get("enum", ())) if kind == "select" else (),
        error=text(error),
    )


def _text_of(kind: str, value: Any) -> str:
    if value is None:
        return ""
    if kind == "lines" and isinstance(value, list):
        return text("\n".join(str(v) for v in value))
    if kind == "json" and not isinstance(value, str):
        return text(jsontext.dumps(value))
    return text(str(value))
