"""A row of a window's page, made of what one statement reads of a context message and of its frame."""

from dataclasses import dataclass
from typing import Final, NamedTuple

from sessions_app import jsontext
from sessions_app.engine import beginnings
from sessions_app.engine.beginnings import Beginning
from sessions_app.engine.messages import EXCERPT, Call
from sessions_app.engine.recovery_text import NOTE_MARK
from sessions_app.engine.seqs import Seqs
from sessions_app.engine.window import Kind

EXCERPTS: Final[dict[Kind, int]] = {"original": EXCERPT, "edited": 600, "summary": 1_200}
"""Code points of the text that a row carries, by kind."""

LENGTH: Final = 4_000
"""Characters read of a message that is no frame's own: some of its text is escaped there."""


@dataclass(frozen=True, slots=True)
class ContextRow:
    """A context message without its text. `excerpt`: up to 280 code points of a message kept by reference, 600 of an
    edited one, 1,200 of a summary; `is_cut`: there is more. `role` is empty where an edited message is damaged.
    `calls`, `first_part`, `has_reasoning`: as far as the beginning tells. `tool_names`: of a reply, also where only
    its frame names the tool. `is_recovery`: written by the engine after an interruption; `is_note`: a late reply.
    """

    position: int
    kind: Kind
    original_seqs: Seqs
    tokens: int
    role: str
    excerpt: str
    tool_names: tuple[str, ...]
    calls: tuple[Call, ...]
    first_part: str
    has_reasoning: bool
    is_recovery: bool
    is_error: bool
    is_damaged: bool
    is_note: bool
    is_cut: bool


class StoredRow(NamedTuple):
    """`frame_…`: of the first frame of a message that is no summary. `by_reference`: it has no text of its own."""

    position: int
    kind: Kind
    original_seqs: str
    tokens: int
    by_reference: bool
    beginning: str
    frame_role: str | None
    frame_excerpt: str | None
    frame_tool_names: str | None
    frame_source: str | None
    frame_is_error: bool | None

    def begun(self) -> Beginning | None:
        return Beginning.of(self.beginning, length=beginnings.LENGTH if self.by_reference else LENGTH)


def row_of(stored: StoredRow, beginning: Beginning | None, *, at_seq: int | None) -> ContextRow:
    """`beginning`: that of the message, None where it is damaged. `at_seq`: frames from here on were still to come."""
    seqs = Seqs.parse(stored.original_seqs)
    then = seqs if at_seq is None else seqs.below(at_seq)
    assert then is not None  # the statement asks for first_seq < at_seq
    kind: Kind = stored.kind if then == seqs else "original"
    role = (stored.frame_role if stored.by_reference else beginning and beginning.role) or ""
    is_note = kind == "edited" and role == "user" and beginning is not None and beginning.text.startswith(NOTE_MARK)
    excerpt, is_cut = _excerpt(stored, beginning, EXCERPTS[kind])
    return ContextRow(
        position=stored.position,
        kind=kind,
        original_seqs=then,
        tokens=stored.tokens,
        role=role,
        excerpt=excerpt,
        tool_names=_tool_names(stored, beginning, role, is_note=is_note),
        calls=beginning.calls if beginning else (),
        first_part=beginning.first_part if beginning else "",
        has_reasoning=beginning is not None and beginning.has_reasoning,
        is_recovery=kind == "original" and stored.frame_source == "recovery",
        is_error=bool(stored.frame_is_error) if stored.by_reference else beginning is not None and beginning.is_error,
        is_damaged=beginning is None,
        is_note=is_note,
        is_cut=is_cut,
    )


def _excerpt(stored: StoredRow, beginning: Beginning | None, limit: int) -> tuple[str, bool]:
    text = beginning.text if beginning else ""
    goes_on = len(text) > limit or (beginning is not None and beginning.may_have_more_text)
    if not stored.by_reference:
        return jsontext.printable(text[:limit]), goes_on
    excerpt = stored.frame_excerpt or ""
    return excerpt, goes_on and len(excerpt) == limit


def _tool_names(stored: StoredRow, beginning: Beginning | None, role: str, *, is_note: bool) -> tuple[str, ...]:
    if stored.by_reference or is_note or (role == "tool" and stored.kind == "edited"):
        return jsontext.unescape_lines(stored.frame_tool_names or "")
    return tuple(dict.fromkeys(call.name for call in beginning.calls)) if beginning else ()
