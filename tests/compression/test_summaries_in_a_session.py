"""A model's summary in a session, through the API: what is written, what is kept, and what comes meanwhile."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from django.db import connections

from sessions_app import engine
from sessions_app.compression.summaries import write
from tests.api.client import Answer, Api, operator
from tests.builders import claims, raw, react_rounds, roles, says, system, user, window
from tests.compression.model_server import Summariser, answer_of, fails, held
from tests.compression.model_server import says as model_says
from tests.engine.snapshots import all_tables

pytestmark = pytest.mark.django_db(transaction=True)

GOOD = model_says(answer_of(facts=["[4] The buffer is fixed."]))
OLD = [system(), user(), *react_rounds(8, size=900)]


@pytest.fixture
def api() -> Api:
    return operator()


@pytest.fixture
def session_id(api: Api) -> str:
    return api.create(*OLD)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(3) as made:
        yield made


def summarise(api: Api, session_id: str, *, dry_run: bool = False, **params: Any) -> Answer:
    body = {"strategy": "summarize", "params": params, "dry_run": dry_run}
    return api.post(f"sessions/{session_id}/compressions/", body)


def meanwhile(pool: ThreadPoolExecutor, api: Api, session_id: str, **params: Any) -> "Future[Answer]":
    def run() -> Answer:
        try:
            return summarise(api, session_id, **params)
        finally:
            connections.close_all()

    return pool.submit(run)


def ledger(session_id: str) -> engine.LedgerEntry:
    version = engine.reads.session_state(session_id).context_compression_version
    return engine.reads.versions(session_id, current=version)[-1].entry


def test_the_summary_is_the_next_version_and_the_ledger_says_what_it_cost(
    summariser: Summariser, api: Api, session_id: str
) -> None:
    summariser(GOOD)
    answer = summarise(api, session_id)
    assert answer.status == 201
    told = answer.json["compression"]
    assert (told["requested_strategy"], told["strategy"], told["why"]) == ("summarize", "summarize", None)
    assert told["usage"] == {"input_tokens": 700, "output_tokens": 60, "calls": 1, "model": "test-model"}
    assert claims(session_id)[2] == list(range(3, 13))
    assert raw(session_id) == OLD


@pytest.mark.case(33)
def test_where_the_model_fails_the_ledger_says_what_was_asked_what_was_used_and_why(
    summariser: Summariser, api: Api, session_id: str
) -> None:
    summariser(model_says(""))
    told = summarise(api, session_id).json["compression"]
    assert (told["requested_strategy"], told["strategy"]) == ("summarize", "digest")
    assert told["why"] == "The model gave an empty summary. A digest stands in for its summary."
    assert told["usage"] == {"input_tokens": 1400, "output_tokens": 120, "calls": 2, "model": "test-model"}
    assert ledger(session_id).params["fallback"] == "digest"


@pytest.mark.case(33)
@pytest.mark.parametrize(
    "told",
    [model_says(""), model_says("  \n"), model_says(None), fails(500), fails(401), held(GOOD, Event())],
    ids=["empty", "blank", "null", "500", "401", "late"],
)
def test_without_a_fallback_a_failure_writes_nothing(
    summariser: Summariser, api: Api, session_id: str, told: Any
) -> None:
    summariser(told, total_s=0.5)
    before = all_tables()
    answer = summarise(api, session_id, fallback="none")
    assert (answer.status, answer.slug) == (502, "summariser-failed")
    assert all_tables() == before


@pytest.mark.case(34)
def test_with_nothing_to_compress_nothing_is_written_and_no_model_is_asked(summariser: Summariser, api: Api) -> None:
    server = summariser(GOOD)
    session_id = api.create(system(), user(), says())
    before = all_tables()
    assert summarise(api, session_id).slug == "nothing-to-compress"
    assert (all_tables(), server.calls) == (before, [])


@pytest.mark.case(36)
def test_a_restart_gives_the_same_window_and_asks_no_model(summariser: Summariser, api: Api, session_id: str) -> None:
    server = summariser(GOOD)
    summarise(api, session_id)
    before = window(session_id)
    runtime = engine.RuntimeSession.resume(session_id)
    assert [item.message.copy() for item in runtime.context.window] == window(session_id) == before
    assert len(server.calls) == 1


@pytest.mark.case(42)
def test_a_summary_s_cost_is_counted_apart_from_the_session_s_tokens(
    summariser: Summariser, api: Api, session_id: str
) -> None:
    summariser(GOOD)
    before = engine.reads.session_state(session_id)
    summarise(api, session_id)
    after = engine.RuntimeSession.load(session_id).context.state
    assert after.raw_tokens == before.raw_tokens
    assert after.context_tokens < before.context_tokens
    assert ledger(session_id).usage["input_tokens"] == 700


def test_no_model_is_asked_inside_a_transaction(
    summariser: Summariser, api: Api, session_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    summariser(GOOD)
    inside: list[bool] = []

    def watched(*args: Any) -> Any:
        inside.append(connections["default"].in_atomic_block)
        return write(*args)

    monkeypatch.setattr("sessions_app.compression.summarize.write", watched)
    assert summarise(api, session_id).status == 201
    assert inside == [False]


# --- What comes while a summary is being written -----------------------------------------------------


@pytest.mark.case(29)
def test_a_frame_that_comes_meanwhile_stands_behind_the_summary(
    summariser: Summariser, api: Api, session_id: str, pool: ThreadPoolExecutor
) -> None:
    release = Event()
    server = summariser(held(GOOD, release))
    summary = meanwhile(pool, api, session_id)
    server.wait_for_calls(1)
    assert api.append(session_id, user("Stop, use the other branch.")).status == 201
    release.set()
    answer = summary.result()
    assert answer.status == 201
    assert roles(window(session_id)) == "SUU" + "AR" * 3 + "U"
    assert window(session_id)[-1] == raw(session_id)[-1] == user("Stop, use the other branch.")
    assert answer.json["next_msg_seq"] == 20
    assert len(server.calls) == 1


@pytest.mark.case(30)
def test_a_session_that_is_deleted_meanwhile_does_not_come_back(
    summariser: Summariser, api: Api, session_id: str, pool: ThreadPoolExecutor
) -> None:
    release = Event()
    server = summariser(held(GOOD, release))
    summary = meanwhile(pool, api, session_id)
    server.wait_for_calls(1)
    assert api.delete(f"sessions/{session_id}/", if_match="*").status == 204
    before = all_tables()
    release.set()
    assert summary.result().status == 404
    assert all_tables() == before


def test_a_session_made_anew_meanwhile_gets_no_summary_of_the_old_one(
    summariser: Summariser, api: Api, session_id: str, pool: ThreadPoolExecutor
) -> None:
    release = Event()
    server = summariser(held(GOOD, release))
    summary = meanwhile(pool, api, session_id)
    server.wait_for_calls(1)
    api.delete(f"sessions/{session_id}/", if_match="*")
    assert api.post("sessions/", {"session_id": session_id, "messages": OLD}).status == 201
    release.set()
    assert summary.result().slug == "conflict"
    assert window(session_id) == OLD


@pytest.mark.case(43)
def test_an_old_handle_is_told_and_after_a_reload_writes_once(
    summariser: Summariser, api: Api, session_id: str
) -> None:
    summariser(GOOD)
    handle = engine.RuntimeSession.load(session_id)
    summarise(api, session_id)
    with pytest.raises(engine.StaleHead):
        handle.append(user("Go on."))
    engine.RuntimeSession.load(session_id).append(user("Go on."))
    assert raw(session_id) == [*OLD, user("Go on.")]
    assert window(session_id)[-1] == user("Go on.")


def test_a_third_summary_at_once_is_told_that_two_are_being_written(
    summariser: Summariser, api: Api, session_id: str, pool: ThreadPoolExecutor
) -> None:
    release = Event()
    server = summariser(held(GOOD, release))
    others = [meanwhile(pool, api, api.create(*OLD)) for _ in range(2)]
    server.wait_for_calls(2)
    before = all_tables()
    answer = summarise(api, session_id)
    assert (answer.status, answer.slug) == (503, "busy")
    assert int(answer.headers["Retry-After"]) > 0
    assert (len(server.calls), all_tables()) == (2, before)
    release.set()
    assert [other.result().status for other in others] == [201, 201]
    assert summarise(api, session_id).status == 201


def test_after_a_failure_its_place_is_free_again(summariser: Summariser, api: Api, session_id: str) -> None:
    summariser(fails(401), fails(401), fails(401), GOOD)
    assert [summarise(api, session_id, fallback="none").status for _ in range(3)] == [502, 502, 502]
    assert summarise(api, session_id).status == 201


# --- What is refused before ---------------------------------------------------------------------------


def test_a_dry_run_is_refused_and_asks_no_model(summariser: Summariser, api: Api, session_id: str) -> None:
    server = summariser(GOOD)
    before = all_tables()
    answer = summarise(api, session_id, dry_run=True)
    assert (answer.status, answer.pointers) == (400, ["/dry_run"])
    assert answer.json["errors"][0]["detail"] == (
        "a summary by a model is not previewed: apply it, and restore undoes it"
    )
    assert (server.calls, all_tables()) == ([], before)


def test_a_dry_run_of_what_may_do_without_a_model_asks_none(summariser: Summariser, api: Api, session_id: str) -> None:
    server = summariser(GOOD)
    params = {"trigger": 10, "target": 600.0}
    body = {"strategy": "cascade", "params": params, "dry_run": True}
    assert api.post(f"sessions/{session_id}/compressions/", body).status == 200
    assert server.calls == []


def test_without_a_model_it_is_listed_with_the_reason_and_refused_with_it(api: Api, session_id: str) -> None:
    why = "No model is set up: SUMMARISER_BASE_URL and SUMMARISER_MODEL must be set."
    [listed] = [s for s in api.get("strategies/").json["items"] if s["name"] == "summarize"]
    assert (listed["needs_model"], listed["available"], listed["why"]) == (True, False, why)
    for answer in (
        summarise(api, session_id),
        api.post("compress/", {"strategy": "summarize", "messages": OLD}),
    ):
        assert (answer.status, answer.pointers) == (400, ["/strategy"])
        assert answer.json["errors"][0]["detail"] == f"cannot be used here: {why}"


def test_with_a_model_it_is_listed_as_available(summariser: Summariser, api: Api) -> None:
    summariser(GOOD)
    [listed] = [s for s in api.get("strategies/").json["items"] if s["name"] == "summarize"]
    assert (listed["available"], listed["why"]) == (True, "")


def test_a_pasted_list_is_summarised_too(summariser: Summariser, api: Api) -> None:
    summariser(GOOD)
    answer = api.post("compress/", {"strategy": "summarize", "messages": OLD})
    assert answer.status == 200
    assert "[4] The buffer is fixed." in answer.json["items"][2]["message"]["content"]


def test_restore_undoes_a_summary(summariser: Summariser, api: Api, session_id: str) -> None:
    summariser(GOOD)
    summarise(api, session_id)
    body = {"strategy": "restore", "params": {"version": 1}}
    assert api.post(f"sessions/{session_id}/compressions/", body).status == 201
    assert window(session_id) == OLD


def test_the_same_request_under_its_key_is_paid_once(summariser: Summariser, api: Api, session_id: str) -> None:
    server = summariser(GOOD)
    path, body = f"sessions/{session_id}/compressions/", {"strategy": "summarize"}
    first = api.post(path, body, idempotency_key="k")
    again = api.post(path, body, idempotency_key="k")
    assert again.json == first.json
    assert len(server.calls) == 1
