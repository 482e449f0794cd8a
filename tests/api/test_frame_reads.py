"""`GET frames/` and `GET frames/{seq}/`: pages, cursors, filters, fates (contract, section 4)."""

from typing import Any
from urllib.parse import urlencode

import pytest
from django.utils import timezone

from sessions_app.models import RawFrame
from tests.api.client import Api, operator
from tests.builders import call, calls, react_rounds, reply, says, system, user

pytestmark = pytest.mark.django_db


def page(api: Api, session_id: str, **query: Any) -> Any:
    answer = api.get(f"sessions/{session_id}/frames/?" + urlencode(query))
    assert answer.status == 200, answer.content
    return answer.json


def shape(read: Any) -> tuple[list[int], int | None, int | None, int | None]:
    return [f["seq"] for f in read["items"]], read["previous_before_seq"], read["next_after_seq"], read["total"]


@pytest.fixture
def api() -> Api:
    return operator()


def test_a_frame_says_what_the_contract_says(api: Api) -> None:
    session_id = api.create(user())
    frame = page(api, session_id)["items"][0]
    assert set(frame) == {"seq", "source", "created_at", "context_version", "tokens", "metadata", "message"}
    assert (frame["seq"], frame["source"], frame["context_version"]) == (1, "agent", 1)
    assert frame["tokens"] > 4


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, (list(range(1, 11)), None, None, 10)),
        ({"limit": 3}, ([8, 9, 10], 8, None, 10)),
        ({"limit": 10}, (list(range(1, 11)), None, None, 10)),
        ({"after_seq": 0, "limit": 3}, ([1, 2, 3], None, 3, 10)),
        ({"after_seq": 3, "limit": 3}, ([4, 5, 6], 4, 6, 10)),
        ({"after_seq": 7, "limit": 3}, ([8, 9, 10], 8, None, 10)),
        ({"after_seq": 9}, ([10], 10, None, 10)),
        ({"after_seq": 10}, ([], 11, None, 10)),
        ({"after_seq": 10**17}, ([], 11, None, 10)),
        ({"before_seq": 11, "limit": 3}, ([8, 9, 10], 8, None, 10)),
        ({"before_seq": 8, "limit": 3}, ([5, 6, 7], 5, 7, 10)),
        ({"before_seq": 4, "limit": 3}, ([1, 2, 3], None, 3, 10)),
        ({"before_seq": 2}, ([1], None, 1, 10)),
        ({"before_seq": 1}, ([], None, 0, 10)),
        ({"before_seq": 0}, ([], None, 0, 10)),
        ({"before_seq": 10**17, "limit": 2}, ([9, 10], 9, None, 10)),
    ],
)
def test_a_page_ascends_and_its_cursors_are_null_at_the_ends(api: Api, query: dict[str, int], expected: object) -> None:
    session_id = api.create(*[user(str(n)) for n in range(10)])
    assert shape(page(api, session_id, **query)) == expected


def test_a_session_without_frames_has_an_empty_page(api: Api) -> None:
    assert shape(page(api, api.create())) == ([], None, None, 0)
    assert shape(page(api, api.create(), after_seq=0)) == ([], None, None, 0)


def test_a_page_holds_100_unless_it_is_told_otherwise(api: Api) -> None:
    session_id = api.create(*[user(str(n)) for n in range(501)])
    assert [f["seq"] for f in page(api, session_id)["items"]] == list(range(402, 502))
    assert len(page(api, session_id, limit=500)["items"]) == 500


FILTERS: list[dict[str, Any]] = [{}, {"role": "tool"}, {"tool": "read_file"}, {"search": "FILE"}, {"errors": "true"}]
HISTORY = [system(), user(), *react_rounds(9, size=40), calls("e"), reply("e", "the file is gone", is_error=True)]


@pytest.mark.case(69)
@pytest.mark.parametrize("limit", [1, 2, 3, 50])
@pytest.mark.parametrize("wanted", FILTERS, ids=str)
def test_forward_and_backward_give_the_same_frames(api: Api, wanted: dict[str, Any], limit: int) -> None:
    session_id = api.create(*HISTORY)
    RawFrame.objects.update(created_at=timezone.now())
    whole = [f["seq"] for f in page(api, session_id, limit=500, **wanted)["items"]]
    forward: list[int] = []
    after: int | None = 0
    while after is not None:
        read = page(api, session_id, limit=limit, after_seq=after, **wanted)
        assert (read["previous_before_seq"] is None) == (not forward)
        forward += [f["seq"] for f in read["items"]]
        after = read["next_after_seq"]
    backward: list[int] = []
    before: int | None = 10**6
    while before is not None:
        read = page(api, session_id, limit=limit, before_seq=before, **wanted)
        assert (read["next_after_seq"] is None) == (not backward)
        backward = [f["seq"] for f in read["items"]] + backward
        before = read["previous_before_seq"]
    assert forward == backward == whole == sorted(whole)
    assert whole


def seqs(api: Api, session_id: str, **query: Any) -> list[int]:
    read = page(api, session_id, **query)
    assert read["total"] is None
    return [f["seq"] for f in read["items"]]


def test_each_filter_finds_its_own(api: Api) -> None:
    session_id = api.create(
        system(),
        user("read the File"),
        calls("a", name="read_file"),
        reply("a", "x"),
        {
            "role": "assistant",
            "tool_calls": [call("b", "grep", '{"q":"修复"}'), call("c", "read_file", '{"p":"FILE"}')],
        },
        reply("c", "gone", status="error"),
        reply("b", "gone", is_error=True),
        {**says(), "is_error": True},
        {"role": "developer", "content": "as you were"},
    )
    assert seqs(api, session_id, role="developer") == [9]
    assert seqs(api, session_id, role="assistant") == [3, 5, 8]
    assert seqs(api, session_id, tool="read_file") == [3, 4, 5, 6]
    assert seqs(api, session_id, tool="grep") == [5, 7]
    assert seqs(api, session_id, tool="GREP") == seqs(api, session_id, tool="read") == []
    assert seqs(api, session_id, errors="true") == seqs(api, session_id, errors="1") == [6, 7]
    assert seqs(api, session_id, search="file") == [2, 5]
    assert seqs(api, session_id, search="修复") == [5]
    assert seqs(api, session_id, search='"q"') == [5]
    assert seqs(api, session_id, search="read_file") == seqs(api, session_id, search="role") == []
    assert seqs(api, session_id, role="tool", errors="true", tool="grep", search="GONE") == [7]


def test_errors_false_filters_nothing(api: Api) -> None:
    session_id = api.create(user(), calls("a"), reply("a"))
    assert page(api, session_id, errors="false")["total"] == 3


def test_a_recovery_frame_is_found_by_its_tool_and_says_its_source(api: Api) -> None:
    session_id = api.create(user(), calls("a", name="deploy"))
    api.post(f"sessions/{session_id}/recovery/")
    assert seqs(api, session_id, tool="deploy") == [2, 3]
    assert [f["source"] for f in page(api, session_id)["items"]] == ["agent", "agent", "recovery"]


def test_a_tool_is_found_by_any_name(api: Api) -> None:
    for name in ("n" * 1000, "a\nb", '"', "\\", "工具", "%", "a b"):
        session_id = api.create(calls("a", name=name), reply("a"))
        assert seqs(api, session_id, tool=name) == [1, 2]
        assert seqs(api, session_id, tool=name + "x") == []


def test_the_fate_of_a_frame_is_told_version_by_version(api: Api) -> None:
    session_id = api.create(system(), user(), *react_rounds(6), keep_context_history=True)
    compress = f"sessions/{session_id}/compressions/"
    api.post(compress, {"strategy": "clear_tool_results", "params": {"protect_rounds": 5}})
    api.post(compress, {"strategy": "digest"})
    api.append(session_id, says("later"))

    def versions(seq: int) -> list[tuple[int, bool, str, int | None]]:
        read = api.get(f"sessions/{session_id}/frames/{seq}/").json["versions"]
        return [(v["version"], v["kept"], v["fate"], v["position"]) for v in read]

    assert versions(1) == [(1, True, "kept", 1), (2, True, "kept", 1), (3, True, "kept", 1)]
    assert [fate for _, _, fate, _ in versions(4)] == ["kept", "edited", "summarised"]
    window = api.get(f"sessions/{session_id}/context/").json["items"]
    assert versions(15) == [(3, True, "kept", len(window))]
    for seq in range(1, 16):
        version, kept, fate, position = versions(seq)[-1]
        claimed = [i for i in window if seq in i["original_seqs"]]
        assert (version, kept) == (3, True)
        assert [i["position"] for i in claimed] == ([] if position is None else [position])
        assert (fate == "dropped") == (not claimed)


def test_a_window_that_is_no_longer_kept_tells_no_fate(api: Api) -> None:
    session_id = api.create(system(), user(), *react_rounds(6), keep_context_history=False)
    api.post(f"sessions/{session_id}/compressions/", {"strategy": "sliding_window"})
    versions = api.get(f"sessions/{session_id}/frames/3/").json["versions"]
    assert versions == [
        {"version": 1, "kept": False, "fate": None, "position": None},
        {"version": 2, "kept": True, "fate": "dropped", "position": None},
    ]
