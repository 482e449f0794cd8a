"""Fixtures of the tests of compression."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.compression.model_server import Summariser, summarising


@pytest.fixture
def summariser(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Summariser]:
    with summarising(settings, monkeypatch) as start:
        yield start
