"""`GET context/` and `versions/` (contract, section 4)."""

from typing import Any

import pytest

from tests.api.client import Api, operator
from tests.api.sessions import compress_twice, items
from tests.builders import calls, react_rounds, reply, system, user

pytestmark = pytest.mark.django_db


@pytest.fixture
def api() -> Api:
    return operator()


@pytest.fixture
def compressed(api: Api) -> str:
    return compress_twice(api)


def test_the_window_says_what_the_contract_says(api: Api) -> None:
    session_id = api.create(system(), user(), calls("a"))
    read = api.get(f"sessions/{session_id}/context/").json
    head = api.get(f"sessions/{session_id}/").json
    for name in ("session_id", "incarnation", "next_msg_seq", "context_compression_version", "state"):
        assert read[name] == head[name]
    assert (read["open_tool_calls"], read["compression_due"]) == (head["open_tool_calls"], False)
    assert (read["version"], read["tokens"]) == (1, head["context_tokens"])
    assert [(i["position"], i["kind"], i["original_seqs"]) for i in read["items"]] == [
        (n, "original", [n]) for n in (1, 2, 3)
    ]
    assert sum(i["tokens"] for i in read["items"]) == read["tokens"]
    assert set(read["items"][0]) == {"position", "kind", "original_seqs", "tokens", "message"}


def test_an_empty_session_has_an_empty_window(api: Api) -> None:
    session_id = api.create()
    assert items(api, session_id) == items(api, session_id, "?version=1") == []
    assert api.get(f"sessions/{session_id}/context/messages/").json == {"messages": []}


def test_each_kept_version_is_read_as_it_was_left(api: Api, compressed: str) -> None:
    first, second = items(api, compressed, "?version=1"), items(api, compressed, "?version=2")
    assert [i["original_seqs"] for i in first] == [[n] for n in range(1, 11)]
    assert [i["kind"] for i in second].count("summary") == 1
    assert [i["original_seqs"] for i in second][-2:] == [[11], [12]]
    assert items(api, compressed, "?version=3") == items(api, compressed)
    for version in (1, 2, 3):
        read = api.get(f"sessions/{compressed}/context/?version={version}").json
        assert read["version"] == version and read["context_compression_version"] == 3
        assert sum(i["tokens"] for i in read["items"]) == read["tokens"]


@pytest.mark.parametrize("seq", range(1, 15))
def test_at_seq_gives_what_the_model_saw_when_the_frame_was_written(api: Api, compressed: str, seq: int) -> None:
    written_under = 1 if seq <= 10 else 2 if seq <= 12 else 3
    read = api.get(f"sessions/{compressed}/context/?at_seq={seq}").json
    then = [i for i in items(api, compressed, f"?version={written_under}") if i["original_seqs"][0] < seq]
    assert (read["version"], read["items"]) == (written_under, then)
    assert read["tokens"] == sum(i["tokens"] for i in then)


def test_at_seq_shows_a_recovery_message_as_it_read_then(api: Api) -> None:
    session_id = api.create(user(), calls("a"))
    api.post(f"sessions/{session_id}/recovery/")
    then = items(api, session_id)
    api.append(session_id, reply("a", "real"))
    assert items(api, session_id)[2]["original_seqs"] == [3, 4]
    assert items(api, session_id, "?at_seq=4") == then


@pytest.mark.parametrize("query", ["", "version=2", "at_seq=14"])
def test_a_window_is_read_in_parts(api: Api, compressed: str, query: str) -> None:
    whole = items(api, compressed, f"?{query}")
    tokens = api.get(f"sessions/{compressed}/context/?{query}").json["tokens"]
    found: list[Any] = []
    while True:
        last = found[-1]["position"] if found else 0
        read = api.get(f"sessions/{compressed}/context/?{query}&after_position={last}&limit=2".replace("?&", "?")).json
        assert read["tokens"] == tokens and read["session_id"] == compressed
        if not read["items"]:
            break
        found += read["items"]
    assert found == whole


def test_a_window_that_is_gone_is_not_kept(api: Api) -> None:
    session_id = api.create(system(), user(), *react_rounds(6), keep_context_history=False)
    api.post(f"sessions/{session_id}/compressions/", {"strategy": "sliding_window"})
    for query in ("version=1", "at_seq=5"):
        answer = api.get(f"sessions/{session_id}/context/?{query}")
        assert (answer.status, answer.slug) == (404, "version-not-kept")
    kept = [(v["version"], v["kept"]) for v in api.get(f"sessions/{session_id}/versions/").json["items"]]
    assert kept == [(1, False), (2, True)]


def test_the_ledger_has_a_row_for_each_version(api: Api, compressed: str) -> None:
    rows = api.get(f"sessions/{compressed}/versions/").json["items"]
    assert [(r["version"], r["strategy"], r["kept"]) for r in rows] == [
        (1, None, True),
        (2, "digest", True),
        (3, "sliding_window", True),
    ]
    assert rows[1]["params"]["protect_rounds"] == 1
    assert rows[1]["from"] == {"next_msg_seq": 11, "context_compression_version": 1}
    assert rows[1]["after"]["tokens"] < rows[1]["before"]["tokens"]
    assert sum(rows[1]["fates"].values()) == 10
    assert rows[0]["requested_strategy"] is None and rows[0]["from"]["context_compression_version"] is None
