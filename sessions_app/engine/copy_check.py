"""Whether a copy is a session that this engine could have made: every rule again, and what follows from it.

Its frames are walked anew, its ledger is held against its frames, its windows against both. What is left to believe
is what nobody can find out: the texts that strategies and models made, and who did it, when, and how long it took.
"""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sessions_app.engine.copied import CopiedContext, CopiedFrame, CopiedVersion, Copy, Part
from sessions_app.engine.copied_ledger import Runs, check_entry
from sessions_app.engine.copied_windows import CopiedWindows
from sessions_app.engine.create import SESSION_ID, empty_state
from sessions_app.engine.errors import CopyRefused, InvalidInput
from sessions_app.engine.fate_bins import FateBins
from sessions_app.engine.known_frames import KnownFrames
from sessions_app.engine.rewalk import Rewalk
from sessions_app.engine.settings_of_session import check_labels, check_title
from sessions_app.engine.state import SessionState


@dataclass(frozen=True, slots=True)
class CheckedCopy:
    """`state`: that of the session to be, without owner and incarnation. `tokens[n]`: those of frame n + 1.
    `fate_bins`: of each version whose window is there.
    """

    state: SessionState
    tokens: "array[int]"
    fate_bins: Mapping[int, FateBins]


def check_copy(copy: Copy) -> CheckedCopy:
    """Raises CopyRefused. Holds one window at a time, and of each frame a few hundred bytes."""
    try:
        check_title(copy.title)
        check_labels(copy.labels)
    except InvalidInput as e:
        raise CopyRefused(str(e)) from e
    if not SESSION_ID.match(copy.session_id):
        raise CopyRefused("its session_id is none that a session may have")
    check = _Check()
    for part in copy.parts():
        check.take(part)
    return check.result(copy)


@dataclass(slots=True)
class _Check:
    rewalk: Rewalk = field(default_factory=Rewalk)
    frames: KnownFrames = field(default_factory=KnownFrames)
    tokens: "array[int]" = field(default_factory=lambda: array("Q"))
    runs: Runs = field(default_factory=Runs)
    versions: list[CopiedVersion] = field(default_factory=list)
    windows: CopiedWindows | None = None

    def take(self, part: Part) -> None:
        match part:
            case CopiedFrame() if not self.versions:
                self._frame(part)
            case CopiedVersion() if self.windows is None:
                check_entry(part, self.versions[-1] if self.versions else None, next_seq=self.rewalk.next_seq)
                self.versions.append(part)
            case CopiedContext():
                self._begun_windows().take(part)
            case _:
                raise CopyRefused("the frames come first, then the versions, then the windows")

    def result(self, copy: Copy) -> CheckedCopy:
        windows = self._begun_windows()
        window = windows.current()
        rewalk = self.rewalk
        if (rewalk.next_seq, len(self.versions)) != (copy.next_msg_seq, copy.context_compression_version):
            raise CopyRefused(f"it has {len(self.frames)} frames and {len(self.versions)} versions, and says otherwise")
        state = replace(
            empty_state(session_id=copy.session_id, incarnation="", owner_id=0),
            keep_context_history=copy.keep_context_history,
            require_head=copy.require_head,
            compression_policy=copy.compression_policy,
            next_msg_seq=rewalk.next_seq,
            context_compression_version=len(self.versions),
            open_calls=rewalk.open_calls,
            recovered_calls=rewalk.recovered_calls,
            raw_tokens=sum(self.tokens),
            context_tokens=window.tokens,
            context_messages=len(window),
            tail_role=window.tail_role,
        )
        return CheckedCopy(state, self.tokens, windows.fate_bins)

    def _frame(self, copied: CopiedFrame) -> None:
        if copied.context_version != self.runs.version:
            self.runs.begin(copied.seq, copied.context_version, self.rewalk.open_calls)
        frame = self.rewalk.take(copied)
        self.frames.add(frame)
        self.tokens.append(frame.tokens)

    def _begun_windows(self) -> CopiedWindows:
        if self.windows is None:
            if not self.versions:
                raise CopyRefused("version 1 is missing")
            self.runs.end(self.rewalk.next_seq, self.rewalk.open_calls, self.versions)
            self.windows = CopiedWindows(self.frames, self.runs, self.versions)
        return self.windows
