"""A window that grows frame by frame, as appends make it grow. Each costs what the frame costs, however long it is."""

from collections.abc import Sequence

from sessions_app.engine.frames import Frame
from sessions_app.engine.projection import Projector, find_recovery
from sessions_app.engine.window import ContextItem, Window


class GrowingWindow:
    """Frames are projected into it by the append rules. `window()` gives what it has come to; that costs its length."""

    def __init__(self, base: Window = Window()) -> None:
        self._base = base
        self._projector = Projector(length=len(base), find=lambda seq: find_recovery(base, seq))

    def place(self, frame: Frame) -> None:
        self._projector.place(frame)

    @property
    def tokens(self) -> int:
        return self._base.tokens + self._projector.tokens_added

    def __len__(self) -> int:
        return len(self._base) + len(self._projector.appended)

    def tail(self, start: int) -> Sequence[ContextItem]:
        """The messages that were placed here after the first `start` of them. A late reply may still replace one until
        an assistant message follows.
        """
        return [placement.item for placement in self._projector.appended[start:]]

    @property
    def placed(self) -> int:
        """How many messages stand behind those it began with."""
        return len(self._projector.appended)

    def window(self) -> Window:
        items = list(self._base.items)
        for placement in self._projector.replaced.values():
            items[placement.position - 1] = placement.item
        return Window((*items, *(p.item for p in self._projector.appended)))
