"""`GET sessions/`: what a search finds (contract, section 4)."""

import pytest

from tests.api.client import operator
from tests.api.session_lists import all_pages, listed
from tests.builders import calls, make_session, reply, user

pytestmark = pytest.mark.django_db


@pytest.mark.case(85)
def test_a_search_finds_what_stands_beyond_the_first_page() -> None:
    api = operator()
    old = api.create(user("the needle in it"))
    for n in range(60):
        make_session(user(f"hay {n}"), owner=api.user)
    assert listed(api, search="needle") == [old]


TEXTS = [
    "修复上传",
    "Straße",
    "ÉCOLE",
    "Привет",
    "İstanbul",
    "ΣΊΣΥΦΟΣ",
    "100% of",
    "a_b",
    'say "hi"',
    "one\ntwo",
    "tab\there",
]
TEXTS += [
    "back\\slash",
    "\\u0000",
    "\\n",
    "😀",
    "it's",
    "<b>",
    "a/b",
    "\x7f",
    "?*[a]",
    "E'x'",
    "--",
    "%(x)s",
    "%s",
    "{}",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_search_finds_the_text_in_each_place_in_any_case(text: str) -> None:
    api = operator()
    api.create(user("nothing"), title="nothing", labels=["nothing"])
    found = [
        api.create(user(f"before {text} after")),
        api.create({"role": "user", "content": [{"type": "text", "text": text}]}),
        api.create(title=f"before {text} after"),
        api.create(labels=["x", text]),
        api.create(user(), calls("a"), reply("a", text)),
    ]
    assert sorted(listed(api, search=text)) == sorted(found)
    for other in {text.upper(), text.lower()} if len(text.lower()) == len(text) else ():
        if other.lower() == text.lower():
            assert sorted(listed(api, search=other)) == sorted(found)


@pytest.mark.parametrize("ask", ["run-7", "RUN-7", "n-7:"])
def test_a_search_finds_a_part_of_an_id(ask: str) -> None:
    api = operator()
    api.create(session_id="other")
    api.create(session_id="my.Run-7:x")
    assert listed(api, search=ask) == ["my.Run-7:x"]


@pytest.mark.parametrize("name", ["role", "content", "tool_calls", "arguments", "function", "zebra", 'user",', "\\n"])
def test_a_search_does_not_find_how_a_message_is_stored(name: str) -> None:
    api = operator()
    api.create({**user("a\nb"), "zebra": "x"}, calls("a"), reply("a"), labels=["x"])
    assert listed(api, search=name) == []


def test_a_percent_sign_or_an_underscore_stands_for_itself() -> None:
    api = operator()
    api.create(user("abc"))
    assert listed(api, search="a%c") == listed(api, search="a_c") == listed(api, search="%") == []


def test_a_search_goes_through_pages_like_the_list() -> None:
    api = operator()
    found = [make_session(user(f"needle {n}" if n % 3 else "hay"), owner=api.user) for n in range(20)]
    expected = [session_id for n, session_id in reversed(list(enumerate(found))) if n % 3]
    assert all_pages(api, search="NEEDLE", limit=4) == expected


@pytest.mark.parametrize("length", [1_001, 60_000, 200_000])
def test_a_long_text_is_searched_for_like_a_short_one(length: int) -> None:
    api = operator()
    text = "x" * (length - 1) + "y"
    hit, miss = api.create(user(f"<{text}>")), api.create(user("x" * (length + 9)))
    assert listed(api, search=text) == [hit]
    assert listed(api, search=text + "z") == []
    assert api.get(f"sessions/{hit}/frames/?search={text}").json["items"]
    assert api.get(f"sessions/{miss}/frames/?search={text}").json["items"] == []
