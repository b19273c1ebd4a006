"""The study sheet of a round as a page and as Markdown, what is said of studies, and the bundle."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.common import forms as refusals
from annotation.common.forms import RecordForm
from annotation.people import permissions
from annotation.people.permissions import Scope, asks, shows
from annotation.rounds.models import Round
from evalsite import errors
from evalsite.records import plain
from scoring.figures import pages as waiting
from scoring.figures.labels import ReadRound, of_reading
from scoring.figures.models import Figure
from scoring.figures.pages import like_this
from scoring.report import pages as reports
from scoring.report import queries as reporting
from scoring.report.of_pairs import report_of
from scoring.results import exports as exporting
from scoring.results.facts import around
from scoring.study import operations, packing, queries
from scoring.study.queries import Sheet
from scoring.study.records import Study

#: No annotator is told from another one.
ASKED = {"annotators": ["none"]}
MARKDOWN, ZIP = "text/markdown; charset=utf-8", "application/zip"


class StudyForm(RecordForm, record=Study):
    """What is said of a study; `base` is the version that was on the page."""

    base = forms.IntegerField(widget=forms.HiddenInput, required=False, min_value=0)

    @property
    def study(self) -> Study:
        return Study(**{name: one for name, one in self.cleaned_data.items() if name != "base"})


@shows(permissions.UNBLINDED)
def study_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show the study sheet of a final round."""
    mine = of_reading(scope, number)
    context = around(mine, "study") | {"may_edit": scope.may(permissions.CURATORS)}
    if closed := waiting.closed(request, mine, context):
        return closed
    page = "scoring/study/study.html"
    if mine.round.state != Round.State.FINAL:
        return render(request, page, context | {"is_early": True})
    figures = reports.collect(choice=reporting.read_report_choice(mine, ASKED), now=timezone.now())
    if wait := waiting.answer(request, list(figures.values()), context, page=page):
        return wait
    return render(request, page, context | {"sheet": sheet_of(mine, figures)})


@shows(permissions.UNBLINDED)
def study_markdown(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send the sheet as Markdown; while its figures are computed, go to the page."""
    sheet = _ready(scope, number)
    if sheet is None:
        return _back(request, scope, number)
    return exporting.sent(sheet.mine, "study.md", iter([sheet.markdown]), MARKDOWN)


@shows(permissions.UNBLINDED)
def study_bundle(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Stream the bundle; while its figures are computed, go to the page."""
    sheet = _ready(scope, number)
    if sheet is None:
        return _back(request, scope, number)
    lines = bundle_of(sheet, with_texts=request.GET.get("texts") == "1")
    return exporting.sent(sheet.mine, "bundle.zip", lines, ZIP)


def bundle_of(sheet: Sheet, *, with_texts: bool) -> Iterator[bytes]:
    """Return the bundle of a round, some bytes at a time."""
    held = packing.contents(
        sheet.mine, markdown=sheet.markdown, sheet=sheet.as_json, with_texts=with_texts
    )
    return packing.packed(held)


@asks(permissions.CURATORS)
def study_edit(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Ask what is said of this round's study, where it is otherwise than of the others."""
    mine = of_reading(scope, number)
    return _asked(
        request, scope, mine.round, like_this(request, "study", scope.project.slug, number)
    )


@asks(permissions.CURATORS)
def settings_study(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Ask what is said of the studies of a project."""
    return _asked(request, scope, None, "")


def _asked(request: HttpRequest, scope: Scope, round_: Round | None, back_url: str) -> HttpResponse:
    held = queries.held(scope.project, round_)
    initial = {
        **plain(queries.said_of(scope.project, round_)),
        "base": held.number if held else 0,
    }
    form = StudyForm(request.POST if request.method == "POST" else None, initial=initial)
    if round_ is not None:
        for name, text in plain(queries.said_of(scope.project, None)).items():
            form.fields[name].widget.attrs["placeholder"] = text
    status = refusals.status_of(form)
    if form.is_valid():
        with refusals.shown(form) as refused:
            base = form.cleaned_data["base"] or 0
            operations.answer(round_=round_, study=form.study, base=base, **scope.deed())
            messages.success(request, _("Saved."))
            return redirect(back_url or request.path)
        status = refused.status
    context: dict[str, Any] = {"form": form, "round": round_, "back_url": back_url}
    return render(request, "scoring/study/study_edit.html", context, status=status)


def _ready(scope: Scope, number: int) -> Sheet | None:
    """Return the sheet of a round; None if it is not final, not theirs, or not computed."""
    try:
        mine = queries.allowed(scope, number)
    except errors.Refusal:
        return None
    figures = reports.collect(choice=reporting.read_report_choice(mine, ASKED), now=timezone.now())
    if any(one.state != Figure.State.READY for one in figures.values()):
        return None
    return sheet_of(mine, figures)


def _back(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    return redirect(like_this(request, "study", scope.project.slug, number))


def sheet_of(mine: ReadRound, figures: dict[str, Figure]) -> Sheet:
    """Return the sheet of figures that are ready."""
    return Sheet(mine, report_of(reporting.read_report_choice(mine, ASKED), figures))
