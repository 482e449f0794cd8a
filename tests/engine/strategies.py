"""Strategies for tests of the engine, which must not depend on those of the product."""

from typing import Any

from pydantic import BaseModel

from sessions_app import engine
from sessions_app.engine import CannotCompress, ContextItem, Message, Seqs, Toolbox, Window


class Params(BaseModel):
    keep: int = 1


class Fold:
    """Makes one summary of all rounds but the newest `keep`; the system message and the first request stay."""

    name = "fold"
    Params = Params

    def compress(self, window: Window, *, params: Any, tools: Toolbox) -> Window:
        old = window.complete_rounds[: -params.keep] if params.keep else window.complete_rounds
        stays = set(window.request_indexes[:1] + window.request_indexes[-1:]) | set(range(window.system_stop))
        covered = [window[i] for span in old for i in range(span.start, span.stop) if i not in stays]
        if not covered:
            raise CannotCompress("There is no old round.")
        seqs = Seqs.union(item.original_seqs for item in covered)
        text = f"[summary of {len(seqs)} frames]"
        summary = ContextItem.summary(seqs=seqs, message=Message.of({"role": "user", "content": text}))
        rest = [item for item in window if item not in covered]
        return Window.of(sorted([*rest, summary], key=lambda item: item.original_seqs.first))


class Gives:
    """Gives the window that a test hands it."""

    name = "gives"
    Params = Params

    def __init__(self, make: Any) -> None:
        self.make = make

    def compress(self, window: Window, *, params: Any, tools: Toolbox) -> Window:
        made: Window = self.make(window)
        return made


def fold(session_id: str, *, keep: int = 1, **options: Any) -> engine.Written:
    return engine.compress(session_id=session_id, strategy=Fold(), params=Params(keep=keep), **options)
