"""Sessions that several tests read."""

from typing import Any

from tests.api.client import Api
from tests.builders import react_rounds, says, system, user


def compress_twice(api: Api) -> str:
    """Ten frames under version 1, a digest, two frames under version 2, a sliding window, two under version 3."""
    session_id = api.create(system(), user(), *react_rounds(4))
    for strategy, messages in (("digest", react_rounds(1, start=5)), ("sliding_window", [says(), user("go on")])):
        made = api.post(f"sessions/{session_id}/compressions/", {"strategy": strategy, "params": {"protect_rounds": 1}})
        assert made.status == 201, made.content
        api.append(session_id, *messages)
    return session_id


def items(api: Api, session_id: str, query: str = "") -> list[Any]:
    answer = api.get(f"sessions/{session_id}/context/{query}")
    assert answer.status == 200, answer.content
    return list(answer.json["items"])
