"""Which windows of a copy may stand in another order than that of their frames, and in which."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sessions_app.engine.copied import CopiedVersion
from sessions_app.engine.restore import RESTORE
from sessions_app.engine.window import OF_FILE, ORDER, Window

_IMPORTED = "import:"


@dataclass(slots=True)
class Orders:
    """Asked for one version after the other."""

    versions: Sequence[CopiedVersion]
    _left: tuple[int, Window] = (0, Window())
    """The version whose window was read last, and that window as the next version was made from it."""
    _is_of_file: list[bool] = field(init=False)

    def __post_init__(self) -> None:
        self._is_of_file = _of_file(self.versions)

    def of(self, version: int, window: Window) -> Window:
        """A window in whose order `window` may stand: its own where nobody can tell it from another."""
        if not self._is_of_file[version - 1]:
            return Window()
        entry = self.versions[version - 1].entry
        is_followed = self._left[0] == version - 1 and entry.strategy != RESTORE and not _is_imported(entry.strategy)
        return self._left[1] if is_followed else window

    def leave(self, version: int, window: Window) -> None:
        self._left = (version, window) if self._is_of_file[version - 1] else (0, Window())


def _of_file(versions: Sequence[CopiedVersion]) -> list[bool]:
    """Those that were imported in the order of their file, and those made from one of these."""
    found: list[bool] = []
    for copied in versions:
        entry = copied.entry
        if _is_imported(entry.strategy):
            found.append(entry.params.get(ORDER) == OF_FILE)
        elif entry.strategy == RESTORE:
            of = entry.params.get("version")
            found.append(isinstance(of, int) and 1 <= of <= len(found) and found[of - 1])
        else:
            found.append(bool(found) and found[-1])
    return found


def _is_imported(strategy: str | None) -> bool:
    return strategy is not None and strategy.startswith(_IMPORTED)
