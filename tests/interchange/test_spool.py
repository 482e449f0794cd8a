"""What becomes of steps on their way to the database."""

from sessions_app.engine import ImportedCompaction
from sessions_app.interchange.record_numbers import RecordNumbers
from sessions_app.interchange.spool import Spool
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import SUMMARY, Compacted, Said, Transcript


def test_a_message_of_several_records_that_is_not_valid_names_them_all() -> None:
    tally = Tally(read=RecordNumbers({1, 2, 3}))
    Spool(Transcript([Said({"role": "robot", "content": ""}, (1, 2, 3))]), tally).close()

    assert not tally.unaccounted
    assert [(s.what, s.count, s.first_line) for s in tally.skipped] == [("message", 1, 1)]


def test_the_order_of_a_compaction_names_the_messages_that_it_means() -> None:
    said = [Said({"role": "user", "content": key}, (n,), keys=(key,)) for n, key in enumerate(["a", "b", "c"])]
    step = Compacted((3,), {"role": "user", "content": "sum"}, keeps=("a", "b"), order=("b", "c", SUMMARY, "a"))
    spool = Spool(Transcript([*said, step]), Tally(read=RecordNumbers({0, 1, 2, 3})))
    assert [s.order for s in spool.steps() if isinstance(s, ImportedCompaction)] == [(1, 2, None, 0)]
    spool.close()
