"""The fate strip once more, slow and obvious: each frame is looked for in each message of the window."""

from collections.abc import Iterable, Mapping, Sequence

from sessions_app import engine
from sessions_app.engine import STRIP_FATES, Cell, Strip
from tests.engine.model import Model

FATE_OF_KIND = {"original": "kept", "edited": "edited", "summary": "summarised"}
Claim = tuple[str, Sequence[int]]
"""The kind of a context message, and the frames that it stands for."""


def expected_fates(sources: Mapping[int, str], claims: Iterable[Claim], *, stop: int) -> list[str]:
    """What becomes of frame 1, 2, 3 … in a window that is as it was before frame `stop`."""
    fates = ["later" if seq >= stop else "dropped" for seq in sources]
    for kind, seqs in claims:
        for seq in seqs:
            fate = FATE_OF_KIND[kind]
            fates[seq - 1] = "recovery" if fate == "kept" and sources[seq] == "recovery" else fate
    return fates


def expected_strip(fates: Sequence[str], width: int) -> Strip:
    cells = []
    for start in range(0, len(fates), width):
        part = fates[start : start + width]
        cells.append(Cell(start + 1, start + len(part), {fate: part.count(fate) for fate in STRIP_FATES}))
    return Strip(tuple(cells), {fate: fates.count(fate) for fate in STRIP_FATES}, width)


def check_strip(
    session_id: str, version: int, fates: Sequence[str], *, below_seq: int | None = None, cells: int = 240
) -> None:
    found = engine.reads.strip(engine.reads.session_state(session_id), version, below_seq=below_seq, cells=cells)
    assert found is not None
    assert len(found.cells) <= cells
    assert found == expected_strip(fates, found.width)


def check_strips(session_id: str, model: Model) -> None:
    """Of every version, and of what the model saw at some frames."""
    sources = {frame.seq: frame.source for frame in model.frames}
    state = engine.reads.session_state(session_id)
    for version in range(1, model.version + 1):
        if version not in model.windows:
            assert engine.reads.strip(state, version) is None
            continue
        stop = 1 + sum(frame.version <= version for frame in model.frames)
        fates = expected_fates(sources, ((i.kind, i.seqs) for i in model.windows[version]), stop=stop)
        check_strip(session_id, version, fates)
        check_strip(session_id, version, fates, cells=7)
    for seq in range(1, len(model.frames) + 1, 5):
        version, items = model.seen[seq]
        if version in model.windows:
            fates = expected_fates(sources, ((i.kind, i.seqs) for i in items), stop=seq)
            check_strip(session_id, version, fates, below_seq=seq)


def stored_fates(session_id: str, version: int) -> list[str]:
    """From the rows of the window and of the frames, all of them read."""
    frames = engine.reads.frames_between(session_id, 1, 10**9)
    claims = [(i.kind, tuple(i.original_seqs)) for i in engine.reads.window_of_version(session_id, version).window]
    stop = 1 + sum(frame.context_version <= version for frame in frames)
    return expected_fates({frame.seq: frame.source for frame in frames}, claims, stop=stop)
