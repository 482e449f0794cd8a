"""Any sequence of operations on a session leaves it as a slow and obvious model says (contract, sections 2 and 3)."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule, run_state_machine_as_test

from sessions_app import engine
from sessions_app.compression import find, parse_params
from tests.builders import Msg, calls, make_user, react_rounds, reply, says, user
from tests.engine.generated import INVALID, awaited_ids, batches, replies
from tests.engine.machine import BEGINNINGS, Driven
from tests.engine.strategies import Fold, Params

BY = st.sampled_from(["runtime", "runtime", "head", "any", "none"])
STRATEGIES = st.one_of(
    st.builds(lambda keep: (Fold(), Params(keep=keep)), st.integers(0, 2)),
    st.builds(
        lambda name, rounds: (find(name), parse_params(find(name), {"protect_rounds": rounds})),
        st.sampled_from(["sliding_window", "clear_tool_results", "digest"]),
        st.integers(1, 3),
    ),
)


def now_and_then(machine: "Sessions") -> bool:
    """Where a step would most often do nothing: it must not be left out, nor take the place of those that do."""
    return len(machine.model.frames) % 7 == 3


def awaits_replies(machine: "Sessions") -> bool:
    return bool(machine.model.open_calls() or machine.model.recovered()) or now_and_then(machine)


def has_open_calls(machine: "Sessions") -> bool:
    return bool(machine.model.open_calls()) or now_and_then(machine)


def is_long(machine: "Sessions") -> bool:
    return len(machine.model.window) > 8 or now_and_then(machine)


class Sessions(Driven):
    # --- Writing ---------------------------------------------------------------------------------

    @rule(data=st.data(), recover=st.booleans(), by=BY, keyed=st.booleans())
    def append(self, data: st.DataObject, recover: bool, by: str, keyed: bool) -> None:
        self.append_both(data.draw(batches(self.model)), by=by, recover=recover, keyed=keyed)

    @rule(rounds=st.integers(1, 5), by=BY)
    def work(self, rounds: int, by: str) -> None:
        """What lets a window grow: complete rounds, after open calls were given up."""
        self.append_both([user("Go on."), *react_rounds(rounds, start=len(self.model.frames))], by=by, recover=True)

    @precondition(awaits_replies)
    @rule(data=st.data(), by=BY)
    def answer(self, data: st.DataObject, by: str) -> None:
        """A reply, most often one that is awaited, by an open call or late."""
        self.append_both([data.draw(replies(awaited_ids(self.model)))], by=by)

    @rule(said=st.sampled_from([[], [user("And?")], [says("Going on.")]]), by=BY)
    def be_interrupted_in_a_tool(self, said: list[Msg], by: str) -> None:
        """Calls, one reply, a recovery; what was said meanwhile, and then the real reply to the other call."""
        self.append_both([calls("x", "y")], by=by, recover=True)
        self.append_both([reply("y")], by=by)
        self.recover_both(None, by=by)
        if said:
            self.append_both(said, by=by)
        self.append_both([reply("x", "late")], by=by)

    @precondition(has_open_calls)
    @rule(reason=st.sampled_from([None, "crash"]), by=BY, keyed=st.booleans())
    def recover(self, reason: str | None, by: str, keyed: bool) -> None:
        self.recover_both(reason, by=by, keyed=keyed)

    @precondition(is_long)
    @rule(chosen=STRATEGIES, by=BY, keyed=st.booleans())
    def compress(self, chosen: tuple[Any, Any], by: str, keyed: bool) -> None:
        strategy, params = chosen
        self.write_both(
            lambda: self.publish_what_it_makes(strategy, params),
            lambda **options: engine.compress(session_id=self.session_id, strategy=strategy, params=params, **options),
            lambda: self.runtime.compress(strategy, params),
            by=by,
            keyed=keyed,
        )

    @precondition(lambda self: self.model.version > 1)
    @rule(data=st.data(), by=BY, keyed=st.booleans())
    def restore(self, data: st.DataObject, by: str, keyed: bool) -> None:
        version = data.draw(st.integers(0, self.model.version + 1))
        self.write_both(
            lambda: self.model.publish(self.model.restored(version)),
            lambda **options: engine.restore(session_id=self.session_id, version=version, **options),
            lambda: self.runtime.restore(version),
            by=by,
            keyed=keyed,
        )

    # --- Writing what must be refused, or is no write ------------------------------------------------

    @precondition(now_and_then)
    @rule(messages=INVALID, by=BY)
    def append_what_is_no_message(self, messages: list[Any], by: str) -> None:
        self.runtime.reload()
        with pytest.raises(engine.InvalidMessages):
            self.runtime.append(*messages) if by == "runtime" else engine.append(
                session_id=self.session_id, messages=messages
            )

    @precondition(lambda self: self.old_heads and len(self.model.frames) % 3 == 0)
    @rule(data=st.data())
    def write_with_an_old_head(self, data: st.DataObject) -> None:
        old, next_seq = data.draw(st.sampled_from(self.old_heads))
        operations: list[Callable[[], object]] = [
            lambda: engine.append(session_id=self.session_id, messages=[user()], expected=old),
            lambda: engine.recover(session_id=self.session_id, expected=old),
            lambda: engine.compress(session_id=self.session_id, strategy=Fold(), params=Params(), expected=old),
            lambda: engine.restore(session_id=self.session_id, version=1, expected=old),
            lambda: engine.change(session_id=self.session_id, title="stale", expected=old),
            lambda: engine.delete(session_id=self.session_id, expected=old),
        ]
        with pytest.raises(engine.StaleHead) as refused:
            data.draw(st.sampled_from(operations))()
        same = old.incarnation == self.runtime.context.state.incarnation
        missed = [f.message for f in self.model.frames[next_seq - 1 : next_seq + 49]] if same else []
        assert [f.message.copy() for f in refused.value.missed] == missed

    @precondition(lambda self: self.requests)
    @rule(data=st.data())
    def send_again_under_the_same_key(self, data: st.DataObject) -> None:
        request = data.draw(st.sampled_from(self.requests))
        expected = data.draw(st.sampled_from([None, self.old_heads[0][0]]))
        again = request.send(idempotency=request.key, expected=expected)
        first = request.answered
        assert again.replayed
        assert (again.frames, again.compression) == (first.frames, first.compression)
        assert (again.state.head, again.state.open_calls) == (first.state.head, first.state.open_calls)
        if first.state.context_compression_version in self.model.windows:
            assert again.context == first.context
        else:
            assert again.context in (None, ())
        with pytest.raises(engine.KeyReused):
            request.send(idempotency=engine.IdempotencyKey(self.owner_id, request.key.key, "1" * 64))

    @rule(keep=st.booleans(), title=st.sampled_from(["", "one", "二"]))
    def change(self, keep: bool, title: str) -> None:
        record = engine.change(session_id=self.session_id, keep_context_history=keep, title=title)
        assert (record.state.keep_context_history, record.title) == (keep, title)
        self.model.history = keep

    @precondition(lambda self: len(self.model.frames) > 30)
    @rule(history=st.booleans(), messages=BEGINNINGS)
    def delete_and_make_again(self, history: bool, messages: list[Msg]) -> None:
        old = engine.delete(session_id=self.session_id, expected=engine.ANY_HEAD).head
        with pytest.raises(engine.SessionNotFound):
            engine.append(session_id=self.session_id, messages=[user()], expected=old)
        held = self.runtime
        self.begin(history, messages)
        with pytest.raises(engine.StaleHead):
            held.append(user("from before"))
        self.old_heads = [(old, old.next_msg_seq)]

    @precondition(has_open_calls)
    @rule(reason=st.sampled_from([None, "user_interrupt"]))
    def resume(self, reason: str | None) -> None:
        self.model.recover(reason)
        self.runtime = engine.RuntimeSession.resume(self.session_id, reason=reason, now=lambda: self.clock)


@pytest.mark.slow
@pytest.mark.no_cover  # as tests/conftest.py says of property tests
@pytest.mark.case(23)
@pytest.mark.case(35)
@pytest.mark.case(54)
@pytest.mark.django_db(transaction=True)
def test_whatever_is_done_to_a_session_it_is_as_the_model_says() -> None:
    Sessions.owner_id = make_user().pk
    run_state_machine_as_test(Sessions, settings=settings(max_examples=40, stateful_step_count=30))
