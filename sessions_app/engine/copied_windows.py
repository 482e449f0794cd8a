"""The windows of a copy, held against its frames and its ledger: each must be a window that was published, with what
appends made of it since.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from sessions_app.engine.copied import CopiedContext, CopiedVersion
from sessions_app.engine.copied_ledger import Runs
from sessions_app.engine.copied_order import Orders
from sessions_app.engine.errors import CopyRefused
from sessions_app.engine.fate_bins import FateBins
from sessions_app.engine.known_frames import KnownFrames
from sessions_app.engine.projection import Placement, Projector
from sessions_app.engine.rules import Candidate, check_form
from sessions_app.engine.seqs import Seqs
from sessions_app.engine.state import OpenCall
from sessions_app.engine.window import ContextItem, Window


@dataclass(slots=True)
class CopiedWindows:
    """Takes the context messages in order and holds the window that is being read. Raises CopyRefused."""

    frames: KnownFrames
    runs: Runs
    versions: Sequence[CopiedVersion]
    version: int = 0
    items: list[ContextItem] = field(default_factory=list)
    fate_bins: dict[int, FateBins] = field(default_factory=dict)
    """Of each window that has been read: they follow from it."""
    orders: Orders = field(init=False)

    def __post_init__(self) -> None:
        self.orders = Orders(self.versions)

    def take(self, copied: CopiedContext) -> None:
        if copied.version != self.version:
            self._begin(copied.version)
        with _naming(self.version):
            if copied.position != len(self.items) + 1:
                raise CopyRefused(f"message {len(self.items) + 1} is missing")
            self.items.append(self._item(copied))

    def current(self) -> Window:
        """The last window, once all are read."""
        last = len(self.versions)
        if self.version < last and self.versions[-1].context_messages == 0:
            self._begin(last)
        self._end()
        if self.version < last:
            raise CopyRefused(f"the window of version {last} is missing")
        return Window.of(self.items)

    def _begin(self, version: int) -> None:
        if not self.version < version <= len(self.versions):
            raise CopyRefused(f"the window of version {version} stands out of its order")
        self._end()
        for between in range(self.version + 1, version):
            if self.versions[between - 1].context_messages is not None:
                raise CopyRefused(f"the window of version {between} is missing")
        self.version, self.items = version, []

    def _end(self) -> None:
        if not self.version:
            return
        copied, window = self.versions[self.version - 1], Window.of(self.items)
        start = copied.entry.from_next_msg_seq
        is_current = self.version == len(self.versions)
        stop = len(self.frames) + 1 if is_current else self.versions[self.version].entry.from_next_msg_seq
        with _naming(self.version):
            if len(window) != copied.context_messages:
                raise CopyRefused(f"{len(window)} messages are there of {copied.context_messages}")
            before = published(window, self.frames, start, stop)
            if self.version > 1:
                check_published(
                    before,
                    self.frames,
                    open_calls=self.runs.open_calls_before(start),
                    last_seq=start - 1,
                    order=self.orders.of(self.version, before),
                )
            self.orders.leave(self.version, window)
            if len(before) != copied.entry.after.messages:
                raise CopyRefused(f"it was made with {len(before)} messages, and the ledger says otherwise")
            bins = self.fate_bins[self.version] = FateBins.of(before, frame_count=start - 1)
            if bins.totals != copied.entry.fates:
                raise CopyRefused("the fates in the ledger are not those of its frames")

    def _item(self, copied: CopiedContext) -> ContextItem:
        seqs, message = copied.original_seqs, copied.message
        if seqs.first < 1 or seqs.last > len(self.frames):
            raise CopyRefused(f"message {copied.position} stands for frames that there are not: {seqs}")
        if copied.kind == "original":
            return self.frames.original(seqs)
        if message is None:
            raise CopyRefused(f"message {copied.position} has no text")
        return ContextItem(copied.kind, seqs, message.count_tokens(), message)


@contextmanager
def _naming(version: int) -> Iterator[None]:
    try:
        yield
    except CopyRefused as e:
        raise CopyRefused(f"the window of version {version}: {e}") from e


def published(window: Window, frames: KnownFrames, start: int, stop: int) -> Window:
    """The window as it was before the frames from `start` to `stop` (that one excluded) entered the session.

    Raises CopyRefused unless these stand in it just as an append places them.
    """
    items: list[ContextItem] = []
    for item in window:
        if item.original_seqs.first >= start:
            break
        if item.original_seqs.last >= start:
            item = _before_its_reply(item, frames)
        items.append(item)
    if _grown(items, frames, start, stop) != window.items:
        raise CopyRefused(f"the frames {start} to {stop - 1} do not stand in it as they entered the session")
    return Window.of(items)


def _before_its_reply(item: ContextItem, frames: KnownFrames) -> ContextItem:
    if not frames.is_late_reply(item):
        raise CopyRefused(f"a message stands for frames that came later: {item.original_seqs}")
    return frames.original(Seqs.one(item.original_seqs.first))


def _grown(items: Sequence[ContextItem], frames: KnownFrames, start: int, stop: int) -> tuple[ContextItem, ...]:
    there = {item.original_seqs.first: Placement(i, item) for i, item in enumerate(items, 1) if item.kind == "original"}
    projector = Projector(length=len(items), find=lambda seq: there.get(seq) if frames.takes_place(seq) else None)
    for frame in frames.between(start, stop):
        projector.place(frame)
    grown = [*items, *(p.item for p in projector.appended)]
    for placement in projector.replaced.values():
        grown[placement.position - 1] = placement.item
    return tuple(grown)


def check_published(
    window: Window, frames: KnownFrames, *, open_calls: tuple[OpenCall, ...], last_seq: int, order: Window
) -> None:
    """Raises CopyRefused where a window that was published breaks a rule of form, or has lost the open calls."""
    # Any other message is one that a strategy made, and must be as those are.
    as_they_came = [item for item in window if item.kind == "original" or frames.is_late_reply(item)]
    candidate = Candidate(Window.of(as_they_came), window, open_calls, last_seq, first_request=None, order=order)
    if broken := check_form(candidate):
        where = f"position {broken[0].position}: " if broken[0].position else ""
        raise CopyRefused(f"{where}{broken[0].why}")
    callers = [item for item in window if item.role == "assistant"]
    if open_calls and not (callers and open_calls[0].seq in callers[-1].original_seqs):
        raise CopyRefused("the message of the open calls does not stand last of its kind")
    if window.open_call_ids != {call.id for call in open_calls}:
        raise CopyRefused("its open calls are others than those of the session at that time")
