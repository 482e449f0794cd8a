"""What every refusal of bad input has in common, as a check."""

from tests.api.client import Answer
from tests.engine.snapshots import all_tables


def refused(answer: Answer, before: object) -> list[str]:
    """The pointers of an invalid request that wrote nothing."""
    assert (answer.status, answer.slug) == (400, "invalid-request"), answer.content[:500]
    assert all(fault["detail"] for fault in answer.json["errors"])
    assert all_tables() == before
    return answer.pointers
