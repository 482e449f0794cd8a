"""The batch of an append: how many messages, and what stands beside them."""

from typing import Any

import pytest

from tests.api.client import operator
from tests.api.refusals import refused
from tests.builders import says, user
from tests.engine.snapshots import all_tables

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("body", [{}, {"messages": None}, {"messages": []}, {"messages": {}}, {"messages": "x"}])
def test_an_append_holds_at_least_one_message(body: dict[str, Any]) -> None:
    api = operator()
    api.create(user(), session_id="s")
    before = all_tables()
    assert refused(api.post("sessions/s/frames/", body), before) == ["/messages"]


def test_an_append_holds_at_most_a_thousand_messages() -> None:
    api = operator()
    api.create(session_id="s")
    before = all_tables()
    assert refused(api.append("s", *[user()] * 1001), before) == ["/messages"]
    assert api.append("s", *[user()] * 1000).json["frames"][-1]["seq"] == 1000


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize(
    ("metadata", "pointer"),
    [
        ("x", "/metadata"),
        (5, "/metadata"),
        (True, "/metadata"),
        ([], "/metadata"),
        ([{}, {}, {}], "/metadata"),
    ],
)
def test_metadata_is_an_object_or_a_list_as_long_as_the_messages(metadata: Any, pointer: str, count: int) -> None:
    api = operator()
    api.create(session_id="s")
    before = all_tables()
    body = {"messages": [user()] * count, "metadata": metadata}
    assert refused(api.post("sessions/s/frames/", body), before) == [pointer]


@pytest.mark.parametrize(
    ("metadata", "pointer"),
    [({}, "/metadata"), ([{}, 5], "/metadata/1"), ([None, {}], "/metadata/0"), ([{}, []], "/metadata/1")],
)
def test_metadata_of_two_messages_is_a_list_of_objects(metadata: Any, pointer: str) -> None:
    api = operator()
    api.create(session_id="s")
    before = all_tables()
    body = {"messages": [user(), says()], "metadata": metadata}
    assert refused(api.post("sessions/s/frames/", body), before) == [pointer]


@pytest.mark.parametrize("recover", [None, 1, "true", []])
def test_recover_is_true_or_false(recover: Any) -> None:
    api = operator()
    api.create(session_id="s")
    before = all_tables()
    assert refused(api.post("sessions/s/frames/", {"messages": [user()], "recover": recover}), before) == ["/recover"]
