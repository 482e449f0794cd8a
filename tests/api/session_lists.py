"""The ids that a list of sessions gives."""

from typing import Any
from urllib.parse import urlencode

from tests.api.client import Api


def listed(api: Api, **query: Any) -> list[str]:
    answer = api.get("sessions/?" + urlencode(query))
    assert answer.status == 200, answer.content
    return [item["session_id"] for item in answer.json["items"]]


def all_pages(api: Api, **query: Any) -> list[str]:
    found: list[str] = []
    while True:
        page = api.get("sessions/?" + urlencode(query)).json
        found += [item["session_id"] for item in page["items"]]
        if page["next_cursor"] is None:
            return found
        query["cursor"] = page["next_cursor"]
