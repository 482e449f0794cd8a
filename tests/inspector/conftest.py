"""What holds for every test of the pages."""

from collections.abc import Iterator

import pytest
from django.utils import translation


@pytest.fixture(autouse=True)
def _speaks_english_again() -> Iterator[None]:
    """A request leaves its language active in the thread, where the next request has its own, but not the next test."""
    yield
    translation.deactivate()
