"""Probes: texts that a window should still have. Those that a session itself suggests, and whether they are found."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from sessions_app.compression.digesting.bounded import flattened
from sessions_app.compression.digesting.results import check_in, failure_in, is_interruption
from sessions_app.compression.digesting.speech import constraints_in, decisions_in
from sessions_app.compression.digesting.tool_use import ToolUse, understand
from sessions_app.compression.measures.readable import pieces, texts_of
from sessions_app.compression.measures.values import Probe, ProbeSource
from sessions_app.engine import DamagedMessage, Frame, Message, Window

CONSTRAINTS: Final = 3
EDITED_PATHS: Final = 5
LONGEST: Final = 120
"""Code points of a generated probe: a sentence that a summary could be expected to hold word by word."""
_SHORTEST: Final = 3
_NO_USE: Final = ToolUse(tool="a tool", label="a tool", files=(), steps=())


@dataclass(frozen=True, slots=True)
class Haystack:
    """All that a window says, folded once for any number of probes: lower case, one blank between words."""

    texts: tuple[str, ...]

    @classmethod
    def of(cls, window: Window) -> "Haystack":
        return cls(tuple("\n".join(_folded_texts(item.message)) for item in window))

    def has(self, text: str) -> bool:
        """Whether it stands in a text, in reasoning, in a tool's name or in an argument. A blank text never does."""
        wanted = _folded(text)
        return bool(wanted) and any(wanted in said for said in self.texts)


def is_found(text: str, window: Window) -> bool:
    """Whether the window has the text: case and the kind and number of blanks do not matter."""
    return Haystack.of(window).has(text)


def generated_probes(frames: Sequence[Frame]) -> tuple[Probe, ...]:
    """The last 3 constraints that users set, the last 5 edited paths, the last error, test result and decision.

    Distinct, short, each as it stands in a frame. Source: compression page, section 6, "probes".
    """
    whole = [frame for frame in frames if not frame.message.is_damaged]
    suggested: tuple[tuple[ProbeSource, Iterator[str], int], ...] = (
        ("constraint", _constraints(whole), CONSTRAINTS),
        ("edited_path", _edited_paths(whole), EDITED_PATHS),
        ("last_error", _errors(whole), 1),
        ("last_check", _checks(whole), 1),
        ("last_decision", _decisions(whole), 1),
    )
    seen: set[str] = set()
    return tuple(
        Probe(text, source) for source, texts, most in suggested for text in islice(_distinct(texts, seen), most)
    )


def _distinct(texts: Iterable[str], seen: set[str]) -> Iterator[str]:
    for text in texts:
        probe = _searchable(text)
        folded = _folded(probe)
        if len(folded) >= _SHORTEST and folded not in seen:
            seen.add(folded)
            yield probe


def _searchable(text: str) -> str:
    """The beginning of a text up to a blank, without the mark of a cut, which stands in no message."""
    is_cut = text.endswith("…")
    text = text.removesuffix("…").rstrip()
    if len(text) > LONGEST:
        text, is_cut = text[:LONGEST], True
    blank = text.rfind(" ")
    return text[:blank] if is_cut and blank > LONGEST // 3 else text


def _constraints(frames: Sequence[Frame]) -> Iterator[str]:
    for frame in reversed(frames):
        if frame.role == "user":
            yield from reversed(list(constraints_in(frame.message.body)))


def _decisions(frames: Sequence[Frame]) -> Iterator[str]:
    for frame in reversed(frames):
        if frame.role == "assistant":
            yield from reversed(list(decisions_in(frame.message.body)))


def _edited_paths(frames: Sequence[Frame]) -> Iterator[str]:
    for frame in reversed(frames):
        for call in reversed(frame.message.calls):
            for path, operation in reversed(understand(call).files):
                if operation in ("edited", "created") and not path.endswith("…"):
                    yield path


def _errors(frames: Sequence[Frame]) -> Iterator[str]:
    for text, use, is_error in _results(frames):
        why = failure_in(text, is_error=is_error, is_file=use.reads_file)
        if why and not is_interruption(text):
            yield why


def _checks(frames: Sequence[Frame]) -> Iterator[str]:
    for text, use, _ in _results(frames):
        ended = None if use.reads_file else check_in(text)
        if ended:
            yield ended


def _results(frames: Sequence[Frame]) -> Iterator[tuple[str, ToolUse, bool]]:
    """What tools returned, newest first, and what for."""
    by_seq = {frame.seq: frame for frame in frames}
    for frame in reversed(frames):
        if frame.role != "tool":
            continue
        caller = by_seq.get(frame.call_seq) if frame.call_seq is not None else None
        calls = caller.message.calls if caller is not None else ()
        call = next((call for call in calls if call.id == frame.message.tool_call_id), None)
        yield frame.message.body, understand(call) if call is not None else _NO_USE, frame.message.is_error


def _folded_texts(message: Message) -> Iterator[str]:
    try:
        for text in texts_of(message):
            yield _folded(text)
    except DamagedMessage:
        return


def _folded(text: str) -> str:
    return " ".join(filter(None, (flattened(piece) for piece in pieces(text)))).casefold()
