"""Any sequence of operations on a session leaves it as a slow and obvious model says (contract, sections 2 and 3)."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from sessions_app import engine
from sessions_app.compression import find, parse_params
from sessions_app.engine import CannotCompress, Toolbox
from tests.builders import Msg, make_user, react_rounds, says, system, user
from tests.engine.generated import INVALID, awaited_ids, batches, replies
from tests.engine.invariants import check_session, check_what_the_model_saw, items_of, window_of
from tests.engine.model import Model, Refused
from tests.engine.strategies import Fold, Params

BEGINNINGS: st.SearchStrategy[list[Msg]] = st.sampled_from(
    [[], [user()], [system(), user(), *react_rounds(6)], [system(), says("Hello."), user(), *react_rounds(3), says()]]
)
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


@dataclass
class Request:
    """A write that was sent under a key, and what it was answered."""

    send: Callable[..., engine.Written]
    key: engine.IdempotencyKey
    answered: engine.Written


class Sessions(RuleBasedStateMachine):
    owner_id: int

    @initialize(history=st.booleans(), messages=BEGINNINGS)
    def make(self, history: bool, messages: list[Msg]) -> None:
        self.session_id = f"m-{uuid4().hex}"
        self.old_heads: list[tuple[engine.Head, int]] = []
        self.clock = datetime(2026, 1, 1, tzinfo=UTC)
        self._begin(history, messages)

    def _begin(self, history: bool, messages: list[Msg]) -> None:
        self.requests: list[Request] = []
        self.model = Model(history=history)
        self.runtime = engine.RuntimeSession.create(
            owner_id=self.owner_id,
            session_id=self.session_id,
            keep_context_history=history,
            messages=messages,
            now=lambda: self.clock,
        )
        self.model.append(messages, recover=False)

    # --- Writing ---------------------------------------------------------------------------------

    @rule(data=st.data(), recover=st.booleans(), by=BY, keyed=st.booleans())
    def append(self, data: st.DataObject, recover: bool, by: str, keyed: bool) -> None:
        batch = data.draw(batches(self.model))
        self._write(
            lambda: self.model.append(batch, recover=recover),
            lambda **options: engine.append(
                session_id=self.session_id, messages=batch, recover=recover, metadata=[{"n": 1}] * len(batch), **options
            ),
            lambda: self.runtime.append(*batch, recover=recover),
            by=by,
            keyed=keyed,
        )

    @rule(rounds=st.integers(1, 5), by=BY)
    def work(self, rounds: int, by: str) -> None:
        """What lets a window grow: complete rounds, after open calls were given up."""
        batch = [user("Go on."), *react_rounds(rounds, start=len(self.model.frames))]
        self._write(
            lambda: self.model.append(batch, recover=True),
            lambda **options: engine.append(session_id=self.session_id, messages=batch, recover=True, **options),
            lambda: self.runtime.append(*batch, recover=True),
            by=by,
            keyed=False,
        )

    @precondition(awaits_replies)
    @rule(data=st.data(), by=BY)
    def answer(self, data: st.DataObject, by: str) -> None:
        """A reply, most often one that is awaited, by an open call or late."""
        message = data.draw(replies(awaited_ids(self.model)))
        self._write(
            lambda: self.model.append([message], recover=False),
            lambda **options: engine.append(session_id=self.session_id, messages=[message], **options),
            lambda: self.runtime.append(message),
            by=by,
            keyed=False,
        )

    @precondition(has_open_calls)
    @rule(reason=st.sampled_from([None, "crash"]), by=BY, keyed=st.booleans())
    def recover(self, reason: str | None, by: str, keyed: bool) -> None:
        self._write(
            lambda: self.model.recover(reason),
            lambda **options: engine.recover(session_id=self.session_id, reason=reason, **options),
            lambda: self.runtime.recover(reason=reason),
            by=by,
            keyed=keyed,
        )

    @precondition(is_long)
    @rule(chosen=STRATEGIES, by=BY, keyed=st.booleans())
    def compress(self, chosen: tuple[Any, Any], by: str, keyed: bool) -> None:
        strategy, params = chosen
        self._write(
            lambda: self._publish_what_it_makes(strategy, params),
            lambda **options: engine.compress(session_id=self.session_id, strategy=strategy, params=params, **options),
            lambda: self.runtime.compress(strategy, params),
            by=by,
            keyed=keyed,
        )

    def _publish_what_it_makes(self, strategy: Any, params: Any) -> None:
        before = window_of(self.model.window)
        try:
            after = strategy.compress(before, params=params, tools=Toolbox())
        except CannotCompress:
            raise Refused("NothingToCompress") from None
        if after.items == before.items:
            raise Refused("NothingToCompress")
        if isinstance(strategy, Fold):
            # It keeps no rule but that of pairs; the strategies of the product must never be refused.
            if (params.keep == 0 and before.complete_rounds) or after.tokens >= before.tokens:
                raise Refused("RuleBroken")
        self.model.publish(items_of(after))

    @precondition(lambda self: self.model.version > 1)
    @rule(data=st.data(), by=BY, keyed=st.booleans())
    def restore(self, data: st.DataObject, by: str, keyed: bool) -> None:
        version = data.draw(st.integers(0, self.model.version + 1))
        self._write(
            lambda: self.model.publish(self.model.restored(version)),
            lambda **options: engine.restore(session_id=self.session_id, version=version, **options),
            lambda: self.runtime.restore(version),
            by=by,
            keyed=keyed,
        )

    def _write(
        self,
        expect: Callable[[], object],
        send: Callable[..., engine.Written],
        send_by_runtime: Callable[[], engine.Written],
        *,
        by: str,
        keyed: bool,
    ) -> None:
        head = engine.reads.session_state(self.session_id).head
        held = self.runtime.context
        if by == "runtime" and self.runtime.head != head:
            with pytest.raises(engine.StaleHead):
                send_by_runtime()
            assert self.runtime.context is held
            self.runtime.reload()
        options: dict[str, Any] = {"expected": {"head": head, "any": engine.ANY_HEAD}.get(by)}
        if keyed and by != "runtime":
            options["idempotency"] = engine.IdempotencyKey(self.owner_id, uuid4().hex, "0" * 64)
        frames = len(self.model.frames)
        try:
            expect()
        except Refused as due:
            held = self.runtime.context
            with pytest.raises(getattr(engine, str(due))):
                send_by_runtime() if by == "runtime" else send(**options)
            assert self.runtime.context is held
            return
        written = send_by_runtime() if by == "runtime" else send(**options)
        assert [f.seq for f in written.frames] == [f.seq for f in self.model.frames[frames:]]
        if self.model.head != (head.next_msg_seq, head.context_compression_version):
            self.old_heads.append((head, head.next_msg_seq))
            if "idempotency" in options:
                self.requests.append(Request(send, options["idempotency"], written))

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
        self._begin(history, messages)
        with pytest.raises(engine.StaleHead):
            held.append(user("from before"))
        self.old_heads = [(old, old.next_msg_seq)]

    @precondition(has_open_calls)
    @rule(reason=st.sampled_from([None, "user_interrupt"]))
    def resume(self, reason: str | None) -> None:
        self.model.recover(reason)
        self.runtime = engine.RuntimeSession.resume(self.session_id, reason=reason, now=lambda: self.clock)

    # --- What always holds ----------------------------------------------------------------------------

    @invariant()
    def as_the_model_says(self) -> None:
        check_session(self.session_id, self.model)
        if self.runtime.head == engine.reads.session_state(self.session_id).head:
            fresh = engine.RuntimeSession.load(self.session_id)
            assert self.runtime.context.window == fresh.context.window
            assert self.runtime.head == fresh.head and self.runtime.open_calls == fresh.open_calls
            assert self.runtime.messages() == fresh.messages()

    @invariant()
    def version_1_can_be_had_again(self) -> None:
        if self.model.version > 1:
            preview = engine.restore(session_id=self.session_id, version=1, dry_run=True)
            assert items_of(p.item for p in preview.context or ()) == self.model.from_scratch()

    def teardown(self) -> None:
        if hasattr(self, "model"):
            check_what_the_model_saw(self.session_id, self.model, range(1, len(self.model.frames) + 1))


@pytest.mark.slow
@pytest.mark.case(23)
@pytest.mark.case(35)
@pytest.mark.case(54)
@pytest.mark.django_db(transaction=True)
def test_whatever_is_done_to_a_session_it_is_as_the_model_says() -> None:
    Sessions.owner_id = make_user().pk
    run_state_machine_as_test(
        Sessions,
        settings=settings(max_examples=40, stateful_step_count=30),
    )
