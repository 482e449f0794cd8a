"""Keys over REST: the same request under the same key is done once (contract, section 3, Concurrency)."""

from typing import Any

import pytest

from sessions_app.access.roles import Role
from sessions_app.models import IdempotencyRecord
from tests.api.client import Answer, Api, operator
from tests.api.threads import at_once
from tests.builders import calls, make_user, react_rounds, reply, says, system, user
from tests.engine.snapshots import all_tables

pytestmark = pytest.mark.django_db(transaction=True)

WRITES: dict[str, tuple[str, dict[str, Any]]] = {
    "create": ("sessions/", {"messages": [user(), calls("a")], "labels": ["x"]}),
    "append": ("sessions/s/frames/", {"messages": [reply("a"), says("\x00\ud800")], "metadata": [{"a": 1}, {}]}),
    "append with recovery": ("sessions/s/frames/", {"messages": [user()], "recover": True}),
    "recover": ("sessions/s/recovery/", {"reason": "crash"}),
    "compress": ("sessions/s/compressions/", {"strategy": "digest", "params": {"protect_rounds": 1}}),
    "restore": ("sessions/s/compressions/", {"strategy": "restore", "params": {"version": 1}}),
}
NAMED = pytest.mark.parametrize("name", WRITES)


def api_with_session() -> Api:
    api = operator()
    api.create(system(), user(), *react_rounds(5), session_id="s")
    api.post("sessions/s/compressions/", {"strategy": "sliding_window"})
    api.append("s", *react_rounds(3, start=6), calls("a"))
    return api


def header(key: str) -> str:
    """As a server hands over what was sent as UTF-8."""
    return key.encode().decode("latin-1")


def said(answer: Answer) -> tuple[Any, ...]:
    headers = {k: v for k, v in answer.headers.items() if k in ("ETag", "Link", "Location", "Content-Type")}
    return answer.status, answer.content, headers


@NAMED
def test_a_replay_is_the_first_answer_to_the_byte(name: str) -> None:
    api = api_with_session()
    path, body = WRITES[name]
    seen = api.get("sessions/s/").etag
    first = api.post(path, body, idempotency_key="k", if_match=seen)
    assert first.status in (200, 201) and "Idempotent-Replayed" not in first.headers
    before = all_tables()
    for if_match in (seen, "*", '"1.1"'):
        again = api.post(path, body, idempotency_key="k", if_match=if_match)
        assert said(again) == said(first)
        assert again.headers["Idempotent-Replayed"] == "true"
    assert all_tables() == before


@NAMED
def test_the_first_answer_stays_after_the_session_went_on(name: str) -> None:
    api = api_with_session()
    path, body = WRITES[name]
    first = api.post(path, body, idempotency_key="k")
    api.patch("sessions/s/", {"title": "new", "labels": ["new"], "compression_policy": {"limit_tokens": 1}})
    api.post("sessions/s/frames/", {"messages": [user("more")], "recover": True})
    api.append("s", *react_rounds(4, start=10))
    api.post("sessions/s/compressions/", {"strategy": "digest"})
    again = api.post(path, body, idempotency_key="k")
    assert said(again) == said(first)


@NAMED
def test_another_body_under_the_key_is_refused_before_it_is_judged(name: str) -> None:
    api = api_with_session()
    path, body = WRITES[name]
    api.post(path, body, idempotency_key="k")
    before = all_tables()
    wrong = {"messages": [{"role": "nobody"}]} if "messages" in body else {"dry_run": True}
    answer = api.post(path, {**body, **wrong}, idempotency_key="k", if_match='"1.1"')
    assert (answer.status, answer.slug) == (422, "idempotency-key-reused")
    assert all_tables() == before


def test_the_same_body_sent_to_another_address_is_another_request() -> None:
    api = api_with_session()
    api.post("sessions/s/recovery/", {}, idempotency_key="k")
    assert api.post("sessions/s/frames/", {}, idempotency_key="k").status in (400, 422)
    body = {"messages": [says()]}
    api.post("sessions/s/frames/", body, idempotency_key="j")
    assert api.post("sessions/s/recovery/", {"reason": "crash"}, idempotency_key="j").slug == "idempotency-key-reused"


def test_a_key_is_of_one_session_and_of_one_user() -> None:
    api, staff = operator(), Api.of(make_user(role=Role.STAFF))
    ids = [api.create(user()) for _ in range(2)]
    answers = [who.append(i, says(), idempotency_key="k") for i in ids for who in (api, staff)]
    assert [a.status for a in answers] == [201] * 4
    assert not any("Idempotent-Replayed" in a.headers for a in answers)


@pytest.mark.parametrize("key", ["键", "clé", "😀" * 255, "a b", "~!@#$%^&*()", '"quoted"', "x" * 255])
def test_a_key_may_be_any_text(key: str) -> None:
    api = operator()
    session_id = api.create(user())
    first = api.append(session_id, says(), idempotency_key=header(key))
    again = api.append(session_id, says(), idempotency_key=header(key))
    other = api.append(session_id, says(), idempotency_key=header(key[:-1] + "y"))
    assert (first.status, again.headers["Idempotent-Replayed"], again.content) == (201, "true", first.content)
    assert "Idempotent-Replayed" not in other.headers


@pytest.mark.parametrize("key", ["\xff", "\xe9", "a\xc3", "\xed\xa0\x80", header("键" * 256)])
def test_a_key_that_is_no_text_is_refused(key: str) -> None:
    api = operator()
    session_id = api.create(user())
    before = all_tables()
    answer = api.append(session_id, says(), idempotency_key=key)
    assert (answer.slug, answer.pointers) == ("invalid-request", ["Idempotency-Key"])
    assert all_tables() == before


def test_a_refused_request_leaves_its_key_free() -> None:
    api = api_with_session()
    body = {"messages": [user("next")]}
    assert api.post("sessions/s/frames/", body, idempotency_key="k").slug == "open-tool-calls"
    assert api.post("sessions/s/frames/", {"messages": []}, idempotency_key="k").slug == "invalid-request"
    assert api.post("sessions/s/frames/", body, idempotency_key="k", if_match='"1.1"').slug == "stale-head"
    api.append("s", reply("a"))
    sent = api.post("sessions/s/frames/", body, idempotency_key="k")
    assert sent.status == 201 and "Idempotent-Replayed" not in sent.headers


def test_a_dry_run_takes_no_key_up() -> None:
    api = api_with_session()
    for path, body in (WRITES["compress"], WRITES["recover"]):
        assert api.post(path, {**body, "dry_run": True}, idempotency_key="k").status == 200
    assert not IdempotencyRecord.objects.exists()


def test_a_window_that_is_gone_is_replayed_as_null() -> None:
    api = operator()
    api.create(system(), user(), *react_rounds(5), session_id="s", keep_context_history=False)
    path, body = WRITES["compress"]
    first = api.post(path, body, idempotency_key="k")
    api.append("s", *react_rounds(3, start=6))
    api.post(path, {"strategy": "sliding_window"})
    again = api.post(path, body, idempotency_key="k")
    assert again.json == {**first.json, "context": None}


def test_the_keys_of_a_session_go_with_it() -> None:
    api = operator()
    api.create(user(), session_id="s")
    api.append("s", says(), idempotency_key="k")
    api.delete("sessions/s/", if_match="*")
    assert api.append("s", says(), idempotency_key="k").slug == "not-found"
    api.create(user(), session_id="s")
    assert "Idempotent-Replayed" not in api.append("s", says(), idempotency_key="k").headers


@pytest.mark.case(56)
@pytest.mark.case(73)
@NAMED
def test_of_the_same_request_at_once_one_writes_and_the_others_are_replays(name: str) -> None:
    api = api_with_session()
    path, body = WRITES[name]
    sessions = len(all_tables()["Session"])
    answers = at_once(6, lambda _n: Api(api.token).post(path, body, idempotency_key="k"))
    assert {a.status for a in answers} <= {200, 201}, [a.content[:300] for a in answers]
    assert {a.content for a in answers} == {answers[0].content}
    assert [a.headers.get("Idempotent-Replayed") for a in answers].count("true") == 5
    assert IdempotencyRecord.objects.count() == 1
    assert len(all_tables()["Session"]) == sessions + (name == "create")
