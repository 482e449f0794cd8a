"""The window that a compaction of a recorded history leaves: what it kept, and its summary."""

from collections.abc import Collection, Sequence

from sessions_app.engine import reads
from sessions_app.engine.messages import Message
from sessions_app.engine.rules import Candidate, check_form
from sessions_app.engine.seqs import Seqs
from sessions_app.engine.state import SessionState
from sessions_app.engine.window import OF_FILE, ORDER, ContextItem, Window


class Refused(Exception):
    """The compaction cannot be told as a window. The message is a clause that says why."""


def compacted(
    window: Window,
    *,
    state: SessionState,
    kept: frozenset[int],
    numbered: frozenset[int],
    summary: Message | None,
    order: Sequence[int | None] = (),
) -> Window:
    """The window with the frames `kept`, and the summary in place of all others before this point.

    `numbered`: the frames that the history has a say in; those that the engine wrote go with their call. The system
    message and the group of an open call stay. A call group stays whole or not at all. Frames that an earlier
    compaction had dropped come back where this one keeps them.

    `order`: the frames as the model saw them, None for the summary. Empty: by their numbers.

    Raises Refused.
    """
    if not window.items:
        raise Refused("comes before any message")
    open_ids = {call.id for call in state.open_calls} & window.open_call_ids
    chosen = _staying(window, kept, numbered, with_summaries=summary is None, has_open=bool(open_ids))
    back = _brought_back(state, kept, chosen)
    items = _whole_groups(sorted((*chosen, *back), key=lambda item: item.original_seqs.first), open_ids)
    if summary is not None:
        items = _with_summary(items, summary, window, frame_count=state.frame_count)
    if order:
        items = _as_seen(items, order, leading=window.items[: window.system_stop], open_ids=open_ids)
    after = Window.of(items)
    if after.items == window.items:
        raise Refused("changes nothing")
    if not after.items:
        raise Refused("would leave an empty window")
    known = Window.of((*window, *back))
    as_seen = after if order else None
    candidate = Candidate(known, after, state.open_calls, state.frame_count, first_request=None, order=as_seen)
    if broken := check_form(candidate):
        raise Refused(f"would break rule {broken[0].rule}: {broken[0].why}")
    return after


def order_told(window: Window) -> dict[str, str]:
    """What the ledger says of it."""
    return {} if window.is_in_order else {ORDER: OF_FILE}


def _staying(
    window: Window, kept: frozenset[int], numbered: frozenset[int], *, with_summaries: bool, has_open: bool
) -> list[ContextItem]:
    staying: list[ContextItem] = []
    newest_call = max((i for i, item in enumerate(window) if item.role == "assistant"), default=0)
    call_stays = False
    for i, item in enumerate(window):
        seqs = set(item.original_seqs) if item.kind != "summary" else set()
        if i < window.system_stop or (has_open and i >= newest_call):
            stays = True
        elif item.kind == "summary":
            stays = with_summaries
        elif item.role == "tool" and not seqs & numbered:
            stays = call_stays
        else:
            stays = bool(seqs & kept)
        if item.role != "tool":
            call_stays = stays
        if stays:
            staying.append(item)
    return staying


def _brought_back(state: SessionState, kept: frozenset[int], chosen: Sequence[ContextItem]) -> list[ContextItem]:
    claimed = Seqs.union(item.original_seqs for item in chosen) if chosen else None
    missing = [seq for seq in sorted(kept) if claimed is None or seq not in claimed]
    frames = reads.frames_by_seq(state.session_id, missing) if missing else []
    return [
        ContextItem.original(seq=f.seq, message=f.message, tokens=f.tokens)
        for f in frames
        if not f.is_orphan and f.recovery_seq is None
    ]


def _whole_groups(items: Sequence[ContextItem], open_ids: Collection[str]) -> list[ContextItem]:
    """Without the calls that lack a reply, the replies that lack their call, and what belongs to either."""
    whole: list[ContextItem] = []
    i = 0
    while i < len(items):
        stop = i + 1
        while stop < len(items) and items[stop].role == "tool":
            stop += 1
        if items[i].role == "tool":
            i += 1
            continue
        asked = {call.id for call in items[i].message.calls}
        answered = [item.message.tool_call_id or "" for item in items[i + 1 : stop]]
        if len(set(answered)) == len(answered) and set(answered) <= asked and asked - set(answered) <= set(open_ids):
            whole += items[i:stop]
        elif not asked:
            whole.append(items[i])
        i = stop
    return whole


def _with_summary(
    items: Sequence[ContextItem], summary: Message, window: Window, *, frame_count: int
) -> list[ContextItem]:
    claimed = {seq for item in items for seq in item.original_seqs}
    # Nothing stands before the system message, not even for a frame that came before it.
    system = max((item.original_seqs.last for item in window.items[: window.system_stop]), default=0)
    covered = [seq for seq in range(system + 1, frame_count + 1) if seq not in claimed]
    if not covered:
        raise Refused("has a summary that stands for no frame")
    item = ContextItem.summary(seqs=Seqs.of(covered), message=summary)
    return sorted((*items, item), key=lambda i: i.original_seqs.first)


def _as_seen(
    items: Sequence[ContextItem],
    order: Sequence[int | None],
    *,
    leading: Collection[ContextItem],
    open_ids: Collection[str],
) -> list[ContextItem]:
    """In the order of the file, but for the system message, which stays first, and an open call, which stays last.

    What the order does not name (a recovery frame's group, say) stays behind what it follows by its number.
    """
    ranks = {seq: rank for rank, seq in enumerate(order)}
    keyed: list[tuple[int, int, list[ContextItem]]] = []
    rank = -1
    for unit in _units(items):
        names = (seq for item in unit for seq in ((None,) if item.kind == "summary" else item.original_seqs))
        rank = next((ranks[name] for name in names if name in ranks), rank)
        is_open = any(call.id in open_ids for call in unit[0].message.calls)
        keyed.append((0 if unit[0] in leading else 2 if is_open else 1, rank, unit))
    keyed.sort(key=lambda k: k[:2])
    return [item for _, _, unit in keyed for item in unit]


def _units(items: Sequence[ContextItem]) -> list[list[ContextItem]]:
    """Each call with its replies, and every other message by itself."""
    units: list[list[ContextItem]] = []
    for item in items:
        if item.role == "tool" and units:
            units[-1].append(item)
        else:
            units.append([item])
    return units
