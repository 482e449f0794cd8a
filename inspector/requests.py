from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails


class InspectorRequest(HttpRequest):
    """What the middleware makes of a request."""

    htmx: HtmxDetails


def is_for(request: InspectorRequest, part: str) -> bool:
    """Whether htmx asks for this part of the page alone, named by the id of its element."""
    return bool(request.htmx) and not request.htmx.history_restore_request and request.htmx.target == part
