"""Records of other branches wait for their turn."""

from sessions_app.interchange.set_aside import SetAside


def test_the_records_of_each_branch_come_back_in_their_order() -> None:
    with SetAside() as aside:
        for number, branch in enumerate("abab", start=1):
            aside.put(branch, number, {"text": "\ud800ä\n", "n": number})
        assert aside.branches == ("a", "b")
        assert list(aside.take("b")) == [(2, {"text": "\ud800ä\n", "n": 2}), (4, {"text": "\ud800ä\n", "n": 4})]
        assert list(aside.take("a")) == [(1, {"text": "\ud800ä\n", "n": 1}), (3, {"text": "\ud800ä\n", "n": 3})]
        assert list(aside.take("c")) == []
