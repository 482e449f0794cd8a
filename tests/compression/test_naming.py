"""What a window names of all that its session names: a share whose whole is the same for every window."""

from sessions_app.compression.measures import History, Measure, naming
from sessions_app.engine import Window
from tests.builders import says, user
from tests.compression.raw_frames import frames_of
from tests.compression.windows import item, window_of

MESSAGES = [user("See src/a.py and src/b.py."), says("I read src/c.py."), says("And src/d.py again: src/a.py.")]


def test_the_whole_is_what_all_frames_name_however_many_of_them_stand_there_word_for_word() -> None:
    history = History.of(frames_of(MESSAGES))
    for seqs, paths in (((1,), 2), ((1, 2), 3), ((2,), 1)):
        window = Window.of([item(seq, MESSAGES[seq - 1]) for seq in seqs])
        assert naming(history, window)["path"] == Measure(paths / 4, 4)


def test_a_window_that_nothing_was_taken_from_names_all_and_of_what_is_nowhere_there_is_no_share() -> None:
    found = naming(History.of(frames_of(MESSAGES)), window_of(MESSAGES))
    assert found["path"] == Measure(1.0, 4)
    assert found["url"] == Measure(None, 0)
