"""What becomes of steps on their way to the database."""

from sessions_app.interchange.record_numbers import RecordNumbers
from sessions_app.interchange.spool import Spool
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Said, Transcript


def test_a_message_of_several_records_that_is_not_valid_names_them_all() -> None:
    tally = Tally(read=RecordNumbers({1, 2, 3}))
    Spool(Transcript([Said({"role": "robot", "content": ""}, (1, 2, 3))]), tally).close()

    assert not tally.unaccounted
    assert [(s.what, s.count, s.first_line) for s in tally.skipped] == [("message", 1, 1)]
