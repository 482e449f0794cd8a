"""The page that shows the schema (contract, section 4)."""

import re
from typing import Any

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client

from tests.api.client import ROOT

pytestmark = pytest.mark.django_db


def docs_page() -> Any:
    return Client().get(f"{ROOT}docs/")


def test_the_docs_page_is_served_to_everyone() -> None:
    page = docs_page()
    assert (page.status_code, page["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert f'data-schema="{ROOT}schema/"' in page.content.decode()


def test_the_docs_page_has_nothing_inline_and_asks_no_other_host() -> None:
    html = docs_page().content.decode()
    assert not re.search(r"<script(?![^>]*\ssrc=)", html)
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", html)
    addresses = re.findall(r'(?:src|href)="([^"]*)"', html)
    assert addresses and all(a.startswith("/") and not a.startswith("//") for a in addresses)


def test_the_docs_page_has_the_strict_policy() -> None:
    policy = docs_page()["Content-Security-Policy"]
    directives = dict(d.strip().partition(" ")[::2] for d in policy.split(";"))
    assert directives["default-src"] == "'none'"
    assert directives["script-src"] == directives["style-src"] == directives["connect-src"] == "'self'"
    assert "unsafe" not in policy


def test_what_the_docs_page_loads_comes_with_the_packages() -> None:
    html = docs_page().content.decode()
    for path in re.findall(rf'"{settings.STATIC_URL}([^"]+)"', html):
        assert finders.find(path), path


@pytest.mark.parametrize("path", ["schema/?format=yaml", "schema/?lang=zh-hans", "schema/"])
def test_the_schema_is_json_whatever_is_asked(path: str) -> None:
    served = Client().get(ROOT + path, headers={"Accept": "*/*", "Accept-Language": "zh-hans"})
    assert served.status_code == 200 and served.json()["openapi"]
