"""Every route of the URL configuration, with what each of WHO is answered by method. For the tests of access."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import Group
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from inspector.heads import tag_of
from sessions_app.access.models import User
from sessions_app.access.roles import Role
from sessions_app.access.tokens import make_token
from tests.builders import calls, head, make_session, make_user, react_rounds, reply, says, system, user

WHO = ("anonymous", "other", "viewer", "operator", "staff")
"""`other` is an operator who does not own the session; `viewer` and `operator` own it; `staff` does not."""

HISTORY = [system(), user(), *react_rounds(5, size=60), says(), user(), calls("a")]
Row = tuple[int, int, int, int, int]


@dataclass(frozen=True)
class Route:
    """`sends`: by method, the body of an API call or the form of a page. `page`: asked with the browser's login.
    `takes_file`: the body is a multipart form.
    """

    answers: dict[str, Row]
    sends: dict[str, dict[str, Any]] = field(default_factory=dict)
    page: bool = False
    takes_file: bool = False

    def encoded(self, body: dict[str, Any]) -> tuple[bytes, str]:
        """The body of an API call and its media type."""
        if self.takes_file:
            files = {k: SimpleUploadedFile(k, json.dumps(v).encode()) if k == "file" else v for k, v in body.items()}
            return encode_multipart(BOUNDARY, files), MULTIPART_CONTENT
        return json.dumps(body).encode() if body else b"", "application/json"


def reads(of_all: bool = False) -> Route:
    return Route({"GET": (401, 200, 200, 200, 200) if of_all else (401, 404, 200, 200, 200)})


def page(get: Row, post: Row | None = None, **form: str) -> Route:
    return Route({"GET": get} | ({"POST": post} if post else {}), {"POST": form}, page=True)


def form(post: int = 303, **fields: str) -> Route:
    return page((302, 404, 302, 302, 302), (302, 404, 403, post, post), **fields)


PUBLIC: Row = (200, 200, 200, 200, 200)
OWN: Row = (401, 404, 403, 200, 200)
NEW: Row = (401, 404, 403, 201, 201)
PAGE: Row = (302, 404, 200, 200, 200)
STAFF: Row = (302, 403, 403, 403, 200)
NOBODY: Row = (302, 403, 403, 403, 403)
SMALLER = {"strategy": "sliding_window", "params": {"protect_rounds": 1}}

ROUTES: dict[str, Route] = {
    "api-sessions": Route({"GET": (401, 200, 200, 200, 200), "POST": (401, 201, 403, 201, 201)}),
    "api-session": Route(
        {"GET": (401, 404, 200, 200, 200), "PATCH": OWN, "DELETE": (401, 404, 403, 204, 204)},
        {"PATCH": {"title": "new"}},
    ),
    "api-frames": Route(
        {"GET": (401, 404, 200, 200, 200), "POST": NEW},
        {"POST": {"messages": [reply("a")]}},
    ),
    "api-frame": reads(),
    "api-context": reads(),
    "api-context-messages": reads(),
    "api-versions": reads(),
    "api-compressions": Route({"POST": NEW}, {"POST": SMALLER}),
    "api-comparisons": Route({"POST": (401, 404, 200, 200, 200)}, {"POST": {"strategies": [SMALLER]}}),
    "api-replays": Route({"POST": (401, 404, 200, 200, 200)}, {"POST": {"strategies": [SMALLER]}}),
    "api-recovery": Route({"POST": OWN}),
    "api-export": reads(),
    "api-imports": Route({"POST": (401, 201, 403, 201, 201)}, {"POST": {"file": HISTORY}}, takes_file=True),
    "api-strategies": reads(of_all=True),
    "api-compress": Route({"POST": (401, 200, 200, 200, 200)}, {"POST": {**SMALLER, "messages": HISTORY}}),
    "api-schema": Route({"GET": PUBLIC}),
    "api-docs": Route({"GET": PUBLIC}),
    "healthz": Route({"GET": PUBLIC}),
    "readyz": Route({"GET": PUBLIC}),
    "sessions": page((302, 200, 200, 200, 200)),
    "tokens": page((302, 200, 200, 200, 200), (302, 200, 200, 200, 200), name="t", role="viewer"),
    "token_revoke": page((405,) * 5, (302, 404, 404, 404, 404)),
    "import": page((302, 200, 200, 200, 200), (302, 400, 403, 400, 400)),  # a form without a file
    "session": page(PAGE),
    "frame": page(PAGE),
    "context_message": page(PAGE),
    "frame_text": page(PAGE),
    "frame_image": page((302, 404, 404, 404, 404)),  # the frame holds none
    "context_text": page(PAGE),
    "copy": page(PAGE),
    "session_compare": page(PAGE),
    "session_compare_text": page((302, 404, 404, 404, 404)),  # the address names no candidate
    "session_live": page(PAGE),
    "session_replay": page(PAGE),
    "session_compress": form(strategy="sliding_window", protect_rounds="1"),
    "session_restore": form(409, version="1"),
    "session_recover": form(),
    "session_append": form(messages=json.dumps(reply("a"))),
    "session_rename": form(title="new", labels=""),
    "session_history": form(keep="on"),
    "session_policy": form(strategy="sliding_window"),
    "session_delete": form(confirm="s"),
    "problems": page(PUBLIC),
    "problem": page(PUBLIC),
    "problems/<slug:slug>/": page(PUBLIC),
    "login": page(PUBLIC, PUBLIC),
    "login_link": page((410,) * 5, (410,) * 5),
    "logout": page((405,) * 5, (302,) * 5),
    "set_language": page((302,) * 5, (302,) * 5),
    "admin:index": page(STAFF),
    "admin:jsi18n": page(STAFF),
    "admin:app_list": page(STAFF),
    "admin:access_user_changelist": page(STAFF),
    "admin:access_user_add": page(STAFF, STAFF),
    "admin:access_user_change": page(STAFF, STAFF),
    "admin:auth_user_password_change": page(STAFF, STAFF),
    "admin:access_user_history": page(STAFF),
    "admin:access_user_delete": page(NOBODY, NOBODY),
    "admin/access/user/<path:object_id>/": page((302, 403, 403, 403, 302)),
    "admin:auth_group_changelist": page(STAFF),
    "admin:auth_group_add": page(STAFF, STAFF),
    "admin:auth_group_change": page(STAFF, STAFF),
    "admin:auth_group_history": page(STAFF),
    "admin:auth_group_delete": page(STAFF, (302, 403, 403, 403, 302)),
    "admin/auth/group/<path:object_id>/": page((302, 403, 403, 403, 302)),
}


def patterns(
    of: list[URLPattern | URLResolver] | None = None, *, at: str = "", space: str = ""
) -> Iterator[tuple[str, URLPattern]]:
    """By name, with that of its namespace; those without one by their whole path."""
    for pattern in get_resolver().url_patterns if of is None else of:
        if isinstance(pattern, URLResolver):
            inner = f"{pattern.namespace}:" if pattern.namespace else space
            yield from patterns(pattern.url_patterns, at=at + str(pattern.pattern), space=inner)
        else:
            yield space + pattern.name if pattern.name else at + str(pattern.pattern), pattern


def address(name: str) -> str:
    """That of the route for the session `s`, or for a user or a group."""
    pattern = dict(patterns())[name]
    kwargs = {k: _given(k, name) for k in pattern.pattern.regex.groupindex}
    if pattern.name:
        return reverse(name, kwargs=kwargs)
    return "/" + re.sub(r"<\w+:(\w+)>", lambda m: str(kwargs[m[1]]), name)


def _given(argument: str, name: str) -> str | int:
    if argument in ("id", "object_id"):
        return User.objects.earliest("pk").pk if "user" in name else Group.objects.get().pk
    given: dict[str, str | int] = {
        **{"session_id": "s", "seq": 1, "version": 1, "position": 1, "number": 1},
        **{"slug": "conflict", "secret": "none", "token_id": 1, "app_label": "access"},
    }
    return given[argument]


def session_and(who: str) -> User | None:
    """Make the session `s`, and the one who asks for it."""
    owner = make_user(role=Role.VIEWER if who == "viewer" else Role.OPERATOR)
    make_session(*HISTORY, owner=owner, session_id="s")
    Group.objects.create(name="g")
    match who:
        case "anonymous":
            return None
        case "viewer" | "operator":
            return owner
    return make_user(role=Role.STAFF if who == "staff" else Role.OPERATOR)


def ask(name: str, method: str, who: User | None, *, query: str = "", body: Any = None) -> Any:
    """Ask as a program does, or for a page as a browser does. The response."""
    route, client = ROUTES[name], Client()
    sent = route.sends.get(method, {}) if body is None else body
    path = address(name) + query
    if route.page:
        if who is not None:
            client.force_login(who)
        if method == "POST":
            return client.post(path, {"head": tag_of(head("s")), **sent})
        answer: Any = client.generic(method, path)
        answer.whole = answer.getvalue()  # read to its end, so that what it is sent from is closed
        return answer
    headers = {"If-Match": "*"} if method == "DELETE" else {}
    if who is not None:
        secret, _ = make_token(user=who, name="t", role=Role(who.role), now=timezone.now())
        headers["Authorization"] = f"Token {secret}"
    data, media_type = route.encoded(sent)
    response: Any = client.generic(method, path, data, content_type=media_type, headers=headers)
    response.whole = response.getvalue()
    return response
