from datetime import UTC, datetime
from typing import Any

import pytest

from sessions_app.interchange.times import parse_time

MOMENT = datetime(2025, 5, 1, 10, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "value",
    [
        "2025-05-01T10:00:00Z",
        "2025-05-01T12:00:00+02:00",
        "2025-05-01 10:00:00",
        MOMENT.timestamp(),
        int(MOMENT.timestamp() * 1000),
        int(MOMENT.timestamp() * 1_000_000),
        int(MOMENT.timestamp() * 1_000_000_000),
    ],
)
def test_times_are_read_in_the_spellings_of_the_field(value: Any) -> None:
    assert parse_time(value) == MOMENT


@pytest.mark.parametrize(
    "value", [None, "", "soon", True, [], {}, 10**400, -(10**14), float("1e300"), "0001-01-01T00:00:00+14:00"]
)
def test_what_is_no_time_is_none(value: Any) -> None:
    assert parse_time(value) is None
