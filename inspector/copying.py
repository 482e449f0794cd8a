"""Copies of messages, exactly as they were sent: which of them an address asks for, and what is written of them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal, Self, get_args

from django.core.exceptions import BadRequest
from django.http import Http404, QueryDict
from django.utils.translation import gettext as _

from inspector.heads import tag_of
from inspector.presenters.curl import append_command, ask_command, json_list
from inspector.presenters.readable import NO_MESSAGE
from inspector.presenters.transcript import markdown_of
from inspector.view_state import ViewState
from sessions_app import engine

Form = Literal["json", "markdown", "curl"]
Range = tuple[int, int]

MOST: Final = 500
"""Frames, or positions of a window, that one copy may name. A whole window has no such limit."""

_AT_ONCE: Final = 50
_RANGE: Final = re.compile(r"([1-9][0-9]{0,17})(?:-([1-9][0-9]{0,17}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Asked:
    """Frames, or a window of which `positions` names a part."""

    form: Form
    frames: Range | None
    version: int | None
    at_seq: int | None
    positions: Range | None

    @classmethod
    def of(cls, session_id: str, params: QueryDict) -> Self:
        """Raises BadRequest."""
        view, form = ViewState.of(session_id, params), params.get("as", "json")
        if form not in get_args(Form):
            raise BadRequest(_("A copy is as json, as markdown or as curl."))
        asked = cls(form, _range(params, "frames"), view.version, view.at_seq, _range(params, "positions"))  # type: ignore[arg-type]
        if asked.frames and (asked.version or asked.at_seq or asked.positions):
            raise BadRequest(_("A copy is one of frames or one of a window."))
        return asked

    @property
    def is_one(self) -> bool:
        asked = self.frames or self.positions
        return asked is not None and asked[0] == asked[1]


@dataclass(frozen=True, slots=True)
class Copied:
    """`place`: `#12`, or in a window `C3 (⊂ #2–#97)`."""

    place: str
    message: engine.Message


def copy_text(record: engine.SessionRecord, asked: Asked, *, api_frames: str) -> Iterator[str]:
    """As JSON each message is its stored text, never written anew: one is an object, several are a list. As curl,
    frames are appended to the session, and a window is sent to a model.

    `api_frames`: where frames are appended. Raises Http404, and what reading frames and windows raises.
    """
    copied = _copied(record, asked)
    if asked.form == "markdown":
        for one in copied:
            yield from markdown_of(one.place, one.message)
    elif asked.form == "curl" and asked.frames:
        yield from append_command(api_frames, tag_of(record.state.head), _texts(copied))
    elif asked.form == "curl":
        yield from ask_command(_texts(copied))
    else:
        yield from _texts(copied) if asked.is_one else json_list(_texts(copied))


def _texts(copied: Iterable[Copied]) -> Iterator[str]:
    for one in copied:
        if one.message.is_damaged:
            raise _damaged(one.place)
        yield one.message.text


def _copied(record: engine.SessionRecord, asked: Asked) -> Iterator[Copied]:
    if asked.frames:
        return _frames(record, *asked.frames)
    if asked.positions:
        return _part(record, asked, *asked.positions)
    return _window(record, asked)


def _frames(record: engine.SessionRecord, first: int, last: int) -> Iterator[Copied]:
    session_id = record.state.session_id
    if last > record.state.frame_count:
        raise engine.FrameNotFound(session_id, last)
    for start in range(first, last + 1, _AT_ONCE):
        stop = min(start + _AT_ONCE - 1, last)
        for frame in engine.reads.frames_between(session_id, start, stop):
            yield Copied(f"#{frame.seq}", frame.message)


def _part(record: engine.SessionRecord, asked: Asked, first: int, last: int) -> Iterator[Copied]:
    """Messages of a window as they are stored, as `context/` gives them."""
    found = [_placed(p) for p in _placements(record, asked, after_position=first - 1, limit=last - first + 1)]
    if len(found) != last - first + 1:
        raise Http404(_("The window has no such message."))
    yield from found


def _window(record: engine.SessionRecord, asked: Asked) -> Iterator[Copied]:
    """A whole window as it is sent to a model, as `context/messages/` gives it: without empty messages."""
    for placed in map(_placed, _placements(record, asked, after_position=0, limit=None)):
        try:
            sent = _as_sent(placed.message)
        except NO_MESSAGE as error:
            if asked.form != "markdown":
                raise _damaged(placed.place) from error
            sent = placed.message
        if sent is not None:
            yield replace(placed, message=sent)


def _as_sent(message: engine.Message) -> engine.Message | None:
    """The message itself wherever nothing had to be changed in it, so that its text stays what it is."""
    for sent in engine.sendable([message]):
        return message if sent.get("content") == message.data.get("content") else engine.Message.of(sent)
    return None


def _placements(
    record: engine.SessionRecord, asked: Asked, *, after_position: int, limit: int | None
) -> tuple[engine.Placement, ...]:
    session_id = record.state.session_id
    if asked.at_seq is not None:
        read = engine.reads.window_at(session_id, asked.at_seq, after_position=after_position, limit=limit)
    elif asked.version is not None:
        read = engine.reads.window_of_version(session_id, asked.version, after_position=after_position, limit=limit)
    else:
        read = engine.reads.current_window(session_id, after_position=after_position, limit=limit)
    if asked.version not in (None, read.version):
        raise Http404(_("Frame %(n)s was not written under that version.") % {"n": asked.at_seq})
    return read.placements


def _placed(placement: engine.Placement) -> Copied:
    sign = {"original": "=", "edited": "≈", "summary": "⊂"}[placement.item.kind]
    ranges = placement.item.original_seqs.ranges
    seqs = ", ".join(f"#{a}" if a == b else f"#{a}–#{b}" for a, b in ranges)
    return Copied(f"C{placement.position} ({sign} {seqs})", placement.item.message)


def _damaged(place: str) -> Http404:
    return Http404(
        _("%(place)s is damaged: what is stored there is no message that could be copied.") % {"place": place}
    )


def _range(params: QueryDict, name: str) -> Range | None:
    given = params.get(name)
    if given is None:
        return None
    found = _RANGE.fullmatch(given)
    first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
    if last < first:
        raise BadRequest(_("%(name)s must be a number, or two like 3-9.") % {"name": name})
    if last - first >= MOST:
        raise BadRequest(_("A copy has at most %(n)s frames or messages.") % {"n": MOST})
    return first, last
