"""What a Codex rollout tells beside the messages, and which of them it stands with."""

from dataclasses import dataclass, field
from typing import Any

from sessions_app.interchange.tally import Tally


@dataclass(slots=True)
class Beside:
    """Lines that are no messages, such as the settings of a turn: each is kept with the first message after it."""

    tally: Tally
    _waiting: dict[str, tuple[int, dict[str, Any]]] = field(default_factory=dict)

    def hold(self, what: str, record: int, told: dict[str, Any]) -> None:
        if what in self._waiting:
            self.tally.skip(what, "is followed by another one, and no message between", self._waiting[what][0])
        self._waiting[what] = (record, told)

    def take(self) -> tuple[tuple[int, ...], dict[str, Any]]:
        """The records, and what they tell, by the kind of line."""
        waiting, self._waiting = self._waiting, {}
        told = {what: value for what, (_, value) in waiting.items() if value}
        return tuple(sorted(record for record, _ in waiting.values())), told

    def drop(self) -> None:
        for what, (record, _) in self._waiting.items():
            self.tally.skip(what, "is followed by no message", record)
