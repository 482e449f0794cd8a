"""Messages as hypothesis draws them: few ids, so that they are used again; texts that databases stumble over."""

from typing import Any

from hypothesis import strategies as st

from tests.builders import Msg, calls
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


def awaited_ids(model: Model) -> list[str]:
    ids = [call_id for _, call_id, _ in model.open_calls()]
    return ids + [f.message["tool_call_id"] for f in model.recovered()]


@st.composite
def replies(draw: st.DrawFn, awaited: list[str]) -> Msg:
    """A reply, most often one that is awaited: to an open call, or late."""
    ids = st.sampled_from(awaited) if awaited and draw(st.integers(0, 9)) > 0 else CALL_IDS
    return {"role": "tool", "tool_call_id": draw(ids), "content": draw(TEXTS)}


@st.composite
def batches(draw: st.DrawFn, model: Model) -> list[Msg]:
    awaited = awaited_ids(model)
    batch: list[Msg] = []
    for kind in draw(st.lists(st.sampled_from("prrc"), min_size=1, max_size=5)):
        if kind == "r" and (awaited or draw(st.integers(0, 9)) == 0):
            batch.append(draw(replies(awaited)))
            awaited = [i for i in awaited if i != batch[-1]["tool_call_id"]]
        elif kind == "c":
            batch.append(draw(CALLING))
            awaited = [c["id"] for c in batch[-1]["tool_calls"]] + awaited
        else:
            batch.append(draw(PLAIN))
    return batch
