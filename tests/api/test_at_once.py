"""Several writers at the same moment, each with a connection of its own (contract, section 3, Concurrency)."""

import json

import pytest

from sessions_app.models import Session
from tests.api.client import Api, operator
from tests.api.threads import at_once
from tests.builders import raw, says, user

pytestmark = pytest.mark.django_db(transaction=True)


def test_of_two_bodies_at_once_under_one_key_one_is_refused() -> None:
    api = operator()
    api.create(user(), session_id="s")
    answers = at_once(4, lambda n: Api(api.token).append("s", says(str(n)), idempotency_key="k"))
    assert sorted(a.status for a in answers) == [201, 422, 422, 422]
    assert len(raw("s")) == 2


@pytest.mark.case(54)
def test_of_two_creations_of_one_id_at_once_one_is_told_that_it_exists() -> None:
    api = operator()
    answers = at_once(6, lambda n: Api(api.token).post("sessions/", {"session_id": "s", "messages": [user(str(n))]}))
    assert sorted(a.status for a in answers) == [201, *[409] * 5]
    assert {a.slug for a in answers if a.status == 409} == {"session-exists"}
    made = next(a for a in answers if a.status == 201)
    assert made.json["frame_count"] == len(raw("s")) == 1


@pytest.mark.case(46)
def test_of_writers_with_the_same_head_one_wins() -> None:
    api = operator()
    api.create(user(), session_id="s")
    seen = api.get("sessions/s/").etag
    answers = at_once(6, lambda n: Api(api.token).append("s", says(str(n)), user(str(n)), if_match=seen))
    assert sorted(a.status for a in answers) == [201, *[412] * 5]
    won = next(a for a in answers if a.status == 201)
    assert raw("s")[1:] == [f["message"] for f in won.json["frames"]]
    assert all(a.json["missed"] == won.json["frames"] for a in answers if a.status == 412)


@pytest.mark.case(51)
def test_writers_without_a_head_all_get_in() -> None:
    api = operator()
    api.create(session_id="s")
    answers = at_once(6, lambda n: [Api(api.token).append("s", user(f"{n}.{m}")) for m in range(4)])
    written = [f for group in answers for a in group for f in a.json["frames"]]
    assert sorted(f["seq"] for f in written) == list(range(1, 25))
    assert {m["content"] for m in raw("s")} == {f["message"]["content"] for f in written}


def test_a_session_deleted_by_several_at_once_is_deleted_once() -> None:
    api = operator()
    api.create(user(), session_id="s")
    answers = at_once(4, lambda _n: Api(api.token).delete("sessions/s/", if_match="*"))
    assert sorted(a.status for a in answers) == [204, 404, 404, 404]


def test_of_imports_of_one_file_at_once_one_makes_the_session() -> None:
    api = operator()
    content = json.dumps([user(), *(says(str(n)) for n in range(600))])
    answers = at_once(4, lambda _n: Api(api.token).upload(content))
    assert sorted(a.status for a in answers) == [200, 200, 200, 201]
    assert sorted(a.json["sessions"][0]["status"] for a in answers) == ["created", "exists", "exists", "exists"]
    (session_id,) = {a.json["sessions"][0]["session_id"] for a in answers}
    assert {a.json["sessions"][0]["frames"] for a in answers} == {601} == {len(raw(session_id))}
    assert Session.objects.count() == 1


def test_of_imports_of_a_grown_file_at_once_one_extends_the_session() -> None:
    api = operator()
    messages = [user(), *(says(str(n)) for n in range(300))]
    api.upload(json.dumps({"session_id": "s", "messages": messages[:50]}))
    answers = at_once(4, lambda _n: Api(api.token).upload(json.dumps({"session_id": "s", "messages": messages})))
    assert sorted(a.json["sessions"][0]["status"] for a in answers) == ["exists", "exists", "exists", "extended"]
    assert raw(answers[0].json["sessions"][0]["session_id"]) == messages
