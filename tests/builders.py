"""Messages and sessions for tests, as plain functions."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from django.contrib.auth import get_user_model

from sessions_app import engine
from sessions_app.access.models import User
from sessions_app.access.roles import Role

Msg = dict[str, Any]


def system(text: str = "You are careful.") -> Msg:
    return {"role": "system", "content": text}


def user(text: str = "Fix the upload test.") -> Msg:
    return {"role": "user", "content": text}


def says(text: str = "Done.") -> Msg:
    return {"role": "assistant", "content": text}


def call(call_id: str, name: str = "run", arguments: str = "{}") -> Msg:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def calls(*call_ids: str, text: str | None = None, name: str = "run") -> Msg:
    """An assistant message that calls a tool once for each id."""
    return {"role": "assistant", "content": text, "tool_calls": [call(i, name) for i in call_ids]}


def reply(call_id: str, text: str = "ok", **members: Any) -> Msg:
    return {"role": "tool", "tool_call_id": call_id, "content": text, **members}


def react_rounds(count: int, *, start: int = 1, size: int = 200) -> list[Msg]:
    """`count` rounds of one call and one long reply each."""
    messages: list[Msg] = []
    for n in range(start, start + count):
        messages += [calls(f"c{n}", name="read_file"), reply(f"c{n}", f"line {n} of the file " * (size // 20))]
    return messages


def make_user(name: str = "", role: Role = Role.OPERATOR) -> User:
    made: User = get_user_model().objects.create_user(username=name or f"u-{uuid4().hex[:8]}", role=role)
    return made


def make_session(*messages: Mapping[str, Any], owner: User | None = None, **settings: Any) -> str:
    """A session with these messages; its id."""
    created = engine.create(owner_id=(owner or make_user()).pk, messages=messages, **settings)
    return created.record.state.session_id


def head(session_id: str) -> engine.Head:
    return engine.reads.session_state(session_id).head


def raw(session_id: str) -> list[Msg]:
    frames: Sequence[engine.Frame] = engine.reads.frames_between(session_id, 1, 10**9)
    assert [f.seq for f in frames] == list(range(1, len(frames) + 1)), "seq has a gap"
    return [f.message.copy() for f in frames]


def window(session_id: str) -> list[Msg]:
    return [item.message.copy() for item in engine.reads.current_window(session_id).window]


def claims(session_id: str) -> list[list[int]]:
    return [list(item.original_seqs) for item in engine.reads.current_window(session_id).window]


def roles(messages: Sequence[Mapping[str, Any]]) -> str:
    """`sUAR` and so on: one letter a message."""
    letters = {"system": "S", "developer": "D", "user": "U", "assistant": "A", "tool": "R"}
    return "".join(letters[m["role"]] for m in messages)
