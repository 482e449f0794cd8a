"""The page that imports a file: first a look at what it would make, then the import."""

from dataclasses import replace

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from inspector.decorators import reason_against, signed_in
from inspector.presenters.imports import FileReport, file_report, import_page
from inspector.refusals import EXPECTED, Refusal, refusal_of
from inspector.requests import InspectorRequest, is_for
from inspector.uploads import SeveralFiles, SizeGuard, TooLarge, guard, sent_file
from inspector.wording import in_words
from sessions_app import engine, interchange
from sessions_app.access.actors import actor_for
from sessions_app.access.roles import Right

WRITING = (engine.Conflict, engine.DatabaseBusy, engine.DatabaseUnavailable)


@csrf_exempt  # `_take` checks the token: that reads the form, whose size must be watched by then
@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def imports(request: InspectorRequest) -> HttpResponse:
    if request.method != "POST":
        return _page(request)
    if why_not := _why_not(request):
        raise PermissionDenied(why_not)
    return _take(request, guard(request))


@csrf_protect
def _take(request: InspectorRequest, size_guard: SizeGuard) -> HttpResponse:
    """A dry run unless the button that imports was pressed. A reload imports again, which makes nothing twice."""
    actor, dry_run = actor_for(request), request.POST.get("act") != "import"
    named = request.POST.get("format") or None
    try:
        source = sent_file(request, "file", size_guard)
        report = interchange.import_file(
            source,
            interchange.Importer(actor.user_id, created_by=actor.label, dry_run=dry_run),
            named=named,
        )
    except EXPECTED as error:
        return _page(request, refusal=_refusal(error, dry_run=dry_run, named=named))
    return _page(request, report=file_report(report, file=source.name))


def _refusal(error: Exception, *, dry_run: bool = True, named: str | None = None) -> Refusal:
    refusal = refusal_of(error)
    if isinstance(error, TooLarge):
        return replace(refusal, title=_("The file is too large"))
    if isinstance(error, SeveralFiles):
        return replace(refusal, title=_("More than one file, or a folder"))
    if isinstance(error, interchange.UnknownFormat) and named:
        return replace(refusal, title=_("The file is not of the format that was chosen"), text=in_words(error.why))
    if isinstance(error, WRITING) and not dry_run:
        # A file may hold many sessions, each of which is written by itself.
        advice = _(
            "Sessions that stand before it in the file may be there already, each of them whole. Import the same file "
            "again in a moment: nothing is made twice."
        )
        return replace(refusal, text="", advice=advice)
    return refusal


def _why_not(request: InspectorRequest) -> str:
    actor = actor_for(request)
    return "" if actor.may(Right.IMPORT) else reason_against(Right.IMPORT, actor.role.value)


def _page(
    request: InspectorRequest, *, report: FileReport | None = None, refusal: Refusal | None = None
) -> HttpResponse:
    is_part = is_for(request, "report")
    page = import_page(
        chosen=request.POST.get("format", ""),
        why_not=_why_not(request),
        too_large=_refusal(TooLarge()),
        several=_refusal(SeveralFiles()),
        report=report,
        refusal=refusal,
    )
    template = "inspector/_import_report.html" if is_part else "inspector/import.html"
    context = {"page": page, "is_part": is_part}
    return render(request, template, context, status=refusal.status if refusal else 200)
