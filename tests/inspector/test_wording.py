"""What the engine and the strategies say is known to the pages: each sentence in the code has its wording."""

import ast
import re
from collections.abc import Iterator
from typing import Any, Final

import pytest
from django.utils.translation import override

from inspector.wording import in_words
from sessions_app import engine
from sessions_app.compression import parse_params, registry
from sessions_app.compression.policy import parse_policy
from tests.inspector.texts import BASE

CHINESE: Final = re.compile("[\u4e00-\u9fff]")

SAYS: Final = {
    "CannotCompress": 0,
    "Busy": 0,
    "AtMost": 1,
    "NoSummary": 0,
    "NoReply": 0,
    "Refused": 0,
    "Reply": 1,
    "Broken": 2,
    "Fault": 1,
}
"""Which argument of what is raised or reported is the sentence."""

NEVER_SHOWN: Final = {
    "No old answer is long.",  # a stage of a cascade is passed over
    "must be as long as `messages` (7), not 7",  # metadata has no form
    "must be an object, or a list as long as `messages`",
    "must be a list of 7 objects, one for each message",
    "has a member name that is no string: 7",  # of what is no JSON
    "must be 1 to 200 of the characters A-Z a-z 0-9 . _ : @ ~ - and neither . nor ..",  # no form names a new session
    "must hold at least one message",  # what is pasted, which only the API takes
}
MADE_OF_WORDS: Final = {
    "is no member of 7",
    "The model's summary has 7 tokens7; at most 7 may stand in the window.",
}
"""They fill in words and no values, and are marked as a whole."""


def _said_in(package: str) -> Iterator[str]:
    """Each sentence, with 7 for whatever it fills in."""
    for path in sorted((BASE / "sessions_app" / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SAYS:
                if len(node.args) > SAYS[node.func.id]:
                    yield from _filled(node.args[SAYS[node.func.id]])


def _filled(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(said)):
            yield said
        case ast.JoinedStr(values=parts):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "7" for part in parts)


def in_chinese(said: str) -> str:
    with override("zh-hans"):
        return in_words(said)


@pytest.mark.parametrize("package", ["engine", "compression"])
def test_each_sentence_of_the_code_is_said_in_the_reader_s_language(package: str) -> None:
    said = set(_said_in(package))
    assert len(said) > 20
    assert {s for s in said if not CHINESE.search(in_chinese(s))} - NEVER_SHOWN - MADE_OF_WORDS == set()


WRONG: Final[tuple[Any, ...]] = ("x", -1, 10**12, True, None, [], {}, [1], ["x"], "x" * 5_000, [{"strategy": 3}])
"""No parameter takes all of them."""


def _faults_of_parameters() -> set[str]:
    found: set[str] = set()
    for kind in registry.BUILT_IN:
        for name in (*kind.Params.model_fields, "no_such"):
            for value in WRONG:
                try:
                    parse_params(kind(), {name: value})
                except engine.InvalidInput as e:
                    found |= {fault.detail for fault in e.faults}
    return found


def _faults_of_a_policy() -> set[str]:
    found: set[str] = set()
    for name in ("limit_tokens", "trigger", "target", "strategy", "params", "auto", "no_such"):
        for value in WRONG:
            try:
                parse_policy({name: value}, "")
            except engine.InvalidInput as e:
                found |= {fault.detail for fault in e.faults}
    return found


@pytest.mark.parametrize("faults", [_faults_of_parameters, _faults_of_a_policy])
def test_what_is_wrong_with_a_value_is_said_in_the_reader_s_language(faults: Any) -> None:
    said = faults()
    assert len(said) > 5
    assert {s for s in said if not CHINESE.search(in_chinese(s))} == set()
    assert {s for s in said if in_words(s) != s} == set()


@pytest.mark.parametrize(
    "said",
    [
        "Done: cleared old tool results, summarised the rest; then the target was met.",
        "Done: dedupe_reads, digest; the target was not met. No model is set up: the summary is a digest.",
        "Done: digest; then the target was met. The model's summary was cut off. A digest stands in for its summary.",
        "It has a defect: KeyError. The server's log tells more.",
        "The model's summary has 9 tokens; its source has 8; at most 7 may stand in the window.",
        "The model's summary has more than 9 tokens; its source has 8; at most 7 may stand in the window.",
        "The model's summary has more than 9 tokens; at most 7 may stand in the window.",
        "It asks a model, and none is asked here.",
        "A replay of yours is running already; try again when it is done.",
    ],
)
def test_what_a_comparison_or_a_replay_tells_is_said_whole_in_the_reader_s_language(said: str) -> None:
    assert in_words(said) == said
    left = re.sub(r"dedupe_reads|digest|KeyError|token", "", in_chinese(said))
    assert re.findall("[A-Za-z]+", left) == []
