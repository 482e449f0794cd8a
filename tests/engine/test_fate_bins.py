"""What became of the frames, in bins: the same counts as frame by frame, at a cost that knows no number of frames."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app import engine
from sessions_app.engine import FATES, ContextItem, FateBins, Message, Seqs, Window
from sessions_app.engine.fate_bins import MOST
from tests.builders import make_session, react_rounds, system, user
from tests.engine.strategies import fold

MESSAGE = Message.of({"role": "user", "content": "x"})
KINDS = {"kept": "original", "edited": "edited", "summarised": "summary"}


def window_with(fates: Sequence[str]) -> Window:
    """A window of one message a fate, in which frame n has the fate `fates[n - 1]`."""
    claimed = {fate: [seq for seq, one in enumerate(fates, start=1) if one == fate] for fate in KINDS}
    kinds: dict[str, Any] = KINDS
    return Window.of(ContextItem(kinds[fate], Seqs.of(seqs), 1, MESSAGE) for fate, seqs in claimed.items() if seqs)


@st.composite
def any_fates(draw: st.DrawFn) -> list[str]:
    """Of some thousand frames: runs of any length."""
    runs = draw(st.lists(st.tuples(st.sampled_from(FATES), st.integers(1, 700)), max_size=12))
    return [fate for fate, length in runs for _ in range(length)]


@given(any_fates())
def test_each_bin_counts_its_frames_as_one_by_one(fates: list[str]) -> None:
    bins = FateBins.of(window_with(fates), frame_count=len(fates))
    parts = [fates[start : start + bins.width] for start in range(0, len(fates), bins.width)]
    assert list(bins) == [tuple(part.count(fate) for fate in FATES) for part in parts]
    assert bins.totals == {fate: fates.count(fate) for fate in FATES}


@given(any_fates())
def test_the_stored_form_says_the_same(fates: list[str]) -> None:
    bins = FateBins.of(window_with(fates), frame_count=len(fates))
    assert FateBins.parse(bins.dump()) == bins


@pytest.mark.parametrize(
    ("frames", "width"), [(0, 1), (1, 1), (512, 1), (513, 2), (1024, 2), (1025, 4), (100_000, 256), (10**6, 2048)]
)
def test_the_width_is_the_smallest_power_of_two_that_leaves_at_most_512_bins(frames: int, width: int) -> None:
    bins = FateBins.of(Window(), frame_count=frames)
    assert bins.width == width
    assert len(list(bins)) == -(-frames // width) <= MOST


def test_a_summary_of_very_many_frames_costs_no_more_than_one_of_few() -> None:
    # Taken one by one they would take days.
    frames = 10**12
    summary = ContextItem.summary(seqs=Seqs(((1, frames - 3),)), message=MESSAGE)
    bins = FateBins.of(Window.of([summary]), frame_count=frames)
    assert bins.totals == {"kept": 0, "edited": 0, "summarised": frames - 3, "dropped": 3}
    assert bins.dump() == "[1000000000000,[465,0,0,2147483648],[1,0,0,1420103677]]"


def test_what_is_typically_stored_is_short_and_what_can_be_is_a_few_kilobytes() -> None:
    typical = ["kept"] * 2 + ["summarised"] * 99_000 + ["kept"] * 998
    worst = [FATES[n * n % 7 % 4] for n in range(100_000)]
    sizes = [len(FateBins.of(window_with(f), frame_count=len(f)).dump()) for f in (typical, worst)]
    assert sizes[0] < 200
    assert sizes[1] < 10_000


@pytest.mark.django_db
def test_the_ledger_counts_what_the_bins_do() -> None:
    session_id = make_session(system(), user(), *react_rounds(8))
    made = fold(session_id).compression
    assert made is not None and made.fate_bins is not None
    assert made.fate_bins.totals == made.fates
    stored = engine.reads.ledger_entry(session_id, 2)
    assert stored is not None and stored.fates == made.fates
