"""A row that another hand has damaged is told, not skipped, and nothing is deleted (case 68)."""

import pytest
from django.db import connection

from tests.api.client import Api, operator
from tests.builders import react_rounds, reply, says, system, user
from tests.engine.snapshots import all_tables

pytestmark = [pytest.mark.django_db, pytest.mark.case(68)]

DAMAGE = ["{", '{"role":"user","content":"cut of', "nonsense", "null", "[]", "{}", '"x"', "5", '{"role":"nobody"}']
DAMAGE += ['{"role":"user","content":5}', '{"content":"x"}', " ", '{"role":"user","content":"x"} more']


def damaged(text: str, seq: int = 2) -> tuple[Api, str]:
    api = operator()
    session_id = api.create(system(), user("needle"), *react_rounds(5), says())
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE sessions_app_rawframe SET message = %s WHERE session_id = %s AND seq = %s", [text, session_id, seq]
        )
        assert cursor.rowcount == 1
    return api, session_id


@pytest.mark.parametrize("text", DAMAGE)
def test_a_damaged_frame_is_flagged_among_the_others(text: str) -> None:
    api, session_id = damaged(text)
    before = all_tables()
    for path in ("frames/", "context/", "context/?at_seq=5", "frames/?limit=3&after_seq=0"):
        answer = api.get(f"sessions/{session_id}/{path}")
        assert answer.status == 200, answer.content
        second = answer.json["items"][1]
        assert (second["damaged"], second["message"]) == (True, None)
        assert all("damaged" not in i and i["message"] for n, i in enumerate(answer.json["items"]) if n != 1)
    assert api.get(f"sessions/{session_id}/frames/2/").json["damaged"] is True
    assert all_tables() == before


@pytest.mark.parametrize("text", DAMAGE)
def test_what_must_be_whole_is_refused_with_a_problem(text: str) -> None:
    api, session_id = damaged(text)
    before = all_tables()
    for answer in (
        api.get(f"sessions/{session_id}/context/messages/"),
        api.post(f"sessions/{session_id}/compressions/", {"strategy": "digest"}),
    ):
        assert (answer.status, answer.slug) == (500, "damaged-frame")
    assert all_tables() == before


@pytest.mark.parametrize("text", DAMAGE)
def test_the_rest_goes_on(text: str) -> None:
    api, session_id = damaged(text)
    assert api.get(f"sessions/{session_id}/").status == 200
    assert api.get("sessions/?search=needle").json["items"] == []
    assert (
        api.get("sessions/?search=upload").status == api.get(f"sessions/{session_id}/frames/?search=file").status == 200
    )
    assert api.append(session_id, user("go on")).status == 201
    assert api.post(f"sessions/{session_id}/recovery/").status == 200
    stale = api.append(session_id, reply("x"), if_match='"2.1"')
    assert stale.json["missed"][0]["damaged"] is True
    assert api.delete(f"sessions/{session_id}/", if_match="*").status == 204


def test_damaged_metadata_is_a_problem_of_its_own() -> None:
    api, session_id = damaged('{"role":"user","content":"x"}')
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE sessions_app_rawframe SET metadata = '{' WHERE session_id = %s AND seq = 2", [session_id]
        )
    answer = api.get(f"sessions/{session_id}/frames/")
    assert (answer.status, answer.slug) == (500, "damaged-frame")
    assert api.get(f"sessions/{session_id}/context/messages/").status == 200
