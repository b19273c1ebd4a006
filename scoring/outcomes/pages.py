"""What a run came to, as a page and as files: one way for every kind of run."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.common.forms import Filter
from annotation.people import permissions
from annotation.people.permissions import Scope, shows
from evalsite import errors
from scoring.engine import files as run_files
from scoring.engine import queries as run_reading
from scoring.engine.models import Run
from scoring.figures import pages as waiting
from scoring.outcomes import values
from scoring.outcomes.kinds import Opened, OutcomeKind
from scoring.shown import names as banner
from scoring.shown import sheet as shown_sheet
from scoring.shown.sheet import NothingDrawn, stream

PAGE = "scoring/outcomes/outcome.html"
#: While a run is in one of these, more comes in by itself.
MOVING = {Run.State.STAGED, Run.State.RUNNING}
View = Callable[..., HttpResponseBase]


def page(kind: type[OutcomeKind]) -> View:
    """Return the page of an outcome."""

    @shows(permissions.UNBLINDED)
    def view(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
        try:
            reading = kind.allowed(scope, number)
        except errors.Refusal as refusal:
            return closed(request, scope, number, refusal)
        found = Opened(kind(reading, request.GET), timezone.now())
        context = {
            "run": reading.run,
            "reading": reading,
            "kind": found.kind,
            "form": _form(found.kind),
            "main": [one.name for one in found.kind.choices if one.is_main],
            "query": request.GET.urlencode(),
        }
        if wait := waiting.answer(request, list(found.figures.values()), context, page=PAGE):
            return wait
        is_moving = found.kind.asks_again and reading.run.state in MOVING
        context |= {"is_moving": is_moving, "here": request.get_full_path()}
        context |= {"is_ready": True, "outcome": found.outcome, **_files(found, request)}
        return render(request, PAGE, context)

    return view


def table(kind: type[OutcomeKind]) -> View:
    """Return what sends a table of an outcome as CSV; while it is computed, it leads to the page."""

    @shows(permissions.UNBLINDED)
    def view(request: HttpRequest, scope: Scope, number: int, table: str) -> HttpResponseBase:
        found = _ready(kind, request, scope, number)
        if found is None or found.outcome is None:
            return _to_page(kind, request, scope, number)
        if table not in found.outcome.sheets:
            raise Http404(_("There is no such table."))
        note = banner.of_run(found.kind.reading.run)
        lines = values.csv_lines(found.outcome.sheets[table], found.kind.chosen, note)
        return _sent(found, f"{kind.name}-{table}.csv", lines, shown_sheet.CSV)

    return view


def plot(kind: type[OutcomeKind]) -> View:
    """Return what sends an outcome as a drawing; while there is none, it leads to the page."""

    @shows(permissions.UNBLINDED)
    def view(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
        found = _ready(kind, request, scope, number)
        if found is None or found.outcome is None:
            return _to_page(kind, request, scope, number)
        try:
            drawn = found.outcome.drawing(request.GET.get("plot", "")).file()
        except NothingDrawn:
            return _to_page(kind, request, scope, number)
        form = banner.named(f"{kind.name}.svg", banner.of_run(found.kind.reading.run))
        return _sent(found, form, iter([drawn]), shown_sheet.SVG)

    return view


def closed(
    request: HttpRequest, scope: Scope, number: int, refusal: errors.Refusal
) -> HttpResponse:
    """Say why a run may not be read now."""
    context = {"run": run_reading.reading_of(scope, number).run, "refusal": refusal}
    return render(request, "scoring/engine/closed.html", context, status=refusal.status)


def _form(kind: OutcomeKind) -> forms.Form:
    """Return the form of what can be chosen, as it is chosen."""
    fields: dict[str, Any] = {
        one.name: forms.ChoiceField(
            label=str(one.label), required=False, choices=[*one.values.items()]
        )
        for one in kind.choices
    }
    made: type[Filter] = type("ChoiceFilter", (Filter,), fields)
    return made(dict(kind.chosen))


def _files(found: Opened, request: HttpRequest) -> dict[str, Any]:
    """Return where the drawing is, and the title and address of every table."""
    if found.outcome is None:
        return {}
    run = found.kind.reading.run
    query = f"?{request.GET.urlencode()}" if request.GET else ""

    def at(form: str, *more: str) -> str:
        return reverse(f"run_{found.kind.name}_{form}", args=[run.project.slug, run.number, *more])

    def drawn(name: str) -> str:
        asked = request.GET.copy()
        asked["plot"] = name
        return asked.urlencode()

    sheets = found.outcome.sheets.items()
    files = [(one.title, "CSV", f"{at('csv', name)}{query}") for name, one in sheets]
    return {
        "files": [*files, *found.kind.files],
        "plot": f"{at('svg')}{query}",
        "svg": at("svg"),
        "pictures": [(one, drawn(one.name)) for one in found.outcome.pictures],
    }


def _ready(
    kind: type[OutcomeKind], request: HttpRequest, scope: Scope, number: int
) -> Opened | None:
    try:
        reading = kind.allowed(scope, number)
    except errors.Refusal:
        return None
    found = Opened(kind(reading, request.GET), timezone.now())
    return found if found.is_ready else None


def _to_page(
    kind: type[OutcomeKind], request: HttpRequest, scope: Scope, number: int
) -> HttpResponse:
    there = reverse(f"run_{kind.name}", args=[scope.project.slug, number])
    return redirect(f"{there}?{request.GET.urlencode()}" if request.GET else there)


def _sent(found: Opened, form: str, lines: Any, content_type: str) -> HttpResponseBase:
    return stream(
        run_files.export_lines(
            reading=found.kind.reading,
            form=form,
            lines=lines,
            now=timezone.now(),
            content_type=content_type,
        )
    )
