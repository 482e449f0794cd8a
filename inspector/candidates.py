"""A candidate read as the window of a version is: its rows, the raw frames beside it, and what became of each of them.

It is stored nowhere, so its rows are made of its messages, and of the frames of those that it kept.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from inspector.compare_view import CompareView
from inspector.presenters.parts import reasoning_text
from inspector.reading import MESSAGES, Reading, after_position_of, frames_of
from sessions_app import engine, jsontext
from sessions_app.compression import limit_of
from sessions_app.compression.candidates import Circumstances, make
from sessions_app.compression.choices import Choice

EXCERPTS: Final[dict[str, int]] = {"original": engine.EXCERPT, "edited": 600, "summary": 1_200}
"""Code points of the text that a row carries, as of the window of a version."""


def make_candidate(session_id: str, choice: Choice) -> tuple[engine.SessionState, engine.Window | None]:
    """The window alone, unmeasured: a part of a page is not worth reading all frames. None where there is none."""
    read = engine.reads.current_window(session_id)
    state = read.state
    first = engine.find_first_request(read.window, session_id)
    made = make(
        choice,
        read.window,
        Circumstances(state.open_calls, state.frame_count, first),
        limit_tokens=limit_of(state.compression_policy),
    )
    return state, made.window


def read_candidate(
    record: engine.SessionRecord, state: engine.SessionState, window: engine.Window, view: CompareView
) -> Reading:
    """`state`: that which the candidate was made for. It is told as the version that it would be."""
    frames = frames_of(state, view, engine.reads.FrameFilter(), around=_around(window, view))
    seqs = [row.seq for row in frames.items]
    fates = _fates(window, seqs)
    calling = [row.seq for row in frames.items if row.role == "assistant" and row.tool_names]
    after = after_position_of(view, fates)
    rows = _rows(state, window, after)
    version = state.context_compression_version + 1
    return Reading(
        record=replace(record, state=state),
        versions=(),
        version=version,
        frames=frames,
        fates=fates,
        replies=engine.reads.replies_to(state.session_id, calling) if calling else {},
        window=engine.reads.WindowRows(state, version, rows, more=after + len(rows) < len(window)),
        strip=None,
        tools=(),
        hits=None,
        hit=0,
        difference=None,
    )


def _around(window: engine.Window, view: CompareView) -> int | None:
    if view.frame:
        return view.frame
    if view.pin is None or view.after_seq is not None or view.before_seq is not None:
        return None
    if view.pin.first:
        return view.pin.first
    return window[view.pin.position - 1].original_seqs.first if view.pin.position <= len(window) else None


def _fates(window: engine.Window, seqs: Sequence[int]) -> dict[int, engine.reads.Place]:
    """What became of each of these frames, which follow each other."""
    fates: dict[int, engine.reads.Place] = dict.fromkeys(seqs, ("dropped", None))
    if not seqs:
        return fates
    for position, item in enumerate(window, start=1):
        for first, last in item.original_seqs.ranges:
            for seq in range(max(first, seqs[0]), min(last, seqs[-1]) + 1):
                fates[seq] = (engine.fate_of(item), position)
    return fates


def _rows(state: engine.SessionState, window: engine.Window, after: int) -> tuple[engine.reads.ContextRow, ...]:
    items = window.items[after : after + MESSAGES]
    # Only its frame knows which tool a reply is of, and whether the engine wrote it.
    seqs = tuple(item.original_seqs.first for item in items if item.kind != "summary")
    page = engine.reads.frame_rows(
        state.session_id,
        last_seq=state.frame_count,
        wanted=engine.reads.FrameFilter(seqs=tuple(sorted(seqs))),
        limit=MESSAGES,
    )
    frames = {row.seq: row for row in page.items}
    return tuple(
        _row(position, item, frames.get(item.original_seqs.first)) for position, item in enumerate(items, after + 1)
    )


def _row(position: int, item: engine.ContextItem, frame: engine.reads.FrameRow | None) -> engine.reads.ContextRow:
    message, is_original, limit = item.message, item.kind == "original", EXCERPTS[item.kind]
    body = message.body
    is_note = item.kind == "edited" and engine.is_late_note(message)
    called = tuple(dict.fromkeys(call.name for call in message.calls))
    return engine.reads.ContextRow(
        position=position,
        kind=item.kind,
        original_seqs=item.original_seqs,
        tokens=item.tokens,
        role=item.role,
        excerpt=jsontext.printable(body[:limit]),
        tool_names=called or (frame.tool_names if frame and item.kind != "summary" else ()),
        calls=message.calls,
        first_part=_first_part(message),
        has_reasoning=bool(reasoning_text(message) or message.data.get("reasoning_details")),
        is_recovery=is_original and frame is not None and frame.source == "recovery",
        is_error=frame.is_error if frame and is_original else message.is_error,
        is_damaged=False,
        is_note=is_note,
        is_cut=len(body) > limit,
    )


def _first_part(message: engine.Message) -> str:
    content = message.data.get("content")
    first = content[0] if isinstance(content, list) and content else None
    kind = first.get("type") if isinstance(first, dict) else None
    return kind if isinstance(kind, str) else ""
