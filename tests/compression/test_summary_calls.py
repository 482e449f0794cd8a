"""How a model is called: deadlines, retries, what is sent and what is not, over real HTTP."""

import gzip
import json
import logging
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from threading import Event
from typing import Any

import pytest

from sessions_app.compression.summaries import Endpoint, NoSummary, Source, Summary, write
from sessions_app.compression.summaries.replies import retry_after
from sessions_app.engine import count_text
from tests.builders import react_rounds
from tests.compression.model_server import (
    KEY,
    MODEL,
    ModelServer,
    Told,
    answer_of,
    dripping,
    endpoint_at,
    fails,
    held,
    host_of,
    model_server,
    says,
)
from tests.compression.windows import window_of

OLD = window_of(react_rounds(4, size=600))
GOOD = says(answer_of(facts=["[2] It works."]))


def ask(endpoint: Endpoint) -> Summary:
    source = Source(OLD.items, room=400, limit_tokens=100_000, instructions="", count_text=count_text)
    return write(source, endpoint)


def refusal(endpoint: Endpoint) -> NoSummary:
    with pytest.raises(NoSummary) as caught:
        ask(endpoint)
    return caught.value


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_a_refusal_that_may_pass_is_sent_again(status: int) -> None:
    with model_server(fails(status), fails(status), GOOD) as server:
        assert ask(endpoint_at(server)).usage.calls == 3


@pytest.mark.parametrize("status", [401, 402, 403, 404, 413])
def test_a_refusal_that_stays_is_not_sent_again(status: int) -> None:
    with model_server(fails(status), GOOD) as server:
        assert refusal(endpoint_at(server)).usage.calls == 1


def test_after_two_retries_it_is_over() -> None:
    with model_server(fails(500, "out of memory")) as server:
        e = refusal(endpoint_at(server))
    assert e.why == "The model's endpoint answered 500 Internal Server Error: out of memory."
    assert e.usage.as_json() == {"calls": 3, "model": MODEL}


def test_it_waits_as_long_as_the_endpoint_asks() -> None:
    with model_server(fails(429, Retry_After="0.3"), GOOD) as server:
        ask(endpoint_at(server))
        assert server.times[1] - server.times[0] >= 0.29


def test_the_time_to_wait_may_be_given_as_a_date() -> None:
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=40), usegmt=True)
    assert 30 < (retry_after({"Retry-After": at}) or 0) <= 40


def test_it_does_not_wait_beyond_its_deadline() -> None:
    with model_server(fails(429, Retry_After="60"), GOOD) as server:
        started = time.monotonic()
        assert "answered 429" in refusal(endpoint_at(server, total_s=5)).why
        assert time.monotonic() - started < 2
        assert len(server.calls) == 1


@pytest.mark.parametrize("after", ["soon", "-5", "nan", "", "Wed, 21 Oct 2015 07:28:00"])
def test_a_time_to_wait_that_is_none_is_passed_over(after: str) -> None:
    with model_server(fails(429, Retry_After=after), GOOD) as server:
        assert ask(endpoint_at(server)).usage.calls == 2


def test_a_server_that_is_late_is_given_up_at_the_deadline() -> None:
    with model_server(held(GOOD, Event())) as server:
        started = time.monotonic()
        e = refusal(endpoint_at(server, total_s=0.4))
        assert time.monotonic() - started < 2
    assert (e.why, e.usage.calls) == ("The model did not answer within 0.4 s.", 1)


def test_a_server_that_drips_is_given_up_at_the_deadline() -> None:
    """Each byte comes in time; all of them together do not."""
    with model_server(dripping(GOOD, 0.02)) as server:
        started = time.monotonic()
        e = refusal(endpoint_at(server, total_s=0.5, read_s=0.3))
        assert time.monotonic() - started < 2
    assert e.why == "The model did not answer within 0.5 s."


def test_a_server_that_drips_its_headers_is_given_up_at_the_deadline() -> None:

    def drip(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection, suppress(ConnectionError):
            for byte in b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 10_000:
                connection.send(bytes([byte]))
                time.sleep(0.02)

    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor() as pool:
        pool.submit(drip, listening)
        started = time.monotonic()
        e = refusal(Endpoint(f"http://127.0.0.1:{listening.getsockname()[1]}/v1", MODEL, total_s=0.5, read_s=0.3))
        assert time.monotonic() - started < 2
    assert e.why == "The model did not answer within 0.5 s."


def test_a_model_that_is_silent_for_too_long_is_asked_again() -> None:
    with model_server(held(GOOD, Event()), GOOD) as server:
        assert ask(endpoint_at(server, read_s=0.2)).usage.calls == 2


def test_a_model_that_stays_silent_did_not_answer_in_time() -> None:
    with model_server(held(GOOD, Event())) as server:
        e = refusal(endpoint_at(server, read_s=0.1))
    assert (e.why, e.usage.calls) == ("The model did not answer in time.", 3)


def closed_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def test_an_endpoint_that_is_not_there_is_tried_three_times() -> None:
    e = refusal(Endpoint(f"http://127.0.0.1:{closed_port()}/v1", MODEL, KEY, first_pause_s=0.01))
    assert (e.why, e.usage.calls) == ("The model cannot be reached.", 3)


def test_a_redirect_is_not_followed() -> None:
    with model_server(GOOD) as elsewhere, model_server(fails(307, Location=f"{elsewhere.url}/x")) as server:
        e = refusal(endpoint_at(server))
        assert elsewhere.calls == []
    assert e.why.startswith("The model's endpoint answered 307 Temporary Redirect")


@pytest.mark.parametrize("status", [200, 500])
def test_an_endless_answer_is_not_read_to_its_end(status: int) -> None:
    with model_server(Told(status, b'{"choices": "' + b"x" * 20_000_000)) as server:
        started = time.monotonic()
        e = refusal(endpoint_at(server))
        assert time.monotonic() - started < 5
    assert (e.why, e.usage.calls) == ("The model's answer is far longer than a summary may be.", 2)


def test_after_an_endless_answer_a_repaired_one_is_taken() -> None:
    with model_server(says(answer_of(facts=["w " * 10_000_000])), GOOD) as server:
        assert "It works." in ask(endpoint_at(server)).lines
        assert "This answer cannot be used. The model's answer is far longer than a" in server.prompt


def test_nothing_packed_is_asked_for_and_none_is_unpacked() -> None:
    packed = gzip.compress(GOOD.body)
    with model_server(Told(body=packed, headers={"Content-Encoding": "gzip"})) as server:
        assert refusal(endpoint_at(server)).why.endswith("something that is no chat completion.")
        assert sent_headers(server)["accept-encoding"] == "identity"


@pytest.mark.parametrize("status", [400, 422])
def test_an_endpoint_that_does_not_take_a_schema_is_asked_without(status: int) -> None:
    with model_server(fails(status, "response_format is not supported"), says("no"), GOOD) as server:
        assert ask(endpoint_at(server)).usage.calls == 3
        assert ["response_format" in body for body in server.calls] == [True, False, False]


def test_a_request_that_is_refused_without_a_schema_too_is_over() -> None:
    with model_server(fails(400, "the prompt is too long")) as server:
        e = refusal(endpoint_at(server))
    assert e.why == "The model's endpoint answered 400 Bad Request: the prompt is too long."
    assert e.usage.calls == 2


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"null",
        b'{"choices": []}',
        b'{"choices": [7]}',
        b'{"choices": {"0": 1}}',
        b"\xff\xfe{",
        b"[" * 100_000,
        b'{"choices": [{"message": null}]}',
        b'{"choices": [{"message": ["content"]}]}',
    ],
    ids=lambda body: body[:40],
)
def test_an_answer_that_is_no_completion_is_a_refusal(body: bytes) -> None:
    with model_server(Told(body=body)) as server:
        e = refusal(endpoint_at(server))
    assert e.why == "The model's endpoint answered with something that is no chat completion."


def test_what_is_sent() -> None:
    with model_server(GOOD) as server:
        ask(endpoint_at(server))
        [body] = server.calls
    assert (body["model"], body["temperature"]) == (MODEL, 0)
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert {"tools", "tool_choice", "stream", "functions"} & set(body) == set()
    schema = body["response_format"]["json_schema"]["schema"]
    assert schema["additionalProperties"] is False
    assert sorted(schema["required"]) == sorted(schema["properties"]) == sorted(answer_of())


def sent_headers(server: ModelServer) -> dict[str, str]:
    return {name.lower(): value for name, value in server.headers[0].items()}


def test_the_key_goes_along_and_nothing_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "of-somebody-else")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/")
    with model_server(GOOD) as server:
        ask(endpoint_at(server))
        headers = sent_headers(server)
    assert headers["authorization"] == f"Bearer {KEY}"
    assert "of-somebody-else" not in str(headers)


def test_without_a_key_none_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "of-somebody-else")
    with model_server(GOOD) as server:
        ask(Endpoint(server.url, MODEL))
        assert "authorization" not in sent_headers(server)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 500])
def test_the_key_stands_in_no_error_and_in_no_log(status: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with model_server(fails(status, f"the key {KEY} is not known")) as server:
        endpoint = endpoint_at(server)
        e = refusal(endpoint)
    assert KEY not in f"{e.why} {e!r} {endpoint!r} {e.__cause__!r} {caplog.text}"
    assert caplog.text  # there was something to look through


@pytest.mark.parametrize("status", [401, 403])
def test_a_refusal_of_the_key_says_where_it_was_sent_and_what_to_check(status: int) -> None:
    with model_server(fails(status, f"the key {KEY} is not known")) as server:
        why = refusal(endpoint_at(server)).why
    assert why.startswith(f"The model's endpoint {host_of(server)} answered {status} ")
    assert why.endswith(f" for the model {MODEL}. Check SUMMARISER_API_KEY.")


def test_the_host_of_an_endpoint_holds_no_password() -> None:
    assert Endpoint("https://me:secret@models.example.org:8443/v1?key=secret", MODEL).host == "models.example.org:8443"


def test_a_start_does_not_load_the_sdk() -> None:
    code = (
        "import os, sys; os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'tests.settings')\n"
        "import django; django.setup()\n"
        "from sessions_app.compression import strategies; strategies()\n"
        "assert 'sessions_app.compression.summaries.writing' in sys.modules\n"
        "print({'openai', 'httpx2'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().splitlines()[-1] == "set()"


def test_lone_surrogates_and_control_characters_of_a_history_can_be_sent() -> None:
    hostile: Any = [{"role": "user", "content": "\ud83d a\x00b \u2028 c"}, *react_rounds(2)]
    source = Source(window_of(hostile).items, room=400, limit_tokens=50_000, instructions="", count_text=count_text)
    with model_server(GOOD) as server:
        write(source, endpoint_at(server))
        line = next(line for line in server.prompt.split("\n") if line.startswith('{"n":1,'))
    assert json.loads(line)["text"] == "\ud83d a\x00b \u2028 c"
    assert "\u2028" not in line
