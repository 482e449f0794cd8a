"""The working set of an agent in the same process.

Frozen values that share unchanged messages: an append makes a new context without copying the old window's messages.
The one thing that changes is which context the runtime holds, and that changes after the commit only.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils import timezone
from pydantic import BaseModel

from sessions_app.engine import reads
from sessions_app.engine.append import Metadata, append
from sessions_app.engine.attempts import Written
from sessions_app.engine.compress import compress
from sessions_app.engine.create import create
from sessions_app.engine.database import with_typed_failures
from sessions_app.engine.recover import recover
from sessions_app.engine.recovery_text import RecoveryWording
from sessions_app.engine.restore import restore
from sessions_app.engine.sendable import sendable
from sessions_app.engine.state import OpenCall, SessionState
from sessions_app.engine.strategy import Strategy, Toolbox
from sessions_app.engine.window import Window
from sessions_app.models import Head

Append = Callable[..., Written]
APPEND: Final[Append] = append
"""What a runtime appends with, unless it is given another that takes the same arguments: one that compresses after it,
by the session's policy, lives above the engine.
"""


@dataclass(frozen=True, slots=True)
class RequestContext:
    """What the next model call is made from: where the session stands and its window."""

    state: SessionState
    window: Window

    @property
    def head(self) -> Head:
        return self.state.head

    def messages(self) -> list[dict[str, Any]]:
        """The list to send, fit for providers. Each call makes dicts of the caller's own."""
        return sendable(item.message for item in self.window)

    def after(self, written: Written) -> "RequestContext":
        """The context once `written` is committed: shares every message that did not change."""
        placements = written.context or ()
        if written.window is not None:
            return RequestContext(written.state, written.window)
        if written.compression is not None:
            return RequestContext(written.state, Window.of(p.item for p in placements))
        window, items = self.window, []
        for placement in placements:
            if placement.position <= len(self.window):
                window = window.with_item(placement.position - 1, placement.item)
            else:
                items.append(placement.item)
        return RequestContext(written.state, window.extended(items))


@dataclass(slots=True)
class RuntimeSession:
    """A session held by one agent. Every write is made against the head that it holds and is never retried.

    After StaleHead the object is what it was: `reload()` and decide anew. Not for use by several threads at once.
    """

    context: RequestContext
    wording: RecoveryWording | None = None
    now: Callable[[], datetime] = timezone.now
    append_with: Append = APPEND

    @classmethod
    def load(
        cls,
        session_id: str,
        *,
        wording: RecoveryWording | None = None,
        now: Callable[[], datetime] = timezone.now,
        append_with: Append = APPEND,
    ) -> "RuntimeSession":
        """Read a session and its window by one statement; write nothing.

        Raises SessionNotFound, DatabaseBusy, DatabaseUnavailable.
        """
        return cls(_read(session_id), wording, now, append_with)

    @classmethod
    def resume(
        cls,
        session_id: str,
        *,
        reason: str | None = None,
        wording: RecoveryWording | None = None,
        now: Callable[[], datetime] = timezone.now,
        append_with: Append = APPEND,
    ) -> "RuntimeSession":
        """What an agent calls when it starts again: load, answer the open calls by recovery frames, publish.

        Raises SessionNotFound, StaleHead where another agent moved the session meanwhile.
        """
        runtime = cls.load(session_id, wording=wording, now=now, append_with=append_with)
        runtime.recover(reason=reason)
        return runtime

    @classmethod
    def create(
        cls,
        *,
        owner_id: int,
        wording: RecoveryWording | None = None,
        now: Callable[[], datetime] = timezone.now,
        append_with: Append = APPEND,
        **settings: Any,
    ) -> "RuntimeSession":
        """Make a session and hold it. `settings` are those of `engine.create`."""
        created = create(owner_id=owner_id, wording=wording, now=now, **settings)
        return cls.load(created.record.state.session_id, wording=wording, now=now, append_with=append_with)

    @property
    def session_id(self) -> str:
        return self.context.state.session_id

    @property
    def head(self) -> Head:
        return self.context.head

    @property
    def open_calls(self) -> tuple[OpenCall, ...]:
        return self.context.state.open_calls

    def messages(self) -> list[dict[str, Any]]:
        return self.context.messages()

    def append(
        self,
        *messages: Mapping[str, Any],
        metadata: Metadata = None,
        recover: bool = False,
    ) -> Written:
        """Append against the head that this runtime holds. Raises what `engine.append` raises."""
        return self._publish(
            self.append_with(
                session_id=self.session_id,
                messages=messages,
                expected=self.head,
                recover=recover,
                metadata=metadata,
                wording=self.wording,
                now=self.now,
            )
        )

    def recover(self, *, reason: str | None = None) -> Written:
        return self._publish(
            recover(
                session_id=self.session_id,
                expected=self.head,
                reason=reason,
                wording=self.wording,
                now=self.now,
            )
        )

    def compress(
        self,
        strategy: Strategy,
        params: BaseModel | None = None,
        *,
        tools: Toolbox = Toolbox(),
        created_by: str = "",
    ) -> Written:
        """Publish what `strategy` makes of the window. Raises what `engine.compress` raises."""
        return self._publish(
            compress(
                session_id=self.session_id,
                strategy=strategy,
                params=params or strategy.Params(),
                expected=self.head,
                tools=tools,
                created_by=created_by,
                now=self.now,
            )
        )

    def restore(self, version: int, *, created_by: str = "") -> Written:
        return self._publish(
            restore(
                session_id=self.session_id,
                version=version,
                expected=self.head,
                created_by=created_by,
                now=self.now,
            )
        )

    def reload(self) -> None:
        """Take the session as it is now. What to do with a write that was refused is the caller's to decide."""
        self.context = _read(self.session_id)

    def _publish(self, written: Written) -> Written:
        self.context = self.context.after(written)
        return written


@with_typed_failures
def _read(session_id: str) -> RequestContext:
    read = reads.current_window(session_id)
    return RequestContext(read.state, read.window)
