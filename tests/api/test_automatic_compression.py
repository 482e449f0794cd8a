"""`auto` over REST: the answer of an append that was compressed after, its replay, and a session that stops."""

from typing import Any

import pytest

from sessions_app.access.roles import Role
from tests.api.client import Answer, Api, operator
from tests.builders import make_user, react_rounds, says, system, user
from tests.engine.snapshots import all_tables

pytestmark = pytest.mark.django_db(transaction=True)

POLICY: dict[str, Any] = {
    "limit_tokens": 2_000,
    "trigger": 0.5,
    "target": 0.25,
    "strategy": "sliding_window",
    "params": {"protect_rounds": 1},
    "auto": True,
}
CROWDED = {**POLICY, "trigger": 10, "target": 10}
"""What stays of it is due at once."""


@pytest.fixture
def api() -> Api:
    return operator()


def nearly_due(api: Api) -> str:
    return api.create(system(), user(), *react_rounds(12), session_id="s", compression_policy=POLICY)


def due(api: Api, start: int = 50, **headers: str) -> Answer:
    return api.append("s", *react_rounds(3, start=start), **headers)


def stopped(api: Api) -> Answer:
    """The answer to the append after which automatic compression stops."""
    api.create(system(), user(), *react_rounds(2), session_id="s", compression_policy=CROWDED)
    return [due(api, start=50 + 10 * n) for n in range(3)][-1]


def test_the_answer_says_which_version_was_made_and_names_the_head_after_it(api: Api) -> None:
    nearly_due(api)
    answer = due(api)
    assert answer.status == 201
    assert answer.json["compressed"] == {"version": 2}
    now = api.get("sessions/s/")
    assert answer.etag == now.etag
    head = ("next_msg_seq", "context_compression_version", "state", "compression_due", "open_tool_calls")
    assert {name: answer.json[name] for name in head} == {name: now.json[name] for name in head}
    assert answer.json["compression_due"] is False
    assert answer.headers["Link"].endswith(f'/sessions/s/#f-{answer.json["frames"][0]["seq"]}>; rel="inspector"')


def test_its_context_has_the_positions_of_the_new_window(api: Api) -> None:
    nearly_due(api)
    answer = due(api)
    new = {frame["seq"] for frame in answer.json["frames"]}
    window = api.get("sessions/s/context/").json["items"]
    assert answer.json["context"] == [item for item in window if new & set(item["original_seqs"])]
    assert answer.json["context"]


def test_the_head_of_the_answer_holds_for_the_next_append(api: Api) -> None:
    nearly_due(api)
    etag = due(api).etag
    for n in range(3):
        answer = due(api, start=60 + 10 * n, if_match=etag)
        assert answer.status == 201
        etag = answer.etag


def test_an_answer_after_which_nothing_was_compressed_does_not_have_the_member(api: Api) -> None:
    nearly_due(api)
    assert "compressed" not in api.append("s", says("A word.")).json


def test_the_ledger_says_that_it_was_automatic_and_who_appended(api: Api) -> None:
    nearly_due(api)
    due(api)
    assert api.user is not None
    first, second = api.get("sessions/s/versions/").json["items"]
    assert (first["automatic"], second["automatic"]) == (False, True)
    assert second["created_by"].startswith(api.user.username)


def test_a_replay_is_the_first_answer_to_the_byte(api: Api) -> None:
    nearly_due(api)
    first = due(api, idempotency_key="k")
    assert first.json["compressed"] == {"version": 2}
    api.append("s", says("And on."))
    before = all_tables()
    again = due(api, idempotency_key="k")
    assert again.headers["Idempotent-Replayed"] == "true"
    assert (again.status, again.content, again.etag) == (first.status, first.content, first.etag)
    assert again.headers["Link"] == first.headers["Link"]
    assert all_tables() == before


def test_a_replay_of_the_answer_that_said_it_stopped_says_so_again(api: Api) -> None:
    api.create(system(), user(), *react_rounds(2), session_id="s", compression_policy=CROWDED)
    first = [due(api, start=50 + 10 * n, idempotency_key=f"k{n}") for n in range(3)][-1]
    api.patch("sessions/s/", {"compression_policy": POLICY})
    assert due(api, start=70, idempotency_key="k2").content == first.content


def test_a_replay_tells_the_window_until_it_is_no_longer_kept(api: Api) -> None:
    nearly_due(api)
    api.patch("sessions/s/", {"keep_context_history": False})
    first = due(api, idempotency_key="k")
    assert api.append("s", *react_rounds(14, start=60)).json["compressed"] == {"version": 3}
    assert due(api, idempotency_key="k").json == {**first.json, "context": None}


def test_the_third_within_nine_assistant_frames_stops_it_and_every_answer_says_so(api: Api) -> None:
    answer = stopped(api)
    why = answer.json["compressed"]["stopped"]
    assert answer.json["compressed"]["version"] == 4
    assert "Versions 2, 3 and 4" in why and "has stopped" in why
    session = api.get("sessions/s/").json
    assert session["automatic_compression_stopped"] == why
    assert session["compression_policy"] == CROWDED
    assert session["compression_due"] is True
    assert "compressed" not in due(api, start=90).json


def test_a_session_that_goes_on_says_null(api: Api) -> None:
    nearly_due(api)
    assert api.get("sessions/s/").json["automatic_compression_stopped"] is None


@pytest.mark.parametrize("body", [{"trigger": 20}, CROWDED])
def test_setting_the_policy_starts_it_again_also_by_what_was_served(api: Api, body: dict[str, Any]) -> None:
    etag = stopped(api).etag
    changed = api.patch("sessions/s/", {"compression_policy": body})
    assert (changed.status, changed.etag) == (200, etag)
    assert changed.json["automatic_compression_stopped"] is None
    again = due(api, start=90)
    assert again.json["compressed"] == {"version": 5}


def test_a_change_of_something_else_does_not_start_it_again(api: Api) -> None:
    stopped(api)
    assert api.patch("sessions/s/", {"title": "t"}).json["automatic_compression_stopped"]
    assert "compressed" not in due(api, start=90).json


def test_who_may_append_has_the_policy_run(api: Api) -> None:
    nearly_due(api)
    staff = Api.of(make_user(role=Role.STAFF))
    assert due(staff).json["compressed"] == {"version": 2}


def test_a_bundle_of_a_session_that_stopped_makes_one_that_has(api: Api) -> None:
    stopped(api)
    why = api.get("sessions/s/").json["automatic_compression_stopped"]
    other = operator()
    (made,) = other.upload(api.get("sessions/s/export/?kind=bundle").content).json["sessions"]
    path = f"sessions/{made['session_id']}/"
    assert other.get(path).json["automatic_compression_stopped"] == why
    assert [v["automatic"] for v in other.get(f"{path}versions/").json["items"]] == [False, True, True, True]
    again = other.upload(other.get(f"{path}export/?kind=bundle").content)
    assert again.json["sessions"][0]["status"] == "exists"
    other.patch(path, {"compression_policy": CROWDED})
    answer = other.append(made["session_id"], *react_rounds(3, start=90))
    assert answer.json["compressed"] == {"version": 5}, "the versions from before do not count"
