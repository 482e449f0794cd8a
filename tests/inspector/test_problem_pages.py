"""The pages that an error's `type` leads to, and the pages for errors of the pages themselves."""

import json

import pytest
from django.template.loader import get_template
from django.test import Client

from inspector.problem_pages import PROBLEM_PAGES
from sessions_app.api.problems import PROBLEMS
from tests.inspector.pages import Page, text_of


def test_every_problem_of_the_api_has_its_page() -> None:
    assert {slug: (p.status, p.title) for slug, p in PROBLEM_PAGES.items()} == {
        slug: (p.status, p.title) for slug, p in PROBLEMS.items()
    }


@pytest.mark.parametrize("slug", list(PROBLEM_PAGES))
def test_a_problem_s_page_is_there_for_everyone_with_and_without_a_slash(slug: str) -> None:
    page = PROBLEM_PAGES[slug]
    for url in (f"/problems/{slug}", f"/problems/{slug}/"):
        response = Client().get(url)
        assert response.status_code == 200
        said = Page.of(response).text("main")
        assert page.title in said
        assert page.meaning in said
        assert page.remedy in said


@pytest.mark.parametrize("slug", list(PROBLEM_PAGES))
def test_an_example_has_the_members_that_the_page_names(slug: str) -> None:
    page = PROBLEM_PAGES[slug]
    example = json.loads(page.example)
    assert example["type"] == f"/problems/{slug}"
    assert set(example) == {"type", "title", "status", "detail"} | {name for name, _ in page.members}


def test_the_index_links_to_each() -> None:
    links = Page.of(Client().get("/problems/")).links
    assert {f"/problems/{slug}" for slug in PROBLEM_PAGES} <= set(links)


def test_a_problem_that_does_not_exist_is_not_found() -> None:
    response = Client().get("/problems/nonesuch")
    assert response.status_code == 404
    assert "There is nothing here" in text_of(response)


def test_a_page_that_does_not_exist_is_not_found_in_our_design() -> None:
    response = Client().get("/nonesuch")
    assert response.status_code == 404
    assert "Resolver404" not in text_of(response)
    assert "Session engine" in text_of(response)


def test_the_page_for_a_defect_needs_no_context() -> None:
    assert "Something went wrong" in get_template("500.html").render()
