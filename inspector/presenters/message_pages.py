"""The page of one frame, and that of one context message: the message, where it stands, and what became of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from inspector.presenters.copy_links import CopyLinks, copy_of_frames, copy_of_message
from inspector.presenters.marks import FateMark, Links, Origins, fate_mark, origins, orphan_mark
from inspector.presenters.metadata import Metadata, metadata_of
from inspector.presenters.shown import Link, Moment, Number, text
from inspector.presenters.whole import Addresses, Manner, OfCalls, WholeMessage, whole_message
from inspector.reading_messages import WindowMessage
from inspector.view_state import ViewState
from sessions_app import engine

_WORDS: Final = {"kept": _("kept"), "edited": _("edited"), "summarised": _("summarised")}
_KINDS: Final = {"original": _("original"), "edited": _("edited"), "summary": _("summary")}
_STANDS_FOR: Final = {
    "original": _("The frame word for word."),
    "edited": _("The frame said otherwise."),
    "summary": _("A summary of these frames."),
}


@dataclass(frozen=True, slots=True)
class FateLine:
    """What became of a frame in one version. `mark` is None where that window is no longer kept. `word`: what the sign
    of the mark means, where it is a sign.
    """

    version: int
    href: str
    mark: FateMark | None
    word: str


@dataclass(frozen=True, slots=True)
class FramePage:
    """`recover`: where open calls are recovered; empty where none is open. `saw`: empty but for assistant frames."""

    session_id: str
    title: str
    back: str
    seq: int
    source: str
    tools: str
    is_late: bool
    is_orphan: bool
    recovery: Link | None
    message: WholeMessage
    metadata: Metadata
    tokens: Number
    at: Moment
    version: Link
    reply_to: Link | None
    replies: tuple[Link, ...]
    recover: str
    fates: tuple[FateLine, ...]
    previous: Link | None
    next: Link | None
    saw: str
    copies: CopyLinks


@dataclass(frozen=True, slots=True)
class ContextMessagePage:
    session_id: str
    title: str
    back: str
    version: Link
    at_seq: int | None
    position: int
    kind: str
    kind_word: str
    message: WholeMessage
    tokens: Number
    origins: Origins
    stands_for: str
    previous: Link | None
    next: Link | None
    copies: CopyLinks


def frame_page(
    record: engine.SessionRecord,
    frame: engine.Frame,
    manner: Manner,
    *,
    fates: list[engine.reads.FrameFate],
    replies: Mapping[str, tuple[int, ...]],
    now: datetime,
) -> FramePage:
    session_id, state, seq = record.state.session_id, record.state, frame.seq
    view = ViewState(session_id)
    open_ids = frozenset(c.id for c in state.open_calls if c.seq == seq)
    links = {call_id: tuple(_frame_link(session_id, s) for s in seqs) for call_id, seqs in replies.items()}
    addresses = Addresses(
        page=_frame_href(session_id, seq),
        text=reverse("frame_text", args=[session_id, seq]),
        exact=reverse("api-frame", args=[session_id, seq]),
        images_of=(session_id, seq),
    )
    return FramePage(
        session_id=session_id,
        title=text(record.title),
        back=view.frame_url(seq),
        seq=seq,
        source="" if frame.source == "agent" else frame.source,
        tools=", ".join(text(name) for name in frame.tool_names),
        is_late=frame.recovery_seq is not None,
        is_orphan=frame.is_orphan,
        recovery=_frame_link(session_id, frame.recovery_seq) if frame.recovery_seq else None,
        message=whole_message(frame.message, addresses, manner, OfCalls(open_ids, links)),
        metadata=metadata_of(frame.metadata),
        tokens=Number.of(frame.tokens),
        at=Moment.of(frame.created_at, now=now),
        version=Link(f"v{frame.context_version}", view.version_url(frame.context_version)),
        reply_to=_frame_link(session_id, frame.call_seq) if frame.call_seq else None,
        replies=tuple(_frame_link(session_id, s) for s in sorted(s for seqs in replies.values() for s in seqs)),
        recover=view.url(do="recover") if open_ids else "",
        fates=tuple(_fate_line(frame, f, view) for f in fates),
        previous=_frame_link(session_id, seq - 1) if seq > 1 else None,
        next=_frame_link(session_id, seq + 1) if seq < state.frame_count else None,
        saw=view.with_(at_seq=seq).frame_url(seq) if frame.role == "assistant" else "",
        copies=copy_of_frames(session_id, seq, seq),
    )


def context_message_page(record: engine.SessionRecord, found: WindowMessage, manner: Manner) -> ContextMessagePage:
    session_id, version, at_seq = record.state.session_id, found.version, found.at_seq
    position, item = found.placement.position, found.placement.item
    view = ViewState(session_id, version=None if at_seq else version, at_seq=at_seq)
    return ContextMessagePage(
        session_id=session_id,
        title=text(record.title),
        back=view.message_url(position),
        version=Link(f"v{version}", view.url()),
        at_seq=at_seq,
        position=position,
        kind=item.kind,
        kind_word=str(_KINDS[item.kind]),
        message=whole_message(item.message, _addresses(session_id, found), manner),
        tokens=Number.of(item.tokens),
        origins=origins(position, item.kind, item.original_seqs, Links(view, frozenset(), frozenset()), ranges=None),
        stands_for=str(_STANDS_FOR[item.kind]),
        previous=_message_link(session_id, found, position - 1) if position > 1 else None,
        next=_message_link(session_id, found, position + 1) if found.more else None,
        copies=copy_of_message(session_id, version, position, at_seq),
    )


def _addresses(session_id: str, found: WindowMessage) -> Addresses:
    placement, at_seq = found.placement, found.at_seq
    window = f"at_seq={at_seq}" if at_seq else f"version={found.version}"
    one = f"after_position={placement.position - 1}&limit=1"
    place, item = [session_id, found.version, placement.position], placement.item
    return Addresses(
        page=reverse("context_message", args=place),
        text=reverse("context_text", args=place),
        exact=reverse("api-context", args=[session_id]) + f"?{window}&{one}",
        query={"at_seq": at_seq} if at_seq else {},
        images_of=(session_id, item.original_seqs.first) if item.kind == "original" else None,
    )


def _fate_line(frame: engine.Frame, found: engine.reads.FrameFate, view: ViewState) -> FateLine:
    links = Links(view.with_(version=found.version), frozenset(), frozenset())
    mark = None
    if found.kept and frame.is_orphan and found.position is None:
        mark = orphan_mark()
    elif found.kept:
        mark = fate_mark(frame.seq, (found.fate or "dropped", found.position), links, version=found.version)
    word = _WORDS.get(found.fate or "", "") if mark and mark.href else ""
    return FateLine(found.version, view.version_url(found.version), mark, str(word))


def _message_link(session_id: str, found: WindowMessage, position: int) -> Link:
    href = reverse("context_message", args=[session_id, found.version, position])
    return Link(f"C{position}", href + (f"?at_seq={found.at_seq}" if found.at_seq else ""))


def _frame_link(session_id: str, seq: int) -> Link:
    return Link(f"#{seq}", _frame_href(session_id, seq))


def _frame_href(session_id: str, seq: int) -> str:
    return reverse("frame", args=[session_id, seq])
