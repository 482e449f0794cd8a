"""A small client of the REST API, as an agent would write it, on Django's test client.

Each answer is held against the schema: what the tests see is what the schema promises.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.utils import timezone

from sessions_app.access.models import User
from sessions_app.access.roles import Role
from sessions_app.access.tokens import make_token
from tests.api.promises import ensure_promised
from tests.builders import make_user

ROOT = "/api/v1/"


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.content)

    @property
    def etag(self) -> str:
        return self.headers["ETag"]

    @property
    def pointers(self) -> list[str]:
        """Where the faults of a request are."""
        return [fault["pointer"] for fault in self.json["errors"]]

    @property
    def slug(self) -> str:
        """That of a problem; every problem says its status and title too."""
        assert self.headers["Content-Type"] == "application/problem+json", self.content
        body = self.json
        assert body["status"] == self.status
        assert body["title"] and body["detail"]
        return str(body["type"].removeprefix("/problems/"))


@dataclass
class Api:
    """Calls under `ROOT` with the token of one user."""

    token: str | None = None
    http: Client = field(default_factory=lambda: Client(raise_request_exception=True))
    user: User | None = None

    @classmethod
    def of(cls, user: User, role: Role | None = None) -> "Api":
        secret, _ = make_token(user=user, name="tests", role=role or Role(user.role), now=timezone.now())
        return cls(token=secret, user=user)

    def call(self, method: str, path: str, body: Any = None, *, raw: bytes | None = None, **headers: Any) -> Answer:
        """`headers` in Python's spelling: `if_match=…`. `raw` sends bytes as they are."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        content_type = sent.pop("content-type", "application/json")
        if self.token is not None:
            sent["Authorization"] = f"Token {self.token}"
        data = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
        response = self.http.generic(method, ROOT + path, data, content_type=content_type, headers=sent)
        answer = Answer(response.status_code, dict(response.headers), response.getvalue())
        ensure_promised(method, ROOT + path.partition("?")[0], sent=data, answer=answer)
        return answer

    def get(self, path: str, **headers: Any) -> Answer:
        return self.call("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: Any) -> Answer:
        return self.call("POST", path, body, **headers)

    def upload(self, *contents: bytes | str, name: str = "trajectory.json", **fields: Any) -> Answer:
        """Import a file, as a browser or curl would send it; several, or none, where a test wants that."""
        files = [SimpleUploadedFile(name, c.encode() if isinstance(c, str) else c) for c in contents]
        sent = encode_multipart(BOUNDARY, {**({"file": files} if files else {}), **fields})
        return self.call("POST", "imports/", raw=sent, content_type=MULTIPART_CONTENT)

    def patch(self, path: str, body: Any, **headers: Any) -> Answer:
        return self.call("PATCH", path, body, **headers)

    def delete(self, path: str, **headers: Any) -> Answer:
        return self.call("DELETE", path, **headers)

    def create(self, *messages: Any, **settings: Any) -> str:
        answer = self.post("sessions/", {"messages": list(messages), **settings})
        assert answer.status == 201, answer.content
        return str(answer.json["session_id"])

    def append(self, session_id: str, *messages: Any, **headers: Any) -> Answer:
        return self.post(f"sessions/{session_id}/frames/", {"messages": list(messages)}, **headers)


def operator() -> Api:
    return Api.of(make_user(role=Role.OPERATOR))
