"""Sets of record numbers are sets, and small."""

import sys

from hypothesis import given
from hypothesis import strategies as st

from sessions_app.interchange.record_numbers import RecordNumbers

numbers = st.sets(st.integers(0, 20_000) | st.integers(-10, 10**20), max_size=50)


@given(numbers, numbers)
def test_they_are_the_sets_that_python_has(one: set[int], other: set[int]) -> None:
    mine, theirs = RecordNumbers(one), RecordNumbers(other)
    assert (set(mine), len(mine), list(mine)) == (one, len(one), sorted(one))
    assert set(mine & theirs) == set(mine & other) == one & other
    assert set(mine - theirs) == set(mine - other) == one - other
    assert {n for n in one | other if n in mine} == one
    assert bool(mine) == bool(one)


@given(numbers, st.integers(0, 20_000))
def test_a_number_may_be_taken_out(one: set[int], number: int) -> None:
    mine = RecordNumbers(one)
    mine.discard(number)
    assert set(mine) == one - {number}


def test_a_million_of_them_are_small() -> None:
    held = RecordNumbers(range(1, 1_000_001))
    assert len(held) == 1_000_000
    assert sum(sys.getsizeof(bits) for bits in held._blocks.values()) < 200_000
