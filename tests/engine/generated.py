"""Messages as hypothesis draws them: few ids, so that they are used again; texts that databases stumble over."""

from typing import Any

from hypothesis import strategies as st

from tests.builders import Msg, calls, react_rounds
from tests.engine.model import Model

TEXTS = st.one_of(
    st.sampled_from(
        [
            "",
            " ",
            "ok",
            "a\x00b",
            "\ud83d alone \udc88",
            "literal \\u0000",
            "请修复上传测试 🙂",
            "[late tool result] said by the user",
            "line\r\nline\u2028line",
            "long " * 100,
        ]
    ),
    st.text(max_size=20),
)
CALL_IDS = st.sampled_from(["a", "b", "c", "调用 \x00 1"])
NAMES = st.sampled_from(["run", "read_file", "{reason}", "\udc88"])

PLAIN = st.builds(
    lambda role, text: {"role": role, "content": text},
    st.sampled_from(["user", "user", "assistant", "system", "developer"]),
    TEXTS,
)
CALLING = st.builds(
    lambda ids, name, text: calls(*ids, name=name, text=text),
    st.lists(CALL_IDS, min_size=1, max_size=3, unique=True),
    NAMES,
    st.none() | TEXTS,
)
RUNS: st.SearchStrategy[list[Msg]] = st.builds(
    lambda rounds: react_rounds(rounds, size=200), st.integers(min_value=1, max_value=4)
)

INVALID: st.SearchStrategy[list[Any]] = st.sampled_from(
    [
        [],
        [{}],
        ["text"],
        [{"role": "user"}],
        [{"role": "user", "content": "fine"}, {"role": "nobody", "content": ""}],
        [{"role": "tool", "content": "x", "tool_call_id": ""}],
        [{"role": "user", "content": float("nan")}],
        [{"role": "assistant", "tool_calls": [{"id": "a"}, {"id": "a"}]}],
    ]
)


@st.composite
def reply_to(draw: st.DrawFn, model: Model) -> Msg:
    """A reply, most often one that is awaited: to an open call, or late."""
    awaited = [call_id for _, call_id, _ in model.open_calls()]
    awaited += [f.message["tool_call_id"] for f in model.recovered()]
    call_id = draw(st.sampled_from(awaited) if awaited and draw(st.integers(0, 9)) else CALL_IDS)
    return {"role": "tool", "tool_call_id": call_id, "content": draw(TEXTS)}


@st.composite
def batches(draw: st.DrawFn, model: Model) -> list[Msg]:
    if model.open_calls() and draw(st.booleans()):
        return draw(st.lists(reply_to(model), min_size=1, max_size=3))
    if draw(st.integers(0, 4)) == 0:
        return draw(RUNS)
    return draw(st.lists(st.one_of(PLAIN, CALLING, reply_to(model)), min_size=1, max_size=4))
