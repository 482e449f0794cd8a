"""Writing over REST: heads, keys, problems (contract, sections 3 and 4)."""

import re

import pytest

from tests.api.client import operator
from tests.builders import calls, react_rounds, reply, roles, says, system, user
from tests.engine.snapshots import all_tables

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_whole_life_of_a_session() -> None:
    api = operator()
    created = api.post("sessions/", {"title": "Fix it", "labels": ["ci"], "messages": [system(), user()]})
    assert created.status == 201
    session_id = created.json["session_id"]
    assert re.fullmatch(r'"3\.1\.[0-9a-f]{16}"', created.etag)
    assert created.headers["Location"] == f"/api/v1/sessions/{session_id}/"
    assert created.headers["Link"] == f'<http://127.0.0.1:8000/sessions/{session_id}/#f-1>; rel="inspector"'

    appended = api.append(session_id, *react_rounds(5), if_match=created.etag)
    assert appended.status == 201
    assert [f["seq"] for f in appended.json["frames"]] == list(range(3, 13))
    assert [i["original_seqs"] for i in appended.json["context"]] == [[n] for n in range(3, 13)]
    assert appended.headers["Link"].endswith('#f-3>; rel="inspector"')

    stale = api.append(session_id, says(), if_match=created.etag)
    assert (stale.status, stale.slug) == (412, "stale-head")
    assert stale.json["actual"]["next_msg_seq"] == 13
    assert stale.json["expected"]["next_msg_seq"] == 3
    assert [f["seq"] for f in stale.json["missed"]] == list(range(3, 13))

    compressed = api.post(
        f"sessions/{session_id}/compressions/",
        {"strategy": "sliding_window", "params": {"protect_rounds": 2}},
        if_match=appended.etag,
    )
    assert compressed.status == 201
    assert compressed.json["compression"]["fates"] == {"kept": 6, "edited": 0, "summarised": 0, "dropped": 6}
    assert compressed.json["context_compression_version"] == 2

    opened = api.append(session_id, calls("x"), if_match=compressed.etag)
    assert opened.json["open_tool_calls"] == [{"id": "x", "name": "run", "seq": 13}]
    assert opened.json["state"] == "awaiting_tools"
    refused = api.append(session_id, user(), if_match=opened.etag)
    assert (refused.status, refused.slug) == (409, "open-tool-calls")
    assert refused.json["open_tool_calls"][0]["id"] == "x"

    recovered = api.post(f"sessions/{session_id}/recovery/", {"reason": "crash"}, if_match=opened.etag)
    assert recovered.status == 200
    assert [f["source"] for f in recovered.json["recovered"]] == ["recovery"]
    late = api.append(session_id, reply("x", "real"), if_match=recovered.etag)
    assert late.json["context"][0]["original_seqs"] == [14, 15]

    sent = api.get(f"sessions/{session_id}/context/messages/")
    assert roles(sent.json["messages"]) == "SUARARAR"
    assert sent.etag == late.etag

    gone = api.delete(f"sessions/{session_id}/", if_match=late.etag)
    assert (gone.status, gone.content) == (204, b"")
    assert api.get(f"sessions/{session_id}/").slug == "not-found"


def test_an_empty_body_will_do_where_nothing_must_be_said() -> None:
    api = operator()
    assert api.post("sessions/").status == 201
    session_id = api.create(user(), calls("a"))
    assert api.post(f"sessions/{session_id}/recovery/").status == 200


@pytest.mark.parametrize(
    "tag", ['W/"3.1"', '"3.1"', 'W/"3.1.{incarnation}"', '"3.1.{incarnation}"', "*", "  * "], ids=lambda t: t
)
def test_if_match_is_taken_in_each_of_its_forms(tag: str) -> None:
    api = operator()
    session_id = api.create(user(), says())
    incarnation = api.get(f"sessions/{session_id}/").json["incarnation"]
    assert api.append(session_id, user(), if_match=tag.format(incarnation=incarnation)).status == 201


@pytest.mark.parametrize(
    "tag", ["3.1", '"3"', '"3.1", "4.1"', '"x.1"', '"3.1.xyz"', "", '"0.1"', '"3.1.' + "0" * 17 + '"']
)
def test_anything_else_in_if_match_is_invalid(tag: str) -> None:
    api = operator()
    session_id = api.create(user(), says())
    before = all_tables()
    assert api.append(session_id, user(), if_match=tag).slug == "invalid-request"
    assert all_tables() == before


def test_a_head_of_another_incarnation_is_stale_and_missed_nothing() -> None:
    api = operator()
    session_id = api.create(user(), session_id="again")
    old = api.get(f"sessions/{session_id}/").etag
    api.delete("sessions/again/", if_match="*")
    api.create(user("new"), session_id="again")
    answer = api.append("again", says(), if_match=old)
    assert answer.slug == "stale-head" and answer.json["missed"] == []


def test_up_to_fifty_missed_frames_are_told() -> None:
    api = operator()
    session_id = api.create(user())
    seen = api.get(f"sessions/{session_id}/").etag
    api.append(session_id, *(says(str(n)) for n in range(60)))
    missed = api.append(session_id, user(), if_match=seen).json["missed"]
    assert [f["seq"] for f in missed] == list(range(2, 52))


@pytest.mark.case(46)
def test_a_session_that_requires_the_head_refuses_a_write_without_it() -> None:
    api = operator()
    session_id = api.create(user(), require_head=True)
    for answer in (
        api.append(session_id, says()),
        api.post(f"sessions/{session_id}/recovery/"),
        api.post(f"sessions/{session_id}/compressions/", {"strategy": "digest"}),
    ):
        assert (answer.status, answer.slug) == (428, "head-required")
        assert answer.json["actual"]["next_msg_seq"] == 2


def test_a_delete_needs_the_head_or_a_star() -> None:
    api = operator()
    session_id = api.create(user())
    assert api.delete(f"sessions/{session_id}/").slug == "head-required"
    assert api.delete(f"sessions/{session_id}/", if_match='"9.1"').slug == "stale-head"
    assert api.delete(f"sessions/{session_id}/", if_match="*").status == 204


def test_a_replay_has_the_same_status_and_body_even_where_the_head_is_stale() -> None:
    api = operator()
    created = api.post("sessions/", {"messages": [user()], "labels": ["x"]}, idempotency_key="c")
    again = api.post("sessions/", {"messages": [user()], "labels": ["x"]}, idempotency_key="c")
    assert (again.status, again.content, again.etag) == (201, created.content, created.etag)
    assert again.headers["Idempotent-Replayed"] == "true"
    session_id = created.json["session_id"]

    first = api.append(session_id, calls("a"), reply("a"), if_match=created.etag, idempotency_key="k")
    second = api.append(session_id, calls("a"), reply("a"), if_match=created.etag, idempotency_key="k")
    assert (second.status, second.content, second.etag) == (201, first.content, first.etag)
    assert second.headers["Idempotent-Replayed"] == "true" and "Idempotent-Replayed" not in first.headers

    other = api.append(session_id, says("else"), idempotency_key="k")
    assert (other.status, other.slug) == (422, "idempotency-key-reused")


def test_the_key_is_looked_up_before_the_head_and_the_messages() -> None:
    api = operator()
    session_id = api.create(user())
    api.append(session_id, says(), idempotency_key="k")
    answer = api.append(session_id, {"role": "nobody"}, if_match='"9.9"', idempotency_key="k")
    assert answer.slug == "idempotency-key-reused"
    assert api.append(session_id, {"role": "nobody"}, if_match='"9.9"').slug == "stale-head"
    assert api.append(session_id, {"role": "nobody"}).slug == "invalid-request"


@pytest.mark.parametrize("key", ["", "x" * 256])
def test_a_key_has_1_to_255_characters(key: str) -> None:
    api = operator()
    session_id = api.create(user())
    assert api.append(session_id, says(), idempotency_key=key).slug == "invalid-request"


def test_patch_changes_what_it_names_and_moves_no_head() -> None:
    api = operator()
    session_id = api.create(user(), title="one", labels=["a"])
    before = api.get(f"sessions/{session_id}/")
    changed = api.patch(f"sessions/{session_id}/", {"title": "two", "require_head": True})
    assert changed.status == 200 and changed.etag == before.etag
    assert (changed.json["title"], changed.json["labels"], changed.json["require_head"]) == ("two", ["a"], True)
    policy = api.patch(
        f"sessions/{session_id}/", {"compression_policy": {"limit_tokens": 10, "trigger": 0.1, "target": 0.1}}
    )
    assert policy.json["compression_due"] is True
    assert policy.json["compression_policy"]["strategy"] == "cascade"
    kept = api.patch(f"sessions/{session_id}/", {"compression_policy": {"limit_tokens": 10_000}})
    assert kept.json["compression_policy"]["trigger"] == 0.1
    assert api.patch(f"sessions/{session_id}/", {"compression_policy": None}).json["compression_policy"] is None


def test_a_dry_run_of_a_compression_answers_200_and_writes_nothing() -> None:
    api = operator()
    session_id = api.create(system(), user(), *react_rounds(6))
    before = all_tables()
    answer = api.post(f"sessions/{session_id}/compressions/", {"strategy": "digest", "dry_run": True})
    assert answer.status == 200
    assert answer.json["compression"]["version"] == 2 and answer.json["context_compression_version"] == 1
    assert any(item["kind"] == "summary" for item in answer.json["context"])
    assert all_tables() == before


def test_restore_is_asked_for_like_a_strategy() -> None:
    api = operator()
    session_id = api.create(system(), user(), *react_rounds(6))
    path = f"sessions/{session_id}/compressions/"
    api.post(path, {"strategy": "sliding_window"})
    restored = api.post(path, {"strategy": "restore", "params": {"version": 1}})
    assert restored.status == 201
    assert restored.json["compression"]["strategy"] == "restore"
    assert len(restored.json["context"]) == 14
    for params in ({}, {"version": "1"}, {"version": 1, "x": 1}, {"version": True}):
        assert api.post(path, {"strategy": "restore", "params": params}).slug == "invalid-request"
    assert api.post(path, {"strategy": "restore", "params": {"version": 99}}).slug == "not-found"


def test_a_pasted_list_is_compressed_without_a_session() -> None:
    api = operator()
    before = all_tables()
    messages = [system(), user(), *react_rounds(6)]
    answer = api.post("compress/", {"messages": messages, "strategy": "sliding_window"})
    assert answer.status == 200
    assert [i["original_seqs"] for i in answer.json["items"]] == [[n] for n in (1, 2, *range(9, 15))]
    assert answer.json["before"]["messages"] == 14 and answer.json["after"]["messages"] == 8
    assert all_tables() == before
    assert api.post("compress/", {"messages": [user()], "strategy": "digest"}).slug == "nothing-to-compress"
    assert api.post("compress/", {"messages": [reply("x")], "strategy": "digest"}).slug == "unmatched-tool-reply"
    assert api.post("compress/", {"messages": messages, "strategy": "nope"}).slug == "invalid-request"
