"""The pages that an API error's `type` leads to. For everyone: who meets an error may not be signed in."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from inspector.problem_pages import PROBLEM_PAGES


@require_safe
def problems(request: HttpRequest) -> HttpResponse:
    return render(request, "problems/index.html", {"pages": list(PROBLEM_PAGES.values())})


@require_safe
def problem(request: HttpRequest, slug: str) -> HttpResponse:
    page = PROBLEM_PAGES.get(slug)
    if page is None:
        raise Http404(_("There is no such problem."))
    return render(request, "problems/problem.html", {"page": page})
