"""Who may do what, on every route. A route that is not in the table fails the first test."""

import pytest
from django.test import Client

from tests.api.client import Api
from tests.builders import make_user
from tests.engine.snapshots import all_tables
from tests.routes import ROUTES, WHO, address, ask, patterns, session_and

pytestmark = pytest.mark.django_db

API = [name for name, route in ROUTES.items() if not route.page]
OF_A_SESSION = [name for name in API if "/s/" in address(name)]
EVERYTHING = [(name, method, who) for name, route in ROUTES.items() for method in route.answers for who in WHO]
API_WRITES = [(n, m) for n in API for m in ROUTES[n].answers if m != "GET"]


def test_the_table_names_every_route() -> None:
    assert set(dict(patterns())) == set(ROUTES)


@pytest.mark.case(89)
@pytest.mark.parametrize(("name", "method", "who"), EVERYTHING)
def test_everyone_is_answered_as_the_table_says(name: str, method: str, who: str) -> None:
    asker = session_and(who)
    before = all_tables()
    response = ask(name, method, asker)
    expected = ROUTES[name].answers[method][WHO.index(who)]
    assert response.status_code == expected, response.whole[:500]
    if expected in (401, 403, 404) or (method == "GET" and expected < 400):
        assert all_tables() == before
    if not ROUTES[name].page and expected >= 400:
        assert response["Content-Type"] == "application/problem+json"
    if expected == 401:
        assert response["WWW-Authenticate"] == "Token"


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("name", [n for n in API if "GET" in ROUTES[n].answers])
def test_head_answers_as_get_does_without_the_body(name: str, who: str) -> None:
    asker = session_and(who)
    got, head = ask(name, "GET", asker), ask(name, "HEAD", asker)
    assert (head.status_code, head.whole) == (got.status_code, b"")
    assert (head.get("ETag"), head["Content-Type"]) == (got.get("ETag"), got["Content-Type"])


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("name", API)
def test_a_method_that_the_table_does_not_name_is_not_allowed(name: str, method: str) -> None:
    if method in ROUTES[name].answers:
        return
    response = ask(name, method, session_and("staff"), body={})
    assert (response.status_code, response["Content-Type"]) == (405, "application/problem+json")


@pytest.mark.parametrize("header", ["Token nonsense", "Token", "Token a b", "Token é"])
@pytest.mark.parametrize("name", [n for n in API if n.startswith("api-") and n != "api-docs"])
def test_a_wrong_token_is_refused_everywhere(name: str, header: str) -> None:
    session_and("operator")
    for method in ROUTES[name].answers:
        response = Client().generic(method, address(name), headers={"Authorization": header})
        assert (response.status_code, response["WWW-Authenticate"]) == (401, "Token")


WRONG_IN_EVERY_WAY = {"messages": [{"role": "nobody"}], "x": 1}


@pytest.mark.parametrize("query", ["", "?x=1&limit=abc"])
@pytest.mark.parametrize(("who", "status"), [("anonymous", 401), ("other", 404), ("viewer", 403), ("operator", 400)])
@pytest.mark.parametrize(("name", "method"), API_WRITES)
def test_404_comes_before_403_and_both_before_400(name: str, method: str, who: str, status: int, query: str) -> None:
    if name not in OF_A_SESSION or (method == "DELETE" and who == "operator" and not query):
        return
    if who == "viewer" and ROUTES[name].answers[method][WHO.index(who)] == 200:
        status = 400  # it only reads, for all that it is asked by POST
    asker = session_and(who)
    before = all_tables()
    assert ask(name, method, asker, query=query, body=WRONG_IN_EVERY_WAY).status_code == status
    assert all_tables() == before


@pytest.mark.parametrize("name", [n for n in OF_A_SESSION if "GET" in ROUTES[n].answers])
def test_a_wrong_query_of_anothers_session_is_not_found(name: str) -> None:
    assert ask(name, "GET", session_and("other"), query="?x=1&limit=abc").status_code == 404


def test_a_viewer_who_may_not_create_is_not_told_what_is_wrong() -> None:
    viewer = session_and("viewer")
    assert ask("api-sessions", "POST", viewer, query="?x=1", body=WRONG_IN_EVERY_WAY).status_code == 403


@pytest.mark.case(89)
@pytest.mark.parametrize("who", ["other", "viewer"])
def test_anothers_session_reads_like_none_at_all(who: str) -> None:
    asker = session_and("other")
    for name in OF_A_SESSION:
        for method in ROUTES[name].answers:
            theirs = ask(name, method, asker)
            none = Api.of(asker).call(method, address(name).replace("/s/", "/t/").removeprefix("/api/v1/"), {})  # type: ignore[arg-type]
            assert theirs.whole == none.content.replace(b"'t'", b"'s'")


@pytest.mark.case(89)
def test_a_taken_id_tells_neither_head_nor_owner() -> None:
    session_and("other")
    answer = Api.of(make_user()).post("sessions/", {"session_id": "s"})
    assert (answer.status, answer.slug) == (409, "session-exists")
    assert set(answer.json) == {"type", "title", "status", "detail"}


def browser_of(who: str) -> tuple[Client, str]:
    """A browser that is signed in, and its CSRF token."""
    client = Client(enforce_csrf_checks=True)
    asker = session_and(who)
    assert asker is not None
    client.force_login(asker)
    client.get("/api/v1/docs/")
    return client, client.cookies["csrftoken"].value


@pytest.mark.parametrize(("name", "method"), API_WRITES)
def test_the_browsers_login_writes_with_the_csrf_token(name: str, method: str) -> None:
    client, token = browser_of("operator")
    sent, media_type = ROUTES[name].encoded(ROUTES[name].sends.get(method, {}))
    headers = {"X-CSRFToken": token, "If-Match": "*"}
    response = client.generic(method, address(name), sent, content_type=media_type, headers=headers)
    assert response.status_code == ROUTES[name].answers[method][WHO.index("operator")], response.content


@pytest.mark.parametrize(("name", "method"), API_WRITES)
def test_the_browsers_login_writes_nothing_without_the_csrf_token(name: str, method: str) -> None:
    client, _ = browser_of("operator")
    before = all_tables()
    response = client.generic(method, address(name), "{}", content_type="application/json", headers={"If-Match": "*"})
    assert (response.status_code, response["Content-Type"]) == (403, "application/problem+json")
    assert all_tables() == before


@pytest.mark.parametrize("name", [n for n in API if n.startswith("api-") and "GET" in ROUTES[n].answers])
def test_the_browsers_login_reads(name: str) -> None:
    client, _ = browser_of("viewer")
    response = client.get(address(name))
    assert response.status_code == 200 and response.getvalue()


@pytest.mark.parametrize(
    "media_type", ["multipart/form-data; boundary=x", "multipart/form-data", "application/x-www-form-urlencoded"]
)
def test_a_form_from_the_browser_is_no_media_type_of_ours(media_type: str) -> None:
    client, token = browser_of("operator")
    sent = "&".join(f"x{n}=1" for n in range(2000)) + "&csrfmiddlewaretoken=" + token
    for headers in ({"X-CSRFToken": token}, {}):
        response = client.generic("POST", "/api/v1/sessions/", sent, content_type=media_type, headers=headers)
        assert response.status_code == (415 if headers else 403)
