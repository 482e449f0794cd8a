"""What holds of a session after every operation, read from the tables and compared with a model."""

from collections.abc import Iterable, Sequence

from sessions_app import engine
from sessions_app.engine import ContextItem, Message, Seqs, Window
from sessions_app.engine.tokens import count_message
from sessions_app.models import ContextMessage, Session
from tests.builders import Msg
from tests.engine.model import Model, ModelItem


def items_of(window: Iterable[ContextItem]) -> list[ModelItem]:
    return [ModelItem(i.kind, tuple(i.original_seqs), i.message.copy()) for i in window]


def window_of(items: Iterable[ModelItem]) -> Window:
    """The model's window as a strategy is handed it."""
    return Window.of(
        ContextItem(
            kind=i.kind,  # type: ignore[arg-type]
            original_seqs=Seqs.of(i.seqs),
            tokens=count_message(i.message),
            message=Message.of(i.message),
        )
        for i in items
    )


def check_session(session_id: str, model: Model) -> None:
    row = Session.objects.get(session_id=session_id)
    check_frames(session_id, model)
    read = engine.reads.current_window(session_id)
    assert items_of(read.window) == model.window
    assert [p.position for p in read.placements] == list(range(1, len(model.window) + 1))
    check_pairing([i.message for i in model.window])
    check_counters(row, model)
    check_claims(row, model)
    kept = set(ContextMessage.objects.filter(session_id=session_id).values_list("version", flat=True))
    assert kept == {v for v, items in model.windows.items() if items}


def check_frames(session_id: str, model: Model) -> None:
    frames = engine.reads.frames_between(session_id, 1, 10**9)
    assert [f.seq for f in frames] == list(range(1, len(model.frames) + 1)), "seq has a gap"
    assert [f.message.text for f in frames] == [Message.of(f.message).text for f in model.frames]
    assert [f.message.copy() for f in frames] == [f.message for f in model.frames]
    expected = [(f.version, f.source, f.call and f.call[0], f.late_for) for f in model.frames]
    assert [(f.context_version, f.source, f.call_seq, f.recovery_seq) for f in frames] == expected


def check_pairing(messages: Sequence[Msg]) -> None:
    """Only the last assistant message may have unanswered calls, and then nothing but replies may follow it."""
    awaited: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] in awaited, "a reply stands without its call right before it"
            awaited.remove(message["tool_call_id"])
        else:
            assert not awaited, "a call without its reply is not at the tail"
            awaited = {c["id"] for c in message.get("tool_calls") or []}


def check_counters(row: Session, model: Model) -> None:
    assert row.next_msg_seq == len(model.frames) + 1
    assert row.context_compression_version == model.version
    assert row.raw_tokens == sum(count_message(f.message) for f in model.frames)
    assert row.context_tokens == sum(count_message(i.message) for i in model.window)
    assert row.context_messages == len(model.window)
    assert row.tail_role == (model.window[-1].message["role"] if model.window else "")
    state = engine.reads.session_state(row.session_id)
    assert [(c.seq, c.id, c.name) for c in state.open_calls] == model.open_calls()
    awaited = [(f.call and f.call[0], f.seq) for f in reversed(model.recovered())]
    assert [(c.seq, c.recovery_seq) for c in state.recovered_calls] == awaited


def check_claims(row: Session, model: Model) -> None:
    """Claims are disjoint; what none claims is what the ledger says that the version dropped."""
    claimed = [seq for item in model.window for seq in item.seqs]
    assert len(claimed) == len(set(claimed)), "a frame is claimed by two messages"
    assert [i.seqs[0] for i in model.window] == sorted(i.seqs[0] for i in model.window)
    entry = engine.reads.ledger_entry(row.session_id, model.version)
    assert entry is not None
    assert len(model.frames) - len(claimed) == entry.fates["dropped"]
    assert sum(entry.fates.values()) == entry.from_next_msg_seq - 1


def check_what_the_model_saw(session_id: str, model: Model, seqs: Iterable[int]) -> None:
    for seq in seqs:
        version, items = model.seen[seq]
        if version in model.windows:
            assert items_of(engine.reads.window_at(session_id, seq).window) == items
        else:
            try:
                engine.reads.window_at(session_id, seq)
            except engine.VersionNotKept:
                continue
            raise AssertionError(f"frame {seq} was written under version {version}, which is not kept")
