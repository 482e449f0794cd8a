"""Calls that were recovered and still await their real reply, found by id without a search: there may be thousands."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sessions_app.engine.state import RecoveredCall


@dataclass(slots=True)
class AwaitedReplies:
    """In the order of their recovery frames. Of several with one id the newest is answered first."""

    _calls: dict[int, RecoveredCall] = field(default_factory=dict)
    """By the recovery frame."""
    _by_id: dict[str, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, calls: Iterable[RecoveredCall]) -> "AwaitedReplies":
        awaited = cls()
        for call in calls:
            awaited.add(call)
        return awaited

    def __iter__(self) -> Iterator[RecoveredCall]:
        return iter(self._calls.values())

    def add(self, call: RecoveredCall) -> None:
        self._calls[call.recovery_seq] = call
        self._by_id.setdefault(call.id, []).append(call.recovery_seq)

    def newest(self, call_id: str | None) -> RecoveredCall | None:
        seqs = self._by_id.get(call_id or "")
        return self._calls[seqs[-1]] if seqs else None

    def remove(self, call: RecoveredCall) -> None:
        """One that `newest` gave."""
        del self._calls[call.recovery_seq]
        self._by_id[call.id].pop()

    def leave_behind(self) -> None:
        """An assistant message follows: none of them is replaced in its place any more."""
        # Those that still could be are the newest.
        for seq in reversed(self._calls):
            if not self._calls[seq].in_place:
                break
            self._calls[seq] = self._calls[seq]._replace(in_place=False)
