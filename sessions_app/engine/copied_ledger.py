"""The ledger of a copy: when each version was made, held against the frames that were written under it."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from sessions_app.engine.copied import CopiedVersion
from sessions_app.engine.errors import CopyRefused
from sessions_app.engine.state import OpenCall


@dataclass(slots=True)
class Runs:
    """Frames that follow each other under the same version, each run by its first frame: its version, and the calls
    that were open before it.
    """

    version: int = 0
    """That of the newest run."""
    _runs: dict[int, int] = field(default_factory=dict)
    _open_calls: dict[int, tuple[OpenCall, ...]] = field(default_factory=dict)

    def begin(self, seq: int, version: int, open_calls: tuple[OpenCall, ...]) -> None:
        self.version = self._runs[seq] = version
        self._open_calls[seq] = open_calls

    def end(self, next_seq: int, open_calls: tuple[OpenCall, ...], versions: Sequence[CopiedVersion]) -> None:
        """Raises CopyRefused unless each frame was written under the version of its time."""
        self._open_calls[next_seq] = open_calls
        starts = [copied.entry.from_next_msg_seq for copied in versions]
        for seq, version in self._runs.items():
            if bisect_right(starts, seq) != version:
                raise CopyRefused(f"frame {seq} cannot have been written under version {version}")
        for version, start in enumerate(starts, start=1):
            if start not in self._open_calls:
                raise CopyRefused(f"frame {start} was written under version {version}, and does not say so")

    def open_calls_before(self, seq: int) -> tuple[OpenCall, ...]:
        """Where a run begins, or all frames end."""
        return self._open_calls[seq]


def check_entry(copied: CopiedVersion, before: CopiedVersion | None, *, next_seq: int) -> None:
    """Raises CopyRefused where the row does not follow on the one before it."""
    entry = copied.entry
    version = 1 if before is None else before.entry.version + 1
    if entry.version != version:
        raise CopyRefused(f"version {version} is missing: {entry.version} stands in its place")
    start = entry.from_next_msg_seq
    if before is None and start != 1:
        raise CopyRefused("version 1 was made when there was no frame yet")
    if before is not None and not before.entry.from_next_msg_seq <= start <= next_seq:
        raise CopyRefused(f"version {version} cannot have been made before frame {start}")
    if entry.from_version != version - 1:
        raise CopyRefused(f"version {version} was made from version {version - 1}, not from {entry.from_version}")
    if {entry.strategy is None, entry.requested_strategy is None} != {version == 1}:
        raise CopyRefused(f"version {version} must name {'no strategy' if version == 1 else 'its strategy'}")
    if entry.automatic and version == 1:
        raise CopyRefused("version 1 is made by nobody after an append: it comes with the session")
    if sum(entry.fates.values()) != start - 1:
        raise CopyRefused(f"the fates of version {version} are those of another number of frames than {start - 1}")
