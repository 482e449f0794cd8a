"""Django's system check of the strategies: what cannot be used is said at the start, not by the first request."""

from typing import Any, Final

from django.core import checks
from django.core.exceptions import ImproperlyConfigured

from sessions_app.compression.registry import strategies

UNUSABLE: Final = "compression.E001"


@checks.register
def strategies_can_be_used(**_: Any) -> list[checks.CheckMessage]:
    try:
        strategies()
    except ImproperlyConfigured as e:
        return [checks.Error(str(e), id=UNUSABLE)]
    return []
