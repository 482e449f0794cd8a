"""A session and its copy, compared by everything that is stored of them."""

from dataclasses import asdict
from typing import Any
from uuid import uuid4

from sessions_app import engine
from sessions_app.models import Compression, ContextMessage, RawFrame

ITS_OWN = {"session_id", "incarnation", "owner_id"}


def copied(session_id: str, *, owner_id: int) -> str:
    """The id of a session made from this one by value."""
    copy = engine.reads.copy_of(engine.reads.session_record(session_id))
    made = engine.import_copy(copy, owner_id=owner_id, session_id=f"copy-{uuid4().hex}")
    return made.session_id


def everything(session_id: str, *, but_times: bool = False) -> dict[str, Any]:
    """All rows of a session, without its names; the derived columns too."""
    record = engine.reads.session_record(session_id)
    state = {name: value for name, value in asdict(record.state).items() if name not in ITS_OWN}
    left_out = {"session", "created_at", "duration_ms"} if but_times else {"session"}
    return {
        "state": state,
        "settings": (record.title, record.labels),
        **{
            model.__name__: list(
                model._default_manager.filter(session_id=session_id)
                .order_by(*order)
                .values(*[f.name for f in model._meta.concrete_fields if f.name not in left_out])
            )
            for model, order in (
                (RawFrame, ["seq"]),
                (ContextMessage, ["version", "position"]),
                (Compression, ["version"]),
            )
        },
    }
