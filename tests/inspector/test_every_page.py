"""Every page in every state, held against what a program can find: axe, valid HTML, a silent console, no overflow.

A page that is added gets its line in STATES. The database does not matter here: SQLite only. What the pages show is
made once for the states of a group, so nothing that is done on them may write.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page

from sessions_app import compression, engine
from sessions_app.access.models import User
from sessions_app.access.roles import Role
from sessions_app.access.tokens import make_token
from sessions_app.compression import parse_policy
from sessions_app.engine import ImportedMessage, Message
from tests.builders import call, calls, make_session, make_user, react_rounds, reply, says, system, user
from tests.inspector import axe
from tests.inspector.chromium import Window, expect, needs_chromium, window
from tests.inspector.pages import browser, compress
from tests.inspector.valid_html import faults as faults_of

pytestmark = [pytest.mark.django_db(transaction=True), *needs_chromium, pytest.mark.sqlite, pytest.mark.slow]

WIDTHS = (390, 1024, 1680)


@dataclass(frozen=True, slots=True)
class State:
    """`do` brings the page into the state; what it shows then comes from the server too. `who` signs in, or nobody."""

    path: str
    do: Callable[[Page], Any] | None = None
    who: str = "ann"
    status: int = 200


def press(name: str) -> Callable[[Page], None]:
    return lambda page: page.locator("main").get_by_role("button", name=name, exact=True).first.click()


def choose_file(page: Page) -> None:
    history = json.dumps([user("word" * 60), calls("a"), reply("a"), says(), reply("lost")]).encode()
    page.set_input_files("#file", {"name": "n" * 100 + ".json", "mimeType": "application/json", "buffer": history})
    expect(page.get_by_role("button", name="Import 1 session")).to_be_visible()


def choose_a_file_of_no_format(page: Page) -> None:
    page.set_input_files("#file", {"name": "notes.md", "mimeType": "text/plain", "buffer": b"# Notes"})
    expect(page.locator("#report .refusal")).to_be_visible()


def preview(page: Page) -> None:
    press("Preview")(page)
    expect(page.locator(".preview")).to_be_visible()


def refuse_a_limit(page: Page) -> None:
    page.locator("#id-trigger").fill("0.1")
    press("Set the policy")(page)
    expect(page.locator("#id-target-error")).to_be_visible()


def unfold(page: Page) -> None:
    page.get_by_text("All measures and probes").first.click()
    expect(page.locator(".measures")).to_be_visible()


def open_lists(page: Page) -> None:
    page.evaluate("for (const list of document.querySelectorAll('.events')) list.open = true")


def point_at_a_line(page: Page) -> None:
    page.locator(".plot:visible .series").nth(2).focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#reading")).to_be_visible()


def send_without_its_guard(page: Page) -> None:
    """A form that holds no token against forgery."""
    with page.expect_navigation():
        page.evaluate("""() => {
          const form = document.createElement("form");
          form.method = "post";
          form.action = "/logout/";
          document.body.append(form);
          form.submit();
        }""")


def send_a_wrong_name(page: Page) -> None:
    page.locator("#id_username").fill("nobody")
    page.locator("#id_password").fill("wrong")
    with page.expect_navigation():
        press("Sign in")(page)


LISTS = {
    "home": State("/"),
    "home, those that wait": State("/?state=awaiting_tools"),
    "home, searched": State("/?q=upload"),
    "home, nothing found": State("/?q=nonesuch"),
    "home, a label": State("/?label=nightly"),
    "home, empty": State("/", who="new"),
    "home, of a viewer": State("/", who="vera"),
    "problems": State("/problems/", who=""),
    "problem": State("/problems/stale-head", who=""),
    "tokens": State("/tokens/"),
    "tokens, none": State("/tokens/", who="new"),
}
SESSIONS = {
    "session": State("/sessions/s/"),
    "without messages": State("/sessions/empty/"),
    "of one version": State("/sessions/plain/"),
    "that stopped compressing itself": State("/sessions/stopped/"),
    "that waits": State("/sessions/stuck/"),
    "that was imported": State("/sessions/imported/"),
    "with long words": State(f"/sessions/{'w' * 200}/"),
    "of a viewer": State("/sessions/seen/", who="vera"),
    "an older version": State("/sessions/s/?version=2"),
    "two versions": State("/sessions/s/?version=3&compare=2"),
    "as the model saw it": State("/sessions/s/?at_seq=20"),
    "a middle page": State("/sessions/long/?frame=60#f-60"),
    "a role": State("/sessions/s/?role=tool"),
    "a tool's failures": State("/sessions/s/?tool=read_file&only=errors"),
    "what was dropped": State("/sessions/s/?only=dropped"),
    "searched": State("/sessions/s/?q=line"),
    "nothing found": State("/sessions/s/?q=nonesuch"),
    "the window's tab": State("/sessions/s/?band=context"),
}
PANELS = {
    **{name: State(f"/sessions/s/?do={name}") for name in ("append", "rename", "history", "policy", "delete")},
    "policy of a session that stopped": State("/sessions/stopped/?do=policy"),
    "policy, refused": State("/sessions/s/?do=policy", do=refuse_a_limit),
    "restore": State("/sessions/s/?version=2&do=restore"),
    "recover": State("/sessions/stuck/?do=recover"),
    "recover, nothing open": State("/sessions/s/?do=recover"),
    **{
        f"compress by {name}": State(f"/sessions/s/?do=compress&strategy={name}")
        for name in ("sliding_window", "clear_tool_results", "digest")
    },
    "compress, a preview": State("/sessions/s/?do=compress&strategy=sliding_window", do=preview),
    "of a viewer": State("/sessions/seen/?do=compress", who="vera"),
}
ONE_ROUND = "s1=digest&s1.protect_rounds=1&s2=sliding_window&s2.protect_rounds=1"
COMPARISONS = {
    "compared": State("/sessions/s/compare/"),
    "with all measures": State("/sessions/s/compare/?probe=upload&probe=nonesuch", do=unfold),
    "its form": State("/sessions/s/compare/?edit=1"),
    "its form, wrong": State("/sessions/s/compare/?s1=digest&s1.protect_rounds=0&s2=nonesuch", status=400),
    "too many probes": State(f"/sessions/s/compare/?{'&'.join(f'probe={n}' for n in range(21))}", status=400),
    "a candidate": State(f"/sessions/s/compare/?{ONE_ROUND}&open=1&after_position=0"),
    "its tab": State(f"/sessions/s/compare/?{ONE_ROUND}&open=1&band=context&pin=c2"),
    "its difference": State(f"/sessions/s/compare/?{ONE_ROUND}&open=2&against=1&after_position=0"),
    "compared, without messages": State("/sessions/empty/compare/"),
    "compared, while it waits": State("/sessions/stuck/compare/"),
    "compared, with long words": State(f"/sessions/{'w' * 200}/compare/?probe={'w' * 200}"),
    "compared, of a viewer": State("/sessions/seen/compare/", who="vera"),
}
SIX = "s1=sliding_window&s2=clear_tool_results&s3=digest&s4=trim_to_target&s5=mask_observations&s6=dedupe_reads"
REPLAYS = {
    "replay": State("/sessions/s/replay/"),
    "replay of six": State(f"/sessions/s/replay/?{SIX}&limit=600"),
    "replay, its form": State(f"/sessions/s/replay/?{SIX}&limit=600&edit=1"),
    "replay, a stand-in": State("/sessions/s/replay/?s1=summarize&s2=summarize&limit=600", do=open_lists),
    "replay, one line pointed at": State(f"/sessions/s/replay/?{SIX}&limit=600", do=point_at_a_line),
    "replay, no calls": State("/sessions/empty/replay/"),
    "replay of a viewer": State("/sessions/seen/replay/", who="vera"),
    "replay, bad terms": State("/sessions/s/replay/?limit=0&trigger=0", status=400),
    "replay with long words": State(f"/sessions/{'w' * 200}/replay/?limit=2000"),
}
OTHERS = {
    "frame": State("/sessions/s/frames/4/"),
    "frame that calls": State("/sessions/stuck/frames/2/"),
    "frame with more than text": State("/sessions/imported/frames/2/"),
    "message": State("/sessions/s/context/3/1/"),
    "message that is a summary": State("/sessions/s/context/3/3/"),
    "import": State("/import/"),
    "import, looked at": State("/import/", do=choose_file),
    "import, refused": State("/import/", do=choose_a_file_of_no_format),
    "import, of a viewer": State("/import/", who="vera"),
    "sign in": State("/login/", who=""),
    "sign in, refused": State("/login/", do=send_a_wrong_name, who=""),
    "link that is over": State("/login/link/none/", who="", status=410),
    "bad request": State("/sessions/s/?version=x", status=400),
    "forbidden": State("/", do=send_without_its_guard),
    "not found": State("/nonesuch", status=404),
    "session of somebody else": State("/sessions/seen/", who="new", status=404),
}
STATES = {
    "lists": LISTS,
    "sessions": SESSIONS,
    "panels": PANELS,
    "comparisons": COMPARISONS,
    "replays": REPLAYS,
    "others": OTHERS,
}


def make_sessions(ann: User, vera: User) -> None:
    """Of each kind that a state names."""
    make_session(owner=ann, session_id="empty")
    make_session(system(), user(), says(), owner=ann, session_id="plain")
    make_session(user(), calls("a", "b", text="Both."), reply("a"), owner=ann, session_id="stuck")
    make_session(user(), says(), owner=vera, session_id="seen")
    talk = make_session(
        *(system(), user("Fix the upload."), *react_rounds(14), says("Two **words**:\n\n- one\n- 二")),
        owner=ann,
        session_id="s",
        title="Fix the flaky upload test",
        labels=["nightly", "二"],
    )
    compress(talk)
    engine.append(session_id=talk, messages=[user("More."), *react_rounds(8, start=70)])
    compress(talk, "digest")
    engine.append(session_id=talk, messages=[user("And more."), *react_rounds(3, start=90)])
    make_session(*(says(f"Answer {n}") for n in range(220)), owner=ann, session_id="long")
    word = "w" * 200
    make_session(
        *(user(word * 20), {"role": "assistant", "content": None, "tool_calls": [call(word, "t" * 64, '{"a": 1}')]}),
        *(reply(word, word * 20, is_error=True), says(f"[{word}](https://example.org/{word})")),
        owner=ann,
        session_id=word,
        title=word,
        labels=["l" * 40],
    )
    policy = {"trigger": 10, "target": 10, "strategy": "sliding_window", "params": {"protect_rounds": 1}, "auto": True}
    stopping = make_session(user(), owner=ann, session_id="stopped", compression_policy=parse_policy(policy, ""))
    for n in range(3):
        compression.append(session_id=stopping, messages=react_rounds(3, start=10 * n))
    for n in range(30):  # more than a page of the list
        make_session(user(), owner=ann, title=f"Session {n}")
    engine.import_session(
        owner_id=ann.pk, session_id="imported", history=lambda: iter(IMPORTED), strategy="import:claude-code"
    )


AT = datetime(2025, 5, 1, 12, tzinfo=UTC)
PICTURE = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{'iVBORw0KGgo' * 100}"}}
METADATA = {
    "model": "m",
    "reasoning": "r" * 300,
    "usage": {"input": 1},
    "extra": {"k" * 90: {"deep": [1, None, "x" * 400]}},
}
IMPORTED = [
    ImportedMessage(Message.of({"role": "user", "content": [{"type": "text", "text": "See:"}, PICTURE]}), {}, AT),
    ImportedMessage(Message.of({**says(), "reasoning_content": "Thought of it. " * 60}), METADATA, AT),
    ImportedMessage(Message.of(reply("nobody", "lost")), {"sidechain": True}, AT),
]


@pytest.fixture
def windows(live_server: Any) -> Iterator[dict[str, Window]]:
    """One for each who looks, on a server with all this."""
    people = {"ann": make_user("ann", Role.STAFF), "vera": make_user("vera", Role.VIEWER), "new": make_user("new")}
    make_sessions(people["ann"], people["vera"])
    made = timezone.now() - timedelta(days=2)
    make_token(user=people["ann"], name="nightly " * 6, role=Role.VIEWER, now=made)
    clients = {"": None, **{name: browser(person) for name, person in people.items()}}
    with ExitStack() as stack:
        yield {
            name: stack.enter_context(window(live_server, client, reduced_motion="reduce"))
            for name, client in clients.items()
        }


@pytest.mark.parametrize("group", STATES)
def test_no_program_finds_a_fault(windows: dict[str, Window], group: str) -> None:
    found = {}
    for name, state in STATES[group].items():
        opened = windows[state.who]
        found[name] = [*_look(opened.page, state), *(f"console: {words}" for words in opened.said)]
        opened.said.clear()
    assert {name: faults for name, faults in found.items() if faults} == {}


def _look(page: Page, state: State) -> list[str]:
    page.set_viewport_size({"width": WIDTHS[-1], "height": 900})
    page.emulate_media(color_scheme="light")
    answer = page.goto(state.path)
    assert answer is not None
    if answer.status != state.status:
        return [f"it answers {answer.status}"]
    found = [f"html: {fault}" for fault in faults_of(answer.text())]
    if state.do:
        state.do(page)
        found += [f"html: {fault}" for fault in faults_of(page.content())]
    found += [f"axe: {fault}" for fault in axe.findings(page)]
    page.emulate_media(color_scheme="dark")
    found += [f"axe, dark: {fault}" for fault in axe.findings(page, only=axe.COLOURS)]
    for width in reversed(WIDTHS):
        page.set_viewport_size({"width": width, "height": 900})
        found += [f"{width} wide: {fault}" for fault in page.evaluate(OVERFLOW)]
    found += [f"axe, narrow and dark: {fault}" for fault in axe.findings(page)]
    return found


OVERFLOW = """() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  const out = [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > width + 0.5);
  const deepest = out.filter((e) => !out.some((other) => other !== e && e.contains(other)));
  return [`the page is ${document.documentElement.scrollWidth} wide: ` +
    (deepest.slice(0, 3).map((e) => e.outerHTML.slice(0, 120)).join(" … ") || "no element stands out")];
}"""
