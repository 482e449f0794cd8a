"""A session and its model, driven side by side: what is done to one is done to the other, and both are compared."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant

from sessions_app import engine
from sessions_app.engine import CannotCompress, Toolbox
from tests.builders import Msg, react_rounds, says, system, user
from tests.engine.invariants import check_session, check_what_the_model_saw, items_of, window_of
from tests.engine.model import Model, Refused
from tests.engine.strategies import Fold
from tests.engine.strips import check_strips

BEGINNINGS: st.SearchStrategy[list[Msg]] = st.sampled_from(
    [[], [user()], [system(), user(), *react_rounds(6)], [system(), says("Hello."), user(), *react_rounds(3), says()]]
)


@dataclass
class Request:
    """A write that was sent under a key, and what it was answered."""

    send: Callable[..., engine.Written]
    key: engine.IdempotencyKey
    answered: engine.Written


class Driven(RuleBasedStateMachine):
    owner_id: int

    @initialize(history=st.booleans(), messages=BEGINNINGS)
    def make(self, history: bool, messages: list[Msg]) -> None:
        self.session_id = f"m-{uuid4().hex}"
        self.old_heads: list[tuple[engine.Head, int]] = []
        self.clock = datetime(2026, 1, 1, tzinfo=UTC)
        self.begin(history, messages)

    def begin(self, history: bool, messages: list[Msg]) -> None:
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

    def append_both(self, batch: list[Msg], *, by: str, recover: bool = False, keyed: bool = False) -> None:
        notes = [{"n": 1}] * len(batch)
        self.write_both(
            lambda: self.model.append(batch, recover=recover),
            lambda **options: engine.append(
                session_id=self.session_id, messages=batch, recover=recover, metadata=notes, **options
            ),
            lambda: self.runtime.append(*batch, recover=recover),
            by=by,
            keyed=keyed,
        )

    def recover_both(self, reason: str | None, *, by: str, keyed: bool = False) -> None:
        self.write_both(
            lambda: self.model.recover(reason),
            lambda **options: engine.recover(session_id=self.session_id, reason=reason, **options),
            lambda: self.runtime.recover(reason=reason),
            by=by,
            keyed=keyed,
        )

    def write_both(
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

    def publish_what_it_makes(self, strategy: Any, params: Any) -> None:
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
            check_strips(self.session_id, self.model)
