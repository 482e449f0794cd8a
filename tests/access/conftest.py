from collections.abc import Iterator

import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def nobody_has_tried_yet() -> Iterator[None]:
    """The sign-in throttle counts in the cache, which outlives a test."""
    cache.clear()
    yield
    cache.clear()
