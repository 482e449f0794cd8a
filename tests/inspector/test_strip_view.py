"""The fate strip as rectangles: as much of the line as there are frames, as much of a cell as a fate has of it."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from inspector.presenters.strip import HEIGHT, ORDER, strip_view
from sessions_app.engine.reads import Cell, Strip


def strip_of(*cells: dict[str, int]) -> Strip:
    made, last = [], 0
    for counts in cells:
        first, last = last + 1, last + sum(counts.values())
        made.append(Cell(first, last, {fate: counts.get(fate, 0) for fate in ORDER}))
    totals = {fate: sum(cell.counts[fate] for cell in made) for fate in ORDER}
    return Strip(tuple(made), totals, max(sum(c.values()) for c in cells))


def test_neighbours_of_one_fate_are_one_rectangle() -> None:
    view = strip_view(strip_of({"kept": 1}, {"dropped": 1}, {"dropped": 1}, {"kept": 1}))
    assert view is not None
    assert [(b.fate, b.x, b.width, b.y, b.height) for b in view.blocks] == [
        ("kept", "0%", "25%", "0", "24"),
        ("dropped", "25%", "50%", "0", "24"),
        ("kept", "75%", "25%", "0", "24"),
    ]


def test_a_cell_of_two_fates_is_cut_by_their_shares() -> None:
    view = strip_view(strip_of({"kept": 3, "dropped": 1}))
    assert view is not None
    assert [(b.fate, b.y, b.height) for b in view.blocks] == [("kept", "6", "18"), ("dropped", "0", "6")]


def test_one_frame_of_a_thousand_is_still_seen() -> None:
    view = strip_view(strip_of({"summarised": 999, "recovery": 1}))
    assert view is not None
    assert {b.fate: b.height for b in view.blocks} == {"recovery": "2", "summarised": "22"}


def test_a_session_without_frames_has_no_strip() -> None:
    assert strip_view(None) is None
    assert strip_view(Strip((), {}, 1)) is None


def test_the_legend_names_what_there_is_and_a_reader_hears_it() -> None:
    view = strip_view(strip_of({"kept": 2, "dropped": 2}))
    assert view is not None
    assert [(k.text, k.count) for k in view.keys] == [("kept", "2"), ("dropped", "2")]
    assert view.label == "What became of 4 frames: kept 2, dropped 2"


CELLS = st.lists(st.dictionaries(st.sampled_from(ORDER), st.integers(1, 500), min_size=1), min_size=1, max_size=12)


@given(CELLS)
def test_rectangles_fill_the_line_and_never_overlap(cells: list[dict[str, int]]) -> None:
    view = strip_view(strip_of(*cells))
    assert view is not None
    columns: dict[tuple[str, str], list[tuple[Fraction, Fraction]]] = {}
    for b in view.blocks:
        columns.setdefault((b.x, b.width), []).append((Fraction(b.y), Fraction(b.height)))
    assert abs(sum((Fraction(width[:-1]) for _, width in columns), Fraction(-100))) < Fraction(1, 10)
    for parts in columns.values():
        assert abs(sum((height for _, height in parts), Fraction(-HEIGHT))) <= Fraction(1, 2)
        assert all(height > 0 for _, height in parts)
