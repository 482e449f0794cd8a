"""The schema, the page that shows it, and that both keep what they promise (contract, section 4)."""

import json
import re
from dataclasses import dataclass
from inspect import cleandoc
from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from sessions_app.api.problems import PROBLEMS
from sessions_app.api.views.base import ApiView, SessionView
from tests.api.client import ROOT, operator
from tests.api.promises import ensure_promised, promised_slugs, schema
from tests.builders import user
from tests.routes import ROUTES, address, patterns

pytestmark = pytest.mark.django_db

OPERATIONS = {
    (method.upper(), path): operation
    for path, operations in schema()["paths"].items()
    for method, operation in operations.items()
}
EACH = pytest.mark.parametrize("key", OPERATIONS, ids=" ".join)
WRITES = {"create_session", "change_session", "delete_session", "append_frames", "compress", "recover"}
NOT_THERE_YET = {"leased", "throttled", "internal-error", "method-not-allowed"}


def test_it_is_valid_openapi_3_1() -> None:
    served = Client().get(f"{ROOT}schema/")
    assert served["Content-Type"] == "application/json"
    assert served.json()["openapi"].startswith("3.1.")
    OpenAPIV31SpecValidator(served.json()).validate()


def test_it_is_the_one_that_answers_are_held_against() -> None:
    served = Client().get(f"{ROOT}schema/").json()
    assert (served["paths"], served["components"]) == (schema()["paths"], schema()["components"])


def test_it_names_every_route_and_method() -> None:
    routes = {address(n): set(r.answers) for n, r in ROUTES.items() if n.startswith("api-")}
    for path in (f"{ROOT}schema/", f"{ROOT}docs/"):
        del routes[path]
    named: dict[str, set[str]] = {}
    for method, path in OPERATIONS:
        named.setdefault(path.replace("{session_id}", "s").replace("{seq}", "1"), set()).add(method)
    assert named == routes
    assert "api-schema" in dict(patterns())


@EACH
def test_an_operation_says_what_it_is(key: tuple[str, str]) -> None:
    operation = OPERATIONS[key]
    assert operation["summary"] and operation["tags"]
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", operation["operationId"])
    assert operation["security"] == [{"token": []}, {"browser": []}]


def test_operations_have_names_of_their_own() -> None:
    names = [operation["operationId"] for operation in OPERATIONS.values()]
    assert len(set(names)) == len(names)


@EACH
def test_a_body_has_an_example_that_its_schema_takes(key: tuple[str, str]) -> None:
    method, _ = key
    if method in ("GET", "DELETE"):
        assert "requestBody" not in OPERATIONS[key]
        return
    content = OPERATIONS[key]["requestBody"]["content"]
    (media_type,) = content
    assert media_type == ("multipart/form-data" if key[1].endswith("/imports/") else "application/json")
    assert content[media_type]["examples"]
    for example in content[media_type]["examples"].values():
        whole = {**content[media_type]["schema"], "components": schema()["components"]}
        Draft202012Validator(whole).validate(example["value"])


def test_the_examples_do_what_they_show() -> None:
    api = operator()
    session_id = api.create(user())
    order = ["create_session", "change_session", "append_frames", "recover", "compress_pasted"]
    order += ["compare_strategies", "replay_session", "compress"]
    by_name = {o["operationId"]: (method, path, o) for (method, path), o in OPERATIONS.items() if "requestBody" in o}
    assert set(by_name) - {"import_file"} == set(order)
    for name in order:
        method, path, operation = by_name[name]
        for example in operation["requestBody"]["content"]["application/json"]["examples"].values():
            url = path.removeprefix(ROOT).replace("{session_id}", session_id)
            answer = api.call(method, url, example["value"])
            assert answer.status < 300 or answer.slug == "nothing-to-compress", answer.content


def test_the_example_of_an_import_does_what_it_shows() -> None:
    content = OPERATIONS["POST", f"{ROOT}imports/"]["requestBody"]["content"]["multipart/form-data"]
    (example,) = content["examples"].values()
    fields = {k: json.dumps(v) if isinstance(v, bool) else v for k, v in example["value"].items()}
    answer = operator().upload(fields.pop("file"), **fields)
    assert (answer.status, answer.json["dry_run"]) == (200, True)
    assert answer.json["sessions"][0]["frames"] == 3


@EACH
def test_the_problems_of_an_operation_are_those_that_it_may_meet(key: tuple[str, str]) -> None:
    method, path = key
    operation = OPERATIONS[key]
    found = {
        slug
        for status, response in operation["responses"].items()
        if "application/problem+json" in response.get("content", {})
        for slug in promised_slugs(path, method, int(status))
    }
    expected = {"invalid-request", "unauthenticated", "not-acceptable", "forbidden", "busy", "database-unavailable"}
    if "requestBody" in operation:
        expected |= {"too-large", "unsupported-media-type"}
    if "application/json" in operation.get("requestBody", {}).get("content", {}):
        expected |= {"malformed-json"}
    if "{session_id}" in path:
        expected |= {"not-found"}
    if operation["operationId"] in WRITES - {"create_session"}:
        expected |= {"stale-head"}
    if operation["operationId"] in WRITES - {"create_session", "change_session"}:
        expected |= {"head-required"}
    if operation["operationId"] in WRITES - {"change_session", "delete_session"}:
        expected |= {"idempotency-key-reused"}
    assert expected <= found
    assert found <= set(PROBLEMS) - NOT_THERE_YET
    for slug in found:
        assert str(PROBLEMS[slug].status) in operation["responses"]


def test_each_problem_stands_in_the_schema_or_is_still_to_come() -> None:
    found: set[str] = set()
    for (method, path), operation in OPERATIONS.items():
        for status, response in operation["responses"].items():
            if "application/problem+json" in response.get("content", {}):
                found |= promised_slugs(path, method, int(status))
    assert found == set(PROBLEMS) - NOT_THERE_YET


@dataclass
class Wrong:
    status: int
    content: bytes
    media_type: str = "application/json"

    @property
    def headers(self) -> dict[str, str]:
        return {"Content-Type": self.media_type}


@pytest.mark.parametrize(
    "wrong",
    [
        Wrong(200, b'{"items": [], "next_cursor": 5}'),
        Wrong(200, b'{"items": []}'),
        Wrong(200, b'{"items": [{}], "next_cursor": null}'),
        Wrong(200, b'{"items": [], "next_cursor": null, "more": 1}'),
        Wrong(299, b"{}"),
        Wrong(400, b'{"type": "/problems/conflict"}', "application/problem+json"),
    ],
)
def test_an_answer_that_breaks_a_promise_is_noticed(wrong: Any) -> None:
    with pytest.raises((AssertionError, KeyError)):
        ensure_promised("GET", f"{ROOT}sessions/", sent=b"", answer=wrong)


def test_nothing_that_is_said_to_readers_of_the_code_is_served() -> None:
    inner = {cleandoc(kind.__doc__ or "") for kind in (ApiView, SessionView)}
    assert {o.get("description") for o in OPERATIONS.values()} & inner == set()
    assert not re.search("for the schema|checked one by one|are never read", json.dumps(schema()))
