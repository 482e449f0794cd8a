"""What the schema promises of each answer, as a check. Everything that is slow to make is made once a process."""

import json
import re
from functools import cache
from typing import Any, Protocol

from drf_spectacular.generators import SchemaGenerator
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

PROBLEM = "application/problem+json"
LINES = "application/jsonl"
"""The schema is that of each line."""


class Answered(Protocol):
    status: int
    headers: dict[str, str]
    content: bytes


def ensure_promised(method: str, path: str, *, sent: bytes, answer: Answered) -> None:
    """The status, media type, shape and problem are among those that the schema names; so is JSON that was taken."""
    template = _template_of(path)
    operation = schema()["paths"].get(template, {}).get(method.lower())
    if template is None or operation is None or answer.status == 405:
        return
    promised = operation["responses"].get(str(answer.status))
    assert promised is not None, f"{method} {template} promises no {answer.status}: {answer.content[:500]!r}"
    where = ("paths", template, method.lower())
    if answer.status == 204:
        assert answer.content == b""
        return
    media_type = answer.headers["Content-Type"]
    values = answer.content.splitlines(keepends=True) if media_type == LINES else [answer.content]
    for value in values:
        _ensure_valid((*where, "responses", str(answer.status), "content", media_type, "schema"), value)
    if media_type == PROBLEM:
        slug = json.loads(answer.content)["type"].removeprefix("/problems/")
        assert slug in promised_slugs(template, method, answer.status), f"{method} {template} promises no {slug}"
    elif sent and "application/json" in operation.get("requestBody", {}).get("content", {}):
        _ensure_valid((*where, "requestBody", "content", "application/json", "schema"), sent)


@cache
def schema() -> dict[str, Any]:
    made: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return made


def promised_slugs(template: str, method: str, status: int) -> set[str]:
    content = schema()["paths"][template][method.lower()]["responses"][str(status)]["content"]
    return {e["value"]["type"].removeprefix("/problems/") for e in content[PROBLEM]["examples"].values()}


@cache
def _templates() -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(re.sub(r"\{\w+\}", "[^/]+", t) + r"\Z"), t) for t in schema()["paths"]]


def _template_of(path: str) -> str | None:
    return next((template for pattern, template in _templates() if pattern.match(path)), None)


def _ensure_valid(where: tuple[str, ...], text: bytes) -> None:
    error = next(iter(_validator(where).iter_errors(json.loads(text))), None)
    assert error is None, f"{'/'.join(where)}: {error.message[:500]} at {list(error.absolute_path)}"


@cache
def _validator(where: tuple[str, ...]) -> Draft202012Validator:
    pointer = "/".join(part.replace("~", "~0").replace("/", "~1") for part in where)
    return Draft202012Validator({"$ref": f"urn:api#/{pointer}"}, registry=_registry())


@cache
def _registry() -> Registry:
    return Registry().with_resource("urn:api", DRAFT202012.create_resource(schema()))
