"""What a digest says: one walk over the old messages, in order, each fact into its section under its key."""

from collections.abc import Callable, Iterable
from typing import Final

from sessions_app.compression.digesting import sections
from sessions_app.compression.digesting.bounded import shortened
from sessions_app.compression.digesting.results import check_in, failure_in, is_interruption, placeholder
from sessions_app.compression.digesting.speech import constraints_in, decisions_in, plan_in, references_in
from sessions_app.compression.digesting.summary_text import Quote, SummaryText, read_summary
from sessions_app.compression.digesting.tallies import Errors, Files, Tools
from sessions_app.compression.digesting.tool_use import ToolUse, understand
from sessions_app.engine import NOTE_MARK, ContextItem, Message

HEADING: Final = "## "
UNNUMBERED: Final = "- "
CLEARED: Final = "failed; what it said was cleared"
INTERRUPTED: Final = "interrupted, its result is unknown"
_UNKNOWN_USE: Final = ToolUse(tool="a tool", label="a tool", files=(), steps=())


class Facts:
    """Fed with messages, oldest first; `sections` are in the order in which they are read.

    `quote`: what of the first request is quoted beside them.
    """

    def __init__(self, quote: Quote | None = None) -> None:
        self._quote = quote
        self.requests = sections.Requests()
        self.constraints = sections.constraints()
        self.foreign = sections.Foreign()
        self.files = Files()
        self.tools = Tools()
        self.errors = Errors()
        self.checks = sections.checks()
        self.decisions = sections.decisions()
        self.plan = sections.plan()
        self.references = sections.references()
        self.answer = sections.answer()
        self._calls: dict[str, ToolUse] = {}
        self._interrupted: dict[str, ToolUse] = {}

    @property
    def sections(self) -> tuple[sections.Section, ...]:
        return (
            self.requests,
            self.constraints,
            self.foreign,
            self.files,
            self.tools,
            self.errors,
            self.checks,
            self.decisions,
            self.plan,
            self.references,
            self.answer,
        )

    def take(self, items: Iterable[ContextItem]) -> None:
        for item in items:
            # A late reply that took the place of a recovery message has two frames; what it says is in the later one.
            seq = item.original_seqs.last
            if item.kind == "summary":
                self._take_summary(seq, item)
            elif item.is_request:
                self._take_request(seq, item.message.body)
            elif item.role == "user":
                self._take_note(seq, item.message.body)
            elif item.role == "assistant":
                self._take_assistant(seq, item.message)
            else:
                self._take_reply(seq, item.message)

    def _take_summary(self, seq: int, item: ContextItem) -> None:
        read = read_summary(item)
        if read is None:
            self.foreign.add(seq, item.message.body)
        else:
            self._take_sections(seq, read)

    def _take_sections(self, seq: int, summary: SummaryText) -> None:
        readers = {HEADING + section.title: section.read for section in self.sections}
        read: Callable[[int, str], None] = self.foreign.read
        entry: tuple[int, str] | None = None
        for line in (*summary.body.split("\n"), ""):
            if entry is not None and line.startswith("    "):
                entry = entry[0], f"{entry[1]}\n{line[4:]}"
                continue
            if entry is not None:
                read(*entry)
            entry = _entry(line, seq)
            if line.startswith(HEADING):
                # A model's summary has sections that a digest has not: their lines stay, and say which they were.
                read = readers.get(line) or self.foreign.under(line.removeprefix(HEADING))

    def _take_request(self, seq: int, text: str) -> None:
        self.requests.add(seq, self._unquoted(seq, text))
        for sentence in constraints_in(text):
            self.constraints.add(seq, sentence)
        self._refer(seq, text)

    def _unquoted(self, seq: int, text: str) -> str:
        """What the quote of the first request leaves out of it: nothing is said twice."""
        if self._quote is None or self._quote.seq != seq:
            return text
        rest = text[len(self._quote.text) :].strip()
        return f"… {rest}" if rest else ""

    def _take_assistant(self, seq: int, message: Message) -> None:
        text = message.body
        for sentence in decisions_in(text):
            self.decisions.add(seq, sentence)
        if steps := plan_in(text):
            self.plan.set(seq, steps)
        if text.strip():
            self.answer.set(seq, [shortened(text.strip(), sections.ANSWER)])
        self._refer(seq, text)
        self._calls = {call.id: understand(call) for call in message.calls}
        for call, use in zip(message.calls, self._calls.values(), strict=True):
            self.tools.called(seq, use.tool)
            if use.steps:
                self.plan.set(seq, list(use.steps))
            self._refer(seq, call.arguments)

    def _take_reply(self, seq: int, message: Message) -> None:
        call_id = message.tool_call_id or ""
        use = self._calls.get(call_id, _UNKNOWN_USE)
        if is_interruption(message.body):
            self._interrupted[call_id] = use
            self.errors.failed(seq, use.label, INTERRUPTED)
        else:
            self._take_result(seq, use, message.body, is_error=message.is_error)

    def _take_note(self, seq: int, text: str) -> None:
        """A late reply: its first line names the call, what stands under it is the result."""
        head, _, result = text.partition("\n")
        words = head.removeprefix(NOTE_MARK).split(" ", 4)
        use = self._interrupted.pop(words[3], _UNKNOWN_USE) if len(words) > 4 else _UNKNOWN_USE
        self._take_result(seq, use, result.lstrip("\n"), is_error=False)

    def _take_result(self, seq: int, use: ToolUse, text: str, *, is_error: bool) -> None:
        if text == placeholder(use.tool):
            self._take_cleared(seq, use, is_error=is_error)
            return
        why = failure_in(text, is_error=is_error, is_file=use.reads_file)
        if not use.reads_file and (ended := check_in(text)) is not None:
            self.checks.add(seq, f"{use.label}: {ended}")
        self._refer(seq, text, is_result=True)
        if why is not None:
            self.tools.failed(use.tool)
            self.errors.failed(seq, use.label, why)
            return
        self.errors.succeeded(seq, use.label)
        for path, operation in use.files:
            self.files.add(seq, path, operation)

    def _take_cleared(self, seq: int, use: ToolUse, *, is_error: bool) -> None:
        """Of a result that was cleared only the reply's own word is left whether it failed; no word is no success."""
        if is_error:
            self.tools.failed(use.tool)
            self.errors.failed(seq, use.label, CLEARED)
            return
        for path, operation in use.files:
            self.files.add(seq, path, operation)

    def _refer(self, seq: int, text: str, *, is_result: bool = False) -> None:
        for reference in references_in(text, is_result=is_result):
            self.references.add(seq, reference)


def _entry(line: str, seq: int) -> tuple[int, str] | None:
    """`[12] text` as a number and a text; `- text`, which names no frame, under the newest that the summary covers."""
    if line.startswith(UNNUMBERED):
        return seq, line.removeprefix(UNNUMBERED)
    number, _, text = line.removeprefix("[").partition("] ")
    return (int(number), text) if line.startswith("[") and number.isdecimal() and len(number) < 19 else None
