"""What stands around every page: the masthead, the foot, and the choice of a language."""

import pytest
from django.http import HttpResponse
from django.template.loader import render_to_string
from django.test import Client

from sessions_app.access.models import User
from tests.builders import make_user
from tests.inspector.pages import Page, browser, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann() -> User:
    return make_user("ann")


def language_of(page: Page) -> str | None:
    return page.all("html")[0]["lang"]


def test_each_language_is_offered_in_its_own_words() -> None:
    page = Client().get("/login/")
    assert [a["value"] for a in Page.of(page).all("button", name="language")] == ["en", "zh-hans"]
    assert "简体中文" in text_of(page)


def test_a_language_is_chosen_by_post_and_leads_back_to_the_page(ann: User) -> None:
    client = browser(ann)
    page = Page.of(client.get("/?state=settled"))
    form = {"next": page.field("next") or "", "language": "zh-hans"}
    response = client.post("/i18n/setlang/", form)
    assert response["Location"] == "/?state=settled"
    again = Page.of(client.get("/?state=settled"))
    assert language_of(again) == "zh-hans"
    assert again.all("button", value="zh-hans")[0]["aria-current"] == "true"


def test_a_language_that_is_none_changes_nothing() -> None:
    client = Client()
    client.post("/i18n/setlang/", {"next": "/login/", "language": "xx"})
    assert language_of(Page.of(client.get("/login/"))) == "en"


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
def test_choosing_a_language_leads_nowhere_else(elsewhere: str) -> None:
    assert Client().post("/i18n/setlang/", {"next": elsewhere, "language": "en"})["Location"] == "/"


def test_choosing_a_language_needs_the_csrf_token() -> None:
    response = Client(enforce_csrf_checks=True).post("/i18n/setlang/", {"next": "/", "language": "zh-hans"})
    assert response.status_code == 403
    assert not response.cookies.get("django_language")


def test_a_page_without_a_request_has_no_form_that_could_not_be_sent() -> None:
    page = Page.of(HttpResponse(render_to_string("500.html")))
    assert not page.all("form")
    assert "/" in page.links


def test_a_name_of_a_user_is_text_whatever_it_holds(ann: User) -> None:
    User.objects.filter(pk=ann.pk).update(username="<script>alert(1)</script>\"'")
    ann.refresh_from_db()
    page = browser(ann).get("/")
    assert all(a.get("src") for a in Page.of(page).all("script"))
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#x27;" in text_of(page)


@pytest.mark.parametrize(("path", "status"), [("/nowhere/", 404), ("/?state=x", 400), ("/admin/", 403)])
def test_a_page_that_refuses_says_what_to_do_next(ann: User, path: str, status: int) -> None:
    response = browser(ann).get(path)
    assert response.status_code == status
    assert "All sessions" in text_of(response)
