"""Errors as RFC 9457 problems: one table from exception to slug and members. What is not in it propagates."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpResponse
from rest_framework import exceptions

from sessions_app import engine, jsontext
from sessions_app.access.sessions import Forbidden
from sessions_app.api.parsers import NotMultipart, WholeFormParser
from sessions_app.api.representations import frame_json, head_json, open_call_json
from sessions_app.compression.errors import Busy, StrategyUnavailable, SummariserFailed, TooManyFrames
from sessions_app.interchange import UnknownFormat

MEDIA_TYPE: Final = "application/problem+json"
BUSY_RETRY_AFTER_S: Final = 1


@dataclass(frozen=True, slots=True)
class Problem:
    status: int
    title: str


PROBLEMS: Final[dict[str, Problem]] = {
    "malformed-json": Problem(400, "The body is not valid JSON"),
    "invalid-request": Problem(400, "The request is not valid"),
    "unauthenticated": Problem(401, "Credentials are missing or not valid"),
    "forbidden": Problem(403, "You may not do this"),
    "not-found": Problem(404, "There is nothing here"),
    "version-not-kept": Problem(404, "This version of the context window is no longer kept"),
    "method-not-allowed": Problem(405, "This address does not take this method"),
    "not-acceptable": Problem(406, "The answer is not available in a form that you accept"),
    "conflict": Problem(409, "Others were writing at the same time"),
    "open-tool-calls": Problem(409, "Tool calls await their replies"),
    "unmatched-tool-reply": Problem(409, "The reply matches no tool call"),
    "nothing-to-compress": Problem(409, "There is nothing to compress"),
    "session-exists": Problem(409, "A session with this id exists"),
    "stale-head": Problem(412, "The session has moved"),
    "too-large": Problem(413, "Too large"),
    "unsupported-media-type": Problem(415, "The body has a media type that is not taken here"),
    "idempotency-key-reused": Problem(422, "The idempotency key was used for another request"),
    "rule-broken": Problem(422, "The strategy made a window that breaks a rule"),
    "unknown-format": Problem(422, "The file has no known format"),
    "leased": Problem(423, "Another holds the lease of this session"),
    "head-required": Problem(428, "The write must name the head it was made for"),
    "throttled": Problem(429, "Too many attempts"),
    "internal-error": Problem(500, "Something went wrong on our side"),
    "damaged-frame": Problem(500, "A stored message is damaged"),
    "summariser-failed": Problem(502, "The model that summarises did not give a usable summary"),
    "database-unavailable": Problem(503, "The database cannot be reached"),
    "busy": Problem(503, "Too much is going on"),
}

Members = dict[str, Any]


def problem_response(
    slug: str, *, detail: str = "", members: Members | None = None, headers: dict[str, str] | None = None
) -> HttpResponse:
    """A problem as an answer. `members` are those that let a program go on."""
    problem = PROBLEMS[slug]
    body = {
        "type": f"/problems/{slug}",
        "title": problem.title,
        "status": problem.status,
        "detail": detail or problem.title,
        **(members or {}),
    }
    return HttpResponse(
        jsontext.dumps(body).encode("utf-8"), status=problem.status, content_type=MEDIA_TYPE, headers=headers
    )


def _faults(e: engine.InvalidInput) -> Members:
    return {"errors": [{"pointer": f.pointer, "detail": f.detail} for f in e.faults]}


def _actual(e: engine.AtHead) -> Members:
    return {"actual": head_json(e.actual)}


def _open_calls(e: engine.OpenToolCalls) -> Members:
    return {**_actual(e), "open_tool_calls": [open_call_json(c) for c in e.calls], "pointer": e.pointer}


def _unmatched(e: engine.UnmatchedToolReply) -> Members:
    calls = [open_call_json(c) for c in e.actual.open_calls]
    return {**_actual(e), "open_tool_calls": calls, "pointer": e.pointer}


def _stale(e: engine.StaleHead) -> Members:
    expected = {
        "next_msg_seq": e.expected.next_msg_seq,
        "context_compression_version": e.expected.context_compression_version,
        "incarnation": e.expected.incarnation,
    }
    return {"expected": expected, **_actual(e), "missed": [frame_json(f) for f in e.missed]}


def _head_required(e: engine.HeadRequired) -> Members:
    return {"expected": None, **_actual(e), "missed": []}


def _broken(e: engine.RuleBroken) -> Members:
    return {"broken": [{"rule": b.rule, "position": b.position, "detail": b.why} for b in e.broken]}


def _too_many_fields(_e: Exception) -> Members:
    return {"errors": [{"pointer": "", "detail": f"over {settings.DATA_UPLOAD_MAX_NUMBER_FIELDS:,} parameters"}]}


def _too_many_files(_e: Exception) -> Members:
    return {"errors": [{"pointer": "", "detail": f"over {settings.DATA_UPLOAD_MAX_NUMBER_FILES} files"}]}


def _nothing(_e: Exception) -> Members:
    return {}


# The first class that fits decides: a subclass stands before its base.
TABLE: Final[tuple[tuple[type[Exception], str, Callable[[Any], Members]], ...]] = (
    (engine.MalformedJSON, "malformed-json", lambda e: {"errors": [{"pointer": "", "detail": str(e)}]}),
    (engine.InvalidInput, "invalid-request", _faults),
    (Forbidden, "forbidden", _nothing),
    (engine.VersionNotKept, "version-not-kept", _nothing),
    (engine.SessionNotFound, "not-found", _nothing),
    (engine.FrameNotFound, "not-found", _nothing),
    (engine.VersionNotFound, "not-found", _nothing),
    (engine.SessionExists, "session-exists", _nothing),
    (engine.HistoryDiverged, "session-exists", _nothing),
    (engine.OpenToolCalls, "open-tool-calls", _open_calls),
    (engine.UnmatchedToolReply, "unmatched-tool-reply", _unmatched),
    (engine.NothingToCompress, "nothing-to-compress", _actual),
    (engine.Conflict, "conflict", _actual),
    (engine.StaleHead, "stale-head", _stale),
    (engine.HeadRequired, "head-required", _head_required),
    (engine.KeyReused, "idempotency-key-reused", _nothing),
    (engine.RuleBroken, "rule-broken", _broken),
    (engine.DamagedMessage, "damaged-frame", _nothing),
    (engine.DatabaseBusy, "busy", _nothing),
    (engine.DatabaseUnavailable, "database-unavailable", _nothing),
    (SummariserFailed, "summariser-failed", _nothing),
    (StrategyUnavailable, "invalid-request", lambda e: {"errors": [{"pointer": "/strategy", "detail": str(e)}]}),
    (Busy, "busy", _nothing),
    (TooManyFrames, "too-large", lambda e: {"limit_frames": e.limit, "frames": e.frames}),
    (UnknownFormat, "unknown-format", lambda e: {"known": list(e.known)}),
    (TooManyFieldsSent, "invalid-request", _too_many_fields),
    (TooManyFilesSent, "invalid-request", _too_many_files),
    (RequestDataTooBig, "too-large", lambda _e: {"limit_bytes": settings.DATA_UPLOAD_MAX_MEMORY_SIZE}),
    (exceptions.NotAuthenticated, "unauthenticated", _nothing),
    (exceptions.AuthenticationFailed, "unauthenticated", _nothing),
    (exceptions.PermissionDenied, "forbidden", _nothing),
    (PermissionDenied, "forbidden", _nothing),
    (exceptions.NotFound, "not-found", _nothing),
    (Http404, "not-found", _nothing),
    (exceptions.MethodNotAllowed, "method-not-allowed", _nothing),
    (exceptions.NotAcceptable, "not-acceptable", _nothing),
    (NotMultipart, "unsupported-media-type", lambda _e: {"supported": [WholeFormParser.media_type]}),
    (exceptions.UnsupportedMediaType, "unsupported-media-type", lambda _e: {"supported": ["application/json"]}),
    (exceptions.Throttled, "throttled", lambda e: {"retry_after_seconds": e.wait}),
    (exceptions.ParseError, "invalid-request", lambda e: {"errors": [{"pointer": "", "detail": str(e)}]}),
)


def exception_handler(exc: Exception, _context: dict[str, Any]) -> HttpResponse | None:
    """DRF's hook. None lets the exception propagate: a defect is not dressed up as a problem of the client's."""
    if isinstance(exc, OperationalError | InterfaceError):
        exc = engine.as_refusal(exc)
    return refusal_response(exc)


def refusal_response(exc: Exception) -> HttpResponse | None:
    """The problem that the table has for this exception; None where it has none."""
    for kind, slug, members in TABLE:
        if isinstance(exc, kind):
            return problem_response(slug, detail=_detail(exc), members=members(exc), headers=_headers(exc, slug))
    return None


def _detail(exc: Exception) -> str:
    if isinstance(exc, RequestDataTooBig):
        return f"A body may have up to {settings.DATA_UPLOAD_MAX_MEMORY_SIZE:,} bytes."
    return str(exc)


def _headers(exc: Exception, slug: str) -> dict[str, str]:
    headers = {}
    if (scheme := getattr(exc, "auth_header", None)) is not None:
        headers["WWW-Authenticate"] = scheme
    if (wait := getattr(exc, "wait", None)) is not None:
        headers["Retry-After"] = str(int(wait) + 1)
    if PROBLEMS[slug].status in (502, 503):
        headers["Retry-After"] = str(BUSY_RETRY_AFTER_S)
    return headers
