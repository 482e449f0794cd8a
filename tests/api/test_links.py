"""What the answer to a write names: the head after it, and where a person can look at it (contract, section 4)."""

import pytest
from django.test import override_settings

from tests.api.client import Api, operator
from tests.builders import calls, react_rounds, reply, says, system, user

pytestmark = pytest.mark.django_db


@pytest.fixture
def api() -> Api:
    return operator()


def page(anchor: str = "", session_id: str = "s", at: str = "http://127.0.0.1:8000") -> str:
    return f'<{at}/sessions/{session_id}/{anchor}>; rel="inspector"'


def test_a_write_of_frames_leads_to_the_first_of_them(api: Api) -> None:
    created = api.post("sessions/", {"session_id": "s", "messages": [user(), calls("a")]})
    assert created.headers["Link"] == page("#f-1")
    assert api.append("s", reply("a"), says()).headers["Link"] == page("#f-3")
    api.append("s", calls("b", "c"))
    assert api.post("sessions/s/recovery/").headers["Link"] == page("#f-6")
    api.append("s", calls("d"))
    recovering = {"messages": [user()], "recover": True}
    assert api.post("sessions/s/frames/", recovering).headers["Link"] == page("#f-9")


def test_a_write_of_no_frame_leads_to_the_session(api: Api) -> None:
    assert api.post("sessions/", {"session_id": "s"}).headers["Link"] == page()
    api.append("s", system(), user(), *react_rounds(5), calls("a"))
    assert api.patch("sessions/s/", {"title": "new"}).headers["Link"] == page()
    assert api.post("sessions/s/recovery/", {"dry_run": True}).headers["Link"] == page()
    api.append("s", reply("a"))
    assert api.post("sessions/s/recovery/").headers["Link"] == page()
    compressing = {"strategy": "digest", "params": {"protect_rounds": 1}}
    assert api.post("sessions/s/compressions/", compressing).headers["Link"] == page()


def test_neither_a_read_nor_a_delete_leads_anywhere(api: Api) -> None:
    api.create(user(), session_id="s")
    assert "Link" not in api.get("sessions/s/").headers
    assert "Link" not in api.delete("sessions/s/", if_match="*").headers


@override_settings(PUBLIC_URL="https://sessions.example")
def test_the_link_stands_under_the_public_address(api: Api) -> None:
    session_id = "Az.09_:@~-"
    created = api.post("sessions/", {"session_id": session_id})
    assert created.headers["Link"] == page(session_id=session_id, at="https://sessions.example")
    assert created.headers["Location"] == f"/api/v1/sessions/{session_id}/"


def test_a_write_names_the_head_after_it(api: Api) -> None:
    created = api.post("sessions/", {"session_id": "s", "messages": [system(), user(), *react_rounds(5), calls("a")]})
    incarnation = created.json["incarnation"]
    assert created.etag == f'"14.1.{incarnation}"'
    assert api.post("sessions/s/recovery/", {"dry_run": True}).etag == f'"14.1.{incarnation}"'
    assert api.post("sessions/s/recovery/").etag == f'"15.1.{incarnation}"'
    compressing = {"strategy": "digest", "params": {"protect_rounds": 1}}
    assert api.post("sessions/s/compressions/", {**compressing, "dry_run": True}).etag == f'"15.1.{incarnation}"'
    compressed = api.post("sessions/s/compressions/", compressing)
    assert compressed.etag == f'"15.2.{incarnation}"' == api.patch("sessions/s/", {"title": "new"}).etag
    for answer in (created, compressed):
        seq, version, named = answer.etag.strip('"').split(".")
        head = (answer.json["next_msg_seq"], answer.json["context_compression_version"], answer.json["incarnation"])
        assert head == (int(seq), int(version), named)


def test_a_change_under_a_stale_head_changes_nothing(api: Api) -> None:
    api.create(user(), session_id="s", title="as it was")
    seen = api.get("sessions/s/").etag
    api.append("s", says())
    answer = api.patch("sessions/s/", {"title": "new"}, if_match=seen)
    assert (answer.status, answer.slug) == (412, "stale-head")
    assert [f["seq"] for f in answer.json["missed"]] == [2]
    assert api.get("sessions/s/").json["title"] == "as it was"


def test_no_cache_keeps_an_answer(api: Api) -> None:
    api.create(user(), session_id="s")
    for path in ("sessions/", "sessions/s/", "sessions/s/frames/", "sessions/s/context/messages/", "sessions/t/"):
        assert api.get(path).headers["Cache-Control"] == "no-store"
