"""What the engine refuses, and with what the caller can go on. The API turns each into one problem slug."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sessions_app.engine.frames import Frame
    from sessions_app.engine.rules import Broken
    from sessions_app.models import Head
from sessions_app.engine.state import OpenCall, SessionState


class EngineError(Exception):
    """Base of all refusals. Nothing was written, and the object in memory is what it was."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with an input: a JSON pointer to it and a sentence."""

    pointer: str
    detail: str


class InvalidInput(EngineError):
    """An argument breaks a rule that can be seen without looking at any session."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(f"{f.pointer or 'the body'} {f.detail}" for f in self.faults[:5]))


class InvalidMessages(InvalidInput):
    """The messages, or the metadata beside them, are not valid."""


class SessionNotFound(EngineError):
    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        super().__init__(f"There is no session {session_id!r}.")


class FrameNotFound(EngineError):
    def __init__(self, session_id: str, seq: int) -> None:
        self.session_id, self.seq = session_id, seq
        super().__init__(f"The session has no frame {seq}.")


class VersionNotFound(EngineError):
    def __init__(self, session_id: str, version: int) -> None:
        self.session_id, self.version = session_id, version
        super().__init__(f"The session never had a version {version} of its context window.")


class VersionNotKept(EngineError):
    def __init__(self, session_id: str, version: int) -> None:
        self.session_id, self.version = session_id, version
        super().__init__(
            f"Version {version} of the context window is no longer kept: the next one was made "
            "while `keep_context_history` was off."
        )


class SessionExists(EngineError):
    """Says neither whose it is nor where its head is: the id may be another user's."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        super().__init__(f"A session {session_id!r} exists.")


class AtHead(EngineError):
    """A refusal that tells the state which the session is in."""

    def __init__(self, message: str, *, actual: "SessionState") -> None:
        self.actual = actual
        super().__init__(message)


class StaleHead(AtHead):
    """The head that the write was made for is not the current one."""

    def __init__(self, *, expected: "Head", actual: "SessionState", missed: "Sequence[Frame]") -> None:
        self.expected, self.missed = expected, tuple(missed)
        super().__init__("The session has moved since you read it; nothing was written.", actual=actual)


class HeadRequired(AtHead):
    def __init__(self, *, actual: "SessionState") -> None:
        super().__init__(
            "This session takes no write that does not name the head it was made for.",
            actual=actual,
        )


class Conflict(AtHead):
    """Others kept writing for as long as we tried, or the window moved while a compression was made."""


class OpenToolCalls(AtHead):
    def __init__(self, *, actual: "SessionState", calls: "Sequence[OpenCall]", pointer: str) -> None:
        self.calls, self.pointer = tuple(calls), pointer
        names = ", ".join(f"{c.name} ({c.id})" for c in self.calls[:5])
        super().__init__(f"{pointer}: only tool replies are taken while calls are open: {names}.", actual=actual)


class UnmatchedToolReply(AtHead):
    def __init__(self, *, actual: "SessionState", pointer: str, tool_call_id: str) -> None:
        self.pointer, self.tool_call_id = pointer, tool_call_id
        super().__init__(
            f"{pointer}: no open call and no recovered one has the id {tool_call_id!r}.",
            actual=actual,
        )


class NothingToCompress(AtHead):
    def __init__(self, *, actual: "SessionState", why: str) -> None:
        super().__init__(why, actual=actual)


class RuleBroken(EngineError):
    """A strategy made a window that breaks a rule of the compression page, section 2."""

    def __init__(self, broken: "Sequence[Broken]", *, strategy: str) -> None:
        self.broken, self.strategy = tuple(broken), strategy
        said = "; ".join(f"rule {b.rule}: {b.why}" for b in self.broken[:3])
        super().__init__(f"The window that {strategy!r} made is refused. {said}")


class KeyReused(EngineError):
    """The idempotency key was used before, for another request."""

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(f"The key {key!r} was used for another request.")


class HistoryDiverged(EngineError):
    """The session that an imported history would continue is another one. `steps`: how many steps of the history were
    looked at, up to the first that differs.
    """

    def __init__(self, session_id: str, *, steps: int) -> None:
        self.session_id, self.steps = session_id, steps
        super().__init__(f"The frames of the session {session_id!r} are others than those of the file.")


class CopyRefused(EngineError):
    """A copy of a session that no engine could have made. The message is a clause that says what of it and why."""


class DamagedMessage(EngineError):
    """A stored message is no JSON any more: another hand than the engine's wrote to the table."""

    def __init__(self) -> None:
        super().__init__("A stored message is damaged and cannot be read; nothing was deleted or changed.")


class DatabaseBusy(EngineError):
    """The database was locked for longer than we wait. Trying again later is safe: nothing was written."""


class DatabaseUnavailable(EngineError):
    """The database could not be reached, or the connection broke; whether a commit went through is not known."""
