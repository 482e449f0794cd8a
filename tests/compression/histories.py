"""Windows as a session could have brought them about, generated.

Hypothesis draws what happens, and a number for each event, from which its details follow: an event that shrinking takes
out leaves the others as they are, and a history of thirty events does not cost a thousand draws.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from hypothesis import strategies as st

from sessions_app.engine import (
    NOTE_MARK,
    QUOTED_TOKENS,
    CannotCompress,
    ContextItem,
    FirstRequest,
    Message,
    Seqs,
    Window,
    first_tokens,
)
from tests.builders import call
from tests.compression.params import PARAMS, pressed
from tests.compression.windows import HOSTILE, Msg, compressed, item

TEXTS = [
    "",
    "  \n ",
    "ok",
    "Fix it. You must never touch the migrations. See https://example.com/a?b=1 and #12.",
    "请修复上传测试。必须用中文回答，不要修改数据库！",
    "I'll use SQLite instead of files. Plan:\n1. write the test\n2. 修复\n- [x] done\n- [ ] open",
    "Traceback (most recent call last):\n  File x\nValueError: bad",
    "Error: no such file\nexit code: 2",
    "3 passed, 1 failed in 0.2s",
    "lines and lines of output \n" * 60,
    "很长的中文输出，" * 90,
    "word " * 700,
    "🙂" * 300,
    HOSTILE,
    HOSTILE + " and more " * 600,
    "\ud83d alone \udc88 and \x00 and \u2028[4] forged",
]
HUGE = ["a line of a log, 2026-01-31 12:00:00 " * 3_000, " " * 70_000, "=" * 80_000]
IDS = ["c1", "c2", "c3", "call with space", "调用"]
NAMES = ["bash", "read_file", "str_replace_based_edit_tool", "TodoWrite", "部署", "x" * 200, "a: b × 3"]
ARGUMENTS = [
    "{}",
    "",
    '{"q": "ab',
    '{"path":"src/a.py"}',
    '{"command":"cd /r && pytest -q && rm -f b.txt > log"}',
    '{"command":"str_replace","path":"src/甲.py","old_str":"' + "x" * 300 + '"}',
    '{"todos":[{"content":"write","status":"completed"},{"content":"提交"}]}',
    "[" * 90 + "]" * 90,
]
READS = ['{"path":"src/a.py","limit":5}', '{"limit":5, "path":"src/a.py"}', '{"path":"src/b.py"}', "not JSON"]
BLOCKS: list[Msg] = [
    {"type": "thinking", "thinking": "The buffer is fixed. " * 20, "signature": "c2ln" * 60},
    {"type": "thinking", "thinking": "", "signature": "eA=="},
    {"type": "redacted_thinking", "data": "c2VhbGVk" * 40},
]
REASONING: list[Msg] = [
    {},
    {"reasoning_content": "hm"},
    {"reasoning_content": ""},
    {"reasoning_content": BLOCKS[0]["thinking"], "reasoning_details": BLOCKS[:1]},
    {"thinking_blocks": BLOCKS[1:]},
]


@dataclass
class History:
    """A window as appends, recoveries, late replies and compressions bring it about, and what the user said first."""

    items: list[ContextItem] = field(default_factory=list)
    next_seq: int = 1
    first: FirstRequest | None = None
    recovered: list[tuple[str, str]] = field(default_factory=list)

    def add(self, message: Msg) -> None:
        made = item(self.next_seq, message)
        self.items.append(made)
        if self.first is None and message["role"] == "user":
            self.first = FirstRequest(self.next_seq, made.message.body)
        self.next_seq += 1

    def note(self, text: str) -> None:
        """The real reply to a recovered call, after the conversation had gone on."""
        if not self.recovered:
            return
        call_id, name = self.recovered.pop()
        head = f"{NOTE_MARK} The call {call_id} of {name}, whose result was unknown, has now answered:"
        note = Message.of({"role": "user", "content": f"{head}\n\n{text}"})
        self.items.append(ContextItem.edited(seqs=Seqs.one(self.next_seq), message=note))
        self.next_seq += 1

    def late_in_place(self, text: str) -> None:
        """The real reply while its recovery message still stands at the tail."""
        last = self.items[-1] if self.items else None
        if last is None or last.role != "tool" or last.kind != "original" or not self.recovered:
            return
        self.recovered.pop()
        reply = Message.of({**last.message.data, "content": text})
        self.items[-1] = ContextItem.edited(seqs=last.original_seqs.with_seq(self.next_seq), message=reply)
        self.next_seq += 1

    def summarise(self, text: str) -> None:
        """What another strategy would do: everything up to the newest rounds becomes one summary in its own words."""
        window = self.window
        if len(window.rounds) < 3:
            return
        start, stop = window.system_stop, window.rounds[-2].start
        covered = [i for i in window.items[start:stop] if i.role not in ("system", "developer")]
        last = window.request_indexes[-1] if window.request_indexes else -1
        if not covered or start <= last < stop:
            return
        seqs = Seqs.union(i.original_seqs for i in covered)
        quoted = first_tokens(self.first.text, QUOTED_TOKENS) if self.first else ""
        summary = Message.of({"role": "user", "content": f"Summary in other words: {text}\n{quoted}\nthat was it"})
        stay = [i for i in window.items[start:stop] if i.role in ("system", "developer")]
        self.items = [
            *window.items[:start],
            ContextItem.summary(seqs=seqs, message=summary),
            *stay,
            *window.items[stop:],
        ]
        self.items[start:] = sorted(self.items[start:], key=lambda i: i.original_seqs.first)

    @property
    def window(self) -> Window:
        return Window.of(self.items)


SEEDS = st.integers(0, 2**32)
EVENTS = st.tuples(st.sampled_from("uuagggggeedsnrllf"), SEEDS)
BEGINNINGS = st.lists(st.tuples(st.just("S"), SEEDS), max_size=2)
ENDINGS = st.lists(st.tuples(st.sampled_from("ou"), SEEDS), max_size=1)
ANY_TEXT = st.one_of(st.sampled_from(TEXTS), st.text(max_size=40))


@st.composite
def histories(draw: st.DrawFn) -> History:
    history = History()
    fewest = draw(st.sampled_from([0, 10, 16, 24]))
    happened = draw(st.lists(EVENTS, min_size=fewest, max_size=36))
    fresh = draw(st.lists(st.text(max_size=40), max_size=1))
    for event, seed in [*draw(BEGINNINGS), *happened, *draw(ENDINGS)]:
        _Teller(history, Random(seed), fresh).tell(event)
    return history


@dataclass
class _Teller:
    """Adds one event to a history; all that is not said follows from the random numbers."""

    history: History
    random: Random
    fresh: Sequence[str]

    def tell(self, event: str) -> None:
        match event:
            case "S":
                self.history.add({"role": "system", "content": self.text()})
            case "u":
                self.history.add({"role": "user", "content": self.content()})
            case "a":
                self.history.add({"role": "assistant", "content": self.said(), **self.random.choice(REASONING)})
            case "g":
                self.group()
            case "e":
                self.again()
            case "d":
                self.interrupted_group()
            case "o":
                self.open_group()
            case "s":
                self.history.add({"role": self.random.choice(["system", "developer"]), "content": self.text()})
            case "n":
                self.history.note(self.text())
            case "r":
                self.history.late_in_place(self.text())
            case "l":
                self.compressed_earlier()
            case "f":
                self.history.summarise(self.text())

    def text(self) -> str:
        if self.random.random() < 0.02:
            return self.random.choice(HUGE)
        return self.random.choice([*TEXTS, *self.fresh])

    def content(self) -> Any:
        if self.random.random() < 0.2:
            return [{"type": "text", "text": self.text()}, {"type": "image_url", "image_url": {"url": "data:x"}}]
        return self.text()

    def said(self) -> Any:
        """What an assistant message holds: nothing, text, or parts with reasoning among them."""
        text = self.random.choice([None, self.text()])
        if self.random.random() < 0.7:
            return text
        return [self.random.choice(BLOCKS), *([{"type": "text", "text": text}] if text else [])]

    def calls(self) -> list[tuple[str, str]]:
        named = [(i, self.random.choice(NAMES)) for i in self.random.sample(IDS, self.random.randint(1, 3))]
        made = [self.call(call_id, name) for call_id, name in named]
        thought = self.random.choice(REASONING)
        self.history.add({"role": "assistant", "content": self.said(), "tool_calls": made, **thought})
        return named

    def call(self, call_id: str, name: str) -> Msg:
        arguments = self.random.choice(ARGUMENTS)
        if self.random.random() < 0.2:
            return {"id": call_id, "type": "custom", "custom": {"name": name, "input": arguments}}
        return call(call_id, name, arguments)

    def reply(self, call_id: str, content: Any) -> None:
        extra = {"is_error": True} if self.random.random() < 0.2 else {}
        self.history.add({"role": "tool", "tool_call_id": call_id, "content": content, **extra})

    def group(self) -> None:
        named = self.calls()
        for call_id, _ in self.random.sample(named, len(named)):
            self.reply(call_id, self.content())

    def again(self) -> None:
        """A call that was made before, perhaps with its arguments in another order."""
        read = call("again", "read_file", self.random.choice(READS))
        self.history.add({"role": "assistant", "content": None, "tool_calls": [read]})
        self.reply("again", self.content())

    def interrupted_group(self) -> None:
        named = self.calls()
        for call_id, name in self.random.sample(named, len(named)):
            text = f"Execution was interrupted. The result of {name} is unknown: the tool may or may not have run."
            self.history.recovered.append((call_id, name))
            self.history.add({"role": "tool", "tool_call_id": call_id, "content": text})

    def open_group(self) -> None:
        named = self.calls()
        for call_id, _ in named[: self.random.randint(0, len(named) - 1)]:
            self.reply(call_id, self.content())

    def compressed_earlier(self) -> None:
        """By any strategy, under all that it may do or under its defaults."""
        name, rounds = self.random.choice(sorted(PARAMS)), self.random.randint(1, 3)
        params = pressed(name, rounds) if self.random.random() < 0.7 else {}
        try:
            self.history.items = list(compressed(self.history.window, name, **params).items)
        except CannotCompress:
            return
