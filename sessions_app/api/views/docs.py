"""The schema, and a page to browse it that needs no other host and no inline script."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiJsonRenderer2
from drf_spectacular.views import SpectacularAPIView


class SchemaView(SpectacularAPIView):
    """OpenAPI 3.1 as JSON. Public: it tells of no session."""

    renderer_classes = [OpenApiJsonRenderer2, OpenApiJsonRenderer]


@require_safe
@ensure_csrf_cookie
def docs_page(request: HttpRequest) -> HttpResponse:
    """Swagger UI from the package's own files. "Try it out" uses the browser's login, so the page sets the CSRF
    cookie.
    """
    return render(request, "api/docs.html")
