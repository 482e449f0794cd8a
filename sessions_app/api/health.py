"""Is the process up, and can it do its work? For whoever watches it; neither says anything about any session."""

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path

from sessions_app.api.methods import only_get
from sessions_app.api.problems import problem_response


@only_get
def healthz(request: HttpRequest) -> HttpResponse:
    """The process is up."""
    return JsonResponse({"status": "ok"})


@only_get
def readyz(request: HttpRequest) -> HttpResponse:
    """The database answers and its migrations are done."""
    try:
        executor = MigrationExecutor(connection)
        waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return problem_response("database-unavailable", headers={"Retry-After": "5"})
    if waiting:
        detail = f"{len(waiting)} migrations are still to be run: manage.py migrate"
        return problem_response("database-unavailable", detail=detail, headers={"Retry-After": "5"})
    return JsonResponse({"status": "ready"})


urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
]
