"""The schema, and a page to browse it that needs no other host and no inline script."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import ensure_csrf_cookie
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiJsonRenderer2
from drf_spectacular.views import SpectacularAPIView

from sessions_app.api.methods import only_get


class SchemaView(SpectacularAPIView):
    """OpenAPI 3.1 as JSON. Public: it tells of no session."""

    renderer_classes = [OpenApiJsonRenderer2, OpenApiJsonRenderer]


@only_get
@ensure_csrf_cookie
def docs_page(request: HttpRequest) -> HttpResponse:
    """Swagger UI from the package's own files. "Try it out" uses the browser's login, so the page sets the CSRF
    cookie.
    """
    return render(request, "api/docs.html")
