"""What inspection shows: figures of designers, reasons, the retraining list; the checklist itself."""

import csv
import io
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation import permissions
from annotation.forms import checklists as forms
from annotation.forms import refusals
from annotation.forms.refusals import status_of
from annotation.operations.bank import inspecting, retraining
from annotation.permissions import Scope, door
from annotation.queries import inspection_figures as reads
from annotation.queries import inspections, projects
from annotation.rules import checklists, sheets
from annotation.rules.inspections import Spell
from evalsite import errors

COLUMNS = (
    "designer",
    "submitted",
    "decided",
    "returned",
    "return_rate",
    "first_decisions",
    "accepted_at_once",
    "hours_to_decision_median",
    "n_decisions",
    "hours_to_mend_median",
    "n_mended",
)


@require_GET
@door(permissions.BANK)
def inspection_figures(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show the figures: everybody's to curators, to others their own."""
    return _figures(request, scope, forms.LimitForm(initial={"percent": _limit(scope)}))


@require_POST
@door(permissions.BANK, permissions.CURATORS)
def retraining_limit(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Set the share of returns above which a designer stands on the list."""
    form = forms.LimitForm(request.POST)
    if form.is_valid():
        retraining.set_limit(
            project=scope.project,
            percent=form.cleaned_data["percent"],
            by=scope.user,
            now=timezone.now(),
        )
        messages.success(request, _("The limit is set."))
        return redirect("inspection_figures", scope.project.slug)
    return _figures(request, scope, form)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def retraining_settle(request: HttpRequest, scope: Scope, person: str) -> HttpResponse:
    """Take a designer off the retraining list, with a note on what was done."""
    designer = get_object_or_404(projects.members_of(scope.project), public_id=person)
    form = forms.SettleForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            retraining.settle(
                project=scope.project,
                designer=designer,
                note=form.cleaned_data["note"],
                by=scope.user,
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            done = _("%(name)s is off the list.") % {"name": designer.display_name}
            messages.success(request, done)
            return redirect("inspection_figures", scope.project.slug)
    entries = reads.retraining(scope.project)
    context = {
        "scope": scope,
        "designer": designer,
        "form": form,
        "entry": next((one for one in entries if one.designer == designer), None),
    }
    return render(request, "annotation/retraining.html", context, status=status_of(form))


@require_GET
@door(permissions.BANK)
def inspection_figures_csv(request: HttpRequest, scope: Scope) -> HttpResponse:
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(COLUMNS)
    period = forms.PeriodFilter(request.GET)
    for line in reads.lines(scope.project, _whose(scope), period.since(timezone.now())):
        table.writerow(_row(line))
    name = f"{scope.project.slug}-inspection.csv"
    return HttpResponse(
        text.getvalue(),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@require_http_methods(["GET", "POST"])
@door(permissions.INSPECTORS, permissions.CURATORS)
def checklist(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show the checklist with its history; curators write the next version of it."""
    now = timezone.now()
    current = inspecting.current_checklist(project=scope.project, now=now)
    may_edit = scope.may(permissions.CURATORS)
    editor = forms.Editor(current, request.POST if request.method == "POST" else None)
    if editor.is_sent:
        try:
            made = inspecting.save_checklist(
                project=scope.project,
                lines=editor.lines(),
                base=inspections.checklist_of(scope.project, editor.base) or current,
                by=scope.user,
                now=now,
            )
        except errors.Refusal as refusal:
            editor.show(refusal)
        else:
            said = _("The checklist is saved as version %(n)d.") % {"n": made.number}
            messages.success(request, said)
            return redirect("checklist", scope.project.slug)
    versions = inspections.checklists_of(scope.project)
    context = {
        "scope": scope,
        "editor": editor,
        "current": current,
        "may_edit": may_edit,
        "history": _history(versions),
        "reasons": [(key, _(text)) for key, text in checklists.REASONS.items()],
    }
    return render(
        request, "annotation/checklist.html", context, status=422 if editor.problems else 200
    )


def _figures(request: HttpRequest, scope: Scope, form: Any) -> HttpResponse:
    whose = _whose(scope)
    period = forms.PeriodFilter(request.GET)
    since = period.since(timezone.now())
    reasons = reads.reasons(scope.project, whose, since)
    may_curate = whose is None
    lines = reads.lines(scope.project, whose, since)
    context = {
        "scope": scope,
        "is_bare": not lines and not reads.lines(scope.project, whose),
        "lines": [
            {
                "line": one,
                "rate": _percent(one.figures.n_returned, one.figures.n_decided),
                "at_once": _percent(one.figures.n_at_once, one.figures.n_first),
                "inspecting": _spoken(one.figures.inspecting),
                "mending": _spoken(one.figures.mending),
            }
            for one in lines
        ],
        "reasons": [
            {"text": _(checklists.REASONS.get(one.reason, one.reason)), "share": one}
            for one in reasons
        ],
        "most": reasons[0].n if reasons else 1,
        "n_reasons": sum(one.n for one in reasons),
        "entries": reads.retraining(scope.project) if may_curate else [],
        "settled": reads.settled_entries(scope.project) if may_curate else [],
        "limit": _limit(scope),
        "period": period,
        "query": f"?{request.GET.urlencode()}" if request.GET else "",
        "form": form,
        "may_curate": may_curate,
        "may_inspect": scope.may(permissions.INSPECTORS),
    }
    return render(request, "annotation/inspection_figures.html", context, status=status_of(form))


def _whose(scope: Scope) -> Any:
    return None if scope.may(permissions.CURATORS) else scope.user


def _limit(scope: Scope) -> int:
    return reads.limit_of(scope.project)


def _percent(part: int, whole: int) -> str:
    return f"{round(100 * part / whole)} %" if whole else ""


def _spoken(spell: Spell) -> str:
    """Say a spell of time in hours or days, as one would."""
    if spell.median is None:
        return ""
    hours = spell.median / timedelta(hours=1)
    if hours < 1:
        return _("under an hour")
    if hours < 48:
        return ngettext("%(n)d hour", "%(n)d hours", round(hours)) % {"n": round(hours)}
    return _("%(n)d days") % {"n": round(hours / 24)}


def _hours(spell: Spell) -> str:
    return "" if spell.median is None else f"{spell.median / timedelta(hours=1):.2f}"


def _row(line: reads.Line) -> list[Any]:
    found = line.figures
    rate = found.return_rate
    return [
        sheets.neutral(str(line.designer.display_name)),
        found.n_submitted,
        found.n_decided,
        found.n_returned,
        "" if rate is None else f"{rate:.4f}",
        found.n_first,
        found.n_at_once,
        _hours(found.inspecting),
        found.inspecting.n,
        _hours(found.mending),
        found.mending.n,
    ]


def _history(versions: list[Any]) -> list[dict[str, Any]]:
    """Return the versions, the newest first, each with what changed since the one before."""
    older = [*versions[1:], None]
    return [
        {"version": one, "changes": forms.changes(before, one) if before else []}
        for one, before in zip(versions, older, strict=True)
    ]
