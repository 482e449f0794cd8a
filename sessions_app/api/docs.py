"""What the schema says beyond the shapes: parameters, problems and examples."""

import json
from http import HTTPStatus
from typing import Any, Final

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse
from pydantic import BaseModel

from sessions_app.api import answers
from sessions_app.api.bodies import Query
from sessions_app.api.problems import MEDIA_TYPE, PROBLEMS

IF_MATCH: Final = OpenApiParameter(
    "If-Match",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description='The head that you have seen, as the ETag of an answer: `"<next_msg_seq>.<version>.<incarnation>"`.',
    examples=[OpenApiExample("a head", value='"7.1.9f86d081884c7d65"')],
)
IF_MATCH_OPTIONAL: Final = OpenApiParameter(
    "If-Match", OpenApiTypes.STR, OpenApiParameter.HEADER, description="Not needed; one that is given must be current."
)
IF_MATCH_REQUIRED: Final = OpenApiParameter(
    "If-Match", OpenApiTypes.STR, OpenApiParameter.HEADER, required=True, description="The head, or `*`."
)
IDEMPOTENCY_KEY: Final = OpenApiParameter(
    "Idempotency-Key",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="1 to 255 characters. The same request under the same key is done once; kept for 7 days.",
)

_ALWAYS: Final = (
    "invalid-request",  # each route refuses query parameters that it does not know
    "unauthenticated",
    "forbidden",
    "not-acceptable",
    "database-unavailable",
    "busy",
)
_WITH_FILE: Final = ("too-large", "unsupported-media-type")
_WITH_BODY: Final = ("malformed-json", *_WITH_FILE)


def query(model: type[Query]) -> list[OpenApiParameter]:
    """The query parameters that a model declares."""
    schema = model.model_json_schema()
    return [
        OpenApiParameter(
            name,
            _flat(declared, schema.get("$defs", {})),
            OpenApiParameter.QUERY,
            description=declared.get("description", ""),
        )
        for name, declared in schema["properties"].items()
    ]


def _flat(declared: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """A parameter that is left out is no null: the schema of what may be given."""
    kept = {k: v for k, v in declared.items() if k not in ("anyOf", "title", "description", "$ref")}
    for choice in declared.get("anyOf", [declared]):
        if choice.get("type") != "null":
            source = definitions[choice["$ref"].rsplit("/", 1)[1]] if "$ref" in choice else choice
            kept |= {k: v for k, v in source.items() if k not in ("anyOf", "title", "description")}
    return {k: v for k, v in kept.items() if not (k == "default" and v is None)}


def responses(
    shapes: dict[int, type[BaseModel] | None], *slugs: str, takes_body: bool = False, takes_file: bool = False
) -> dict[Any, Any]:
    """The answers of a route: its shapes by status, and the problems that it may meet beside those of all routes."""
    found: dict[Any, Any] = {
        status: OpenApiResponse(shape, description=HTTPStatus(status).phrase) for status, shape in shapes.items()
    }
    by_status: dict[int, list[str]] = {}
    of_body = _WITH_BODY if takes_body else _WITH_FILE if takes_file else ()
    for slug in (*of_body, *slugs, *_ALWAYS):
        by_status.setdefault(PROBLEMS[slug].status, []).append(slug)
    for status, names in sorted(by_status.items()):
        found[(status, MEDIA_TYPE)] = OpenApiResponse(
            answers.Problem,
            description=" · ".join(f"`{name}`: {PROBLEMS[name].title}" for name in names),
            examples=[OpenApiExample(name, value=_problem(name), response_only=True) for name in names],
        )
    return found


def _problem(slug: str) -> dict[str, Any]:
    problem = PROBLEMS[slug]
    return {"type": f"/problems/{slug}", "title": problem.title, "status": problem.status, "detail": problem.title}


_USER: Final = {"role": "user", "content": "Why does the upload test fail?"}
_CALL: Final = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": '{"path":"upload.py"}'}}
    ],
}
_REPLY: Final = {"role": "tool", "tool_call_id": "call_1", "content": "def upload(stream): ..."}

_REQUESTS: Final[dict[str, dict[str, Any]]] = {
    "create_session": {"title": "Fix the upload test", "labels": ["ci"], "messages": [_USER]},
    "change_session": {"title": "Fix the flaky upload test", "compression_policy": {"limit_tokens": 128000}},
    "append_frames": {"messages": [_CALL, _REPLY]},
    "compress": {"strategy": "sliding_window", "params": {"protect_rounds": 3}},
    "compare_strategies": {
        "strategies": [{"strategy": "digest"}, {"strategy": "sliding_window", "params": {"protect_rounds": 1}}],
        "probes": ["upload.py"],
    },
    "replay_session": {
        "strategies": [{"strategy": "clear_tool_results"}, {"strategy": "digest"}],
        "limit_tokens": 128000,
        "trigger": 0.8,
        "prices": {"read": 0.1, "write": 1.25, "output": 5},
    },
    "recover": {"reason": "crash"},
    "compress_pasted": {"strategy": "digest", "messages": [_USER, _CALL, _REPLY]},
    "import_file": {"file": json.dumps([_USER, _CALL, _REPLY]), "format": "openai-chat", "dry_run": True},
}


def examples(operation: str, *, media_type: str = "application/json") -> list[OpenApiExample]:
    return [OpenApiExample("a request", value=_REQUESTS[operation], request_only=True, media_type=media_type)]


_MOMENT: Final = "2026-11-30T08:15:00.000000Z"
_LINES: Final[dict[str, Any]] = {
    "a message": _USER,
    "a bundle: the session": {
        "type": "session",
        "format": "session-engine-bundle",
        "bundle_version": 1,
        "session_id": "upload-flake",
        "title": "Fix the upload test",
        "labels": ["ci"],
        "keep_context_history": True,
        "require_head": False,
        "compression_policy": None,
        "next_msg_seq": 2,
        "context_compression_version": 1,
    },
    "a bundle: a frame": {
        "type": "frame",
        "seq": 1,
        "source": "agent",
        "created_at": _MOMENT,
        "context_version": 1,
        "metadata": {},
        "message": _USER,
    },
    "a bundle: a version": {
        "type": "version",
        "version": 1,
        "strategy": None,
        "requested_strategy": None,
        "params": {},
        "why": "",
        "before": {"tokens": 0, "messages": 0},
        "after": {"tokens": 0, "messages": 0},
        "fates": {"kept": 0, "edited": 0, "summarised": 0, "dropped": 0},
        "from": {"next_msg_seq": 1, "context_compression_version": None},
        "created_by": "me",
        "created_at": _MOMENT,
        "duration_ms": 0,
        "usage": {},
        "context_messages": 1,
    },
    "a bundle: a context message": {
        "type": "context",
        "version": 1,
        "position": 1,
        "kind": "original",
        "original_seqs": [[1, 1]],
    },
}


def lines(media_type: str) -> list[OpenApiExample]:
    """One of each kind of line that an export has; those of the bundle are one, in their order."""
    return [
        OpenApiExample(name, value=value, response_only=True, media_type=media_type, status_codes=["200"])
        for name, value in _LINES.items()
    ]
