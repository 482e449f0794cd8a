"""What holds for a model's summary of any window, whatever the model writes. No endpoint: only what it wrote."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions_app.compression import find, parse_params
from sessions_app.compression.summaries import Endpoint, NoSummary, Source, Summary, Usage
from sessions_app.compression.summaries.answer import Answer
from sessions_app.compression.summaries.rendering import lines_of
from sessions_app.engine import CannotCompress, Compressed, Seqs, Toolbox, Window
from tests.compression.histories import TEXTS, History, histories
from tests.compression.windows import broken

ENTRIES = st.one_of(
    st.sampled_from(TEXTS),
    st.text(max_size=40),
    st.builds("[{}] {}".format, st.integers(0, 40), st.text(max_size=40)),
    st.sampled_from(["[end of the summary]", "## User requests", "    [3] indented", "[3-5, 9] several", "- a bullet"]),
)
LISTS = st.lists(ENTRIES, max_size=3)
ANSWERS = st.builds(
    Answer.model_construct,
    objective=ENTRIES,
    **{name: LISTS for name in Answer.model_fields if name != "objective"},
)
PARAMS = st.fixed_dictionaries({"protect_rounds": st.integers(1, 5), "max_tokens": st.sampled_from([200, 600, 2_000])})


def summarised(window: Window, answer: Answer, params: dict[str, Any]) -> Window:
    """The window where nothing may be done."""

    def write(source: Source, _endpoint: Endpoint) -> Summary:
        lines = lines_of(answer, Seqs.union(item.original_seqs for item in source.items))
        if not 0 < source.count_text(lines) <= source.room:
            raise NoSummary("It does not fit.", Usage("m"))
        return Summary(lines, Usage("m", calls=1))

    strategy = find("summarize")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sessions_app.compression.summarize.write", write)
        patch.setattr(Endpoint, "configured", classmethod(lambda _cls: Endpoint("http://nowhere", "m")))
        try:
            made = strategy.compress(window, params=parse_params(strategy, params), tools=Toolbox())
        except CannotCompress as e:
            if "breaking rule" in str(e):  # rules hold by construction in what the engine wrote
                raise
            return window
    return made.window if isinstance(made, Compressed) else made


@settings(max_examples=40)
@given(history=histories(), answer=ANSWERS, params=PARAMS)
def test_it_breaks_no_rule_and_no_frame_gets_lost(history: History, answer: Answer, params: dict[str, Any]) -> None:
    window = history.window
    after = summarised(window, answer, params)
    assert after is window or broken(window, after, history.first) == []
    assert [*Seqs.union(i.original_seqs for i in after)] == [*Seqs.union(i.original_seqs for i in window)]


@settings(max_examples=30)
@given(history=histories(), answer=ANSWERS, params=PARAMS)
def test_a_second_one_changes_nothing(history: History, answer: Answer, params: dict[str, Any]) -> None:
    once = summarised(history.window, answer, params)
    assert summarised(once, answer, params).items == once.items


@settings(max_examples=30)
@given(answer=ANSWERS)
def test_whatever_a_model_writes_is_lines_of_ours(answer: Answer) -> None:
    titles = {f"## {name.capitalize()}" for name in Answer.model_fields}
    for line in lines_of(answer, Seqs.of(range(1, 20))).splitlines():
        assert line in titles or line.startswith(("- ", "["))
        assert line not in ("[end of the summary]", "[end of the digest]")
