"""Frame numbers as ranges behave as the sets that they stand for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.engine import Seqs

SETS = st.sets(st.integers(1, 60), min_size=1)


def test_a_run_of_frames_is_one_range() -> None:
    assert str(Seqs.of(range(2, 98))) == "2-97"
    assert str(Seqs.of([103, *range(2, 98)])) == "2-97,103"
    assert str(Seqs.one(7)) == "7"


@given(SETS)
def test_a_set_and_its_ranges_say_the_same(numbers: set[int]) -> None:
    seqs = Seqs.of(numbers)
    assert list(seqs) == sorted(numbers)
    assert len(seqs) == len(numbers)
    assert (seqs.first, seqs.last) == (min(numbers), max(numbers))
    assert all((n in seqs) == (n in numbers) for n in range(62))
    assert Seqs.parse(str(seqs)) == seqs
    assert all(b + 1 < a for (_, b), (a, _) in zip(seqs.ranges, seqs.ranges[1:], strict=False))


@given(SETS, SETS, st.integers(1, 60))
def test_union_addition_and_cutting_are_those_of_sets(one: set[int], other: set[int], n: int) -> None:
    assert Seqs.union([Seqs.of(one), Seqs.of(other)]) == Seqs.of(one | other)
    assert Seqs.of(one).with_seq(n) == Seqs.of(one | {n})
    below = {s for s in one if s < n}
    assert Seqs.of(one).below(n) == (Seqs.of(below) if below else None)


@pytest.mark.parametrize("text", ["", "a", "1,,2"])
def test_what_is_no_stored_form_is_not_read(text: str) -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        Seqs.parse(text)
