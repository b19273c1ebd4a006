"""Agreement, disputes, annotators and plan of a round: pages of its results.

* Tables and plots of a round's results, and of a movement, as files.
"""

from collections.abc import Callable, Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone

from annotation.people import permissions
from annotation.people.permissions import Scope, shows
from evalsite import errors
from scoring.figures import cells as references
from scoring.figures import labels, typed
from scoring.figures import operations as figures
from scoring.figures import pages as waiting
from scoring.figures.labels import ReadRound
from scoring.figures.models import Figure
from scoring.figures.pages import like_this
from scoring.results import agreement, disputes, model, pictures, plan, raters, sheets
from scoring.results import asked as results
from scoring.results.agreement import AgreementFigure
from scoring.results.asked import AskedSettings, FigureSource
from scoring.results.exports import sent
from scoring.results.facts import around
from scoring.results.pictures import PICTURES
from scoring.results.preferred import sheets as grades
from scoring.results.preferred.board import PreferenceBoard
from scoring.results.queries import (
    BESIDE_GRADES,
    PREFERENCES,
    NamesApart,
    NoGrades,
    grades_beside,
    round_beside,
)
from scoring.results.raters import RatersFigure
from scoring.shown import sheet as shown_sheet
from scoring.shown.sheet import NothingDrawn
from scoring.stats.claims import Claim
from scoring.stats.people.said import DisputesFigure
from scoring.stats.preferences.said import GradesBesideFigure
from scoring.stats.scores.said import ModelFigure, PlanFigure, WholeFigure

Make = Callable[[ReadRound, Mapping[str, Any]], Mapping[str, Any]]


def _show(
    request: HttpRequest,
    scope: Scope,
    number: int,
    tab: str,
    name: str,
    wish: AskedSettings,
    make: Make,
    page: str = "",
) -> HttpResponse:
    """Show a figure on its tab, or how far it is; a page that waits asks again by itself."""
    mine = labels.of_reading(scope, number)
    context: dict[str, Any] = {
        **around(mine, tab),
        "tab": tab,
        "typed": wish.typed,
        "query": request.GET.urlencode(),
    }
    if shut := waiting.closed(request, mine, context):
        return shut
    now = timezone.now()
    figure = figures.get(name=name, round_=mine.round, params=wish.params, now=now)
    if wait := waiting.answer(request, [figure], context, page="scoring/results/results_wait.html"):
        return wait
    context["figure"] = figure
    context |= make(mine, figure.data or {})
    return render(request, f"scoring/results/{page or tab}.html", context)


@shows(permissions.UNBLINDED)
def agreement_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show how far annotators agree, by capability and criterion, pair, and without each."""

    def make(mine: ReadRound, data: Mapping[str, Any]) -> Mapping[str, Any]:
        source = FigureSource(mine.round, data, labels.labels_of(mine.round), mine.names)
        found = agreement.RoundAgreement(source.read(AgreementFigure), source.labels, source.names)
        found.members = wish.params.get("groups", {})
        return {
            "agreement": found,
            "verdict": found.verdict,
            "conventions": references.BANDS.values(),
            "few": agreement.FEW,
            "kappas": agreement.KAPPAS.items(),
            "groups": wish.params.get("groups", {}),
            "apart": found.apart(mine.names),
            "problem": problem,
        }

    groups = labels.of_reading(scope, number).groups
    problem = ""
    try:
        wish = results.of_agreement(request.GET.dict(), groups)
    except errors.Refusal as refusal:
        wish, problem = results.of_agreement({}, groups), refusal.message
    return _show(request, scope, number, "results_agreement", agreement.FIGURE, wish, make)


@shows(permissions.UNBLINDED)
def disputes_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show who stands alone where and which questions divide, by the rules in the address."""
    wish, problem = _rules(request, scope)

    def make(mine: ReadRound, data: Mapping[str, Any]) -> Mapping[str, Any]:
        found = disputes.Disputes(
            typed.read_figure(DisputesFigure, data), labels.labels_of(mine.round)
        )
        found.texts = disputes.asked(mine.round, [one.question for one in found.questions])
        return {
            "disputes": found,
            "verdict": found.verdict,
            "rater_rules": disputes.RATER_RULES.items(),
            "question_rules": disputes.QUESTION_RULES.items(),
            "few": disputes.FEW,
            "problem": problem,
            "rules_query": "" if problem else request.GET.urlencode(),
        }

    return _show(request, scope, number, "results_disputes", disputes.FIGURE, wish, make)


@shows(permissions.UNBLINDED)
def dispute_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show all grades of the disputed responses of a question, or of a cell of the heat map."""
    wish, _problem = _rules(request, scope)

    def make(mine: ReadRound, data: Mapping[str, Any]) -> Mapping[str, Any]:
        named = labels.labels_of(mine.round)
        found = disputes.Disputes(typed.read_figure(DisputesFigure, data), named)
        query = {key: request.GET.get(key, "") for key in ("question", "rater", "capability")}
        rows = found.places(**query)
        return {
            "disputes": found,
            "query": query,
            "rater_name": named.rater(query["rater"]) if query["rater"] else "",
            "capability_name": named.capability(query["capability"]) if query["capability"] else "",
            "n": len(rows),
            "most": disputes.PLACES,
            "places": disputes.opened(mine.round, rows[: disputes.PLACES], named, mine.names),
        }

    return _show(request, scope, number, "results_dispute", disputes.FIGURE, wish, make)


@shows(permissions.UNBLINDED)
def annotators_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show severity with fair scores, steadiness, drift, pace beside disputes, effect of position."""
    if labels.of_reading(scope, number).round.of_pairs:
        return _choosers_page(request, scope, number)

    def make(mine: ReadRound, data: Mapping[str, Any]) -> Mapping[str, Any]:
        source = FigureSource(mine.round, data, labels.labels_of(mine.round), mine.names)
        found = raters.Raters(source.read(RatersFigure), source.labels, mine.names)
        return {
            "raters": found,
            "verdict": found.verdict,
            "pictures": {"tempo": pictures.picture_of("tempo", source)},
        }

    wish = results.of_annotators(labels.of_reading(scope, number).groups)
    return _show(request, scope, number, "results_annotators", raters.FIGURE, wish, make)


def _choosers_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show how each annotator of a round of pairs chose."""
    mine = labels.of_reading(scope, number)
    chosen = results.lenient(mine, dict(request.GET.lists()))

    def make(_mine: ReadRound, data: Mapping[str, Any]) -> Mapping[str, Any]:
        found = PreferenceBoard(chosen, data, request.GET.dict(), Claim.OTHERS)
        return {"board": found, "problem": chosen.problem}

    wish = AskedSettings(chosen.preferences)
    return _show(
        *(request, scope, number, "results_annotators", PREFERENCES, wish, make),
        page="choosers",
    )


@shows(permissions.UNBLINDED)
def beside_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show how often people chose the answer that was graded better in another round."""
    mine = labels.of_reading(scope, number)
    if not mine.round.of_pairs:  # here nobody chose
        return redirect("results", scope.project.slug, number)
    context = around(mine, "results_beside")
    if shut := waiting.closed(request, mine, context):
        return shut
    problem, known = "", grades_beside(mine)
    try:
        try:
            other, known = round_beside(mine, request.GET.get("other", ""))
        except NoGrades as refusal:
            problem = refusal.message
            if not known:
                context |= {"problem": problem}
                return render(request, "scoring/results/results_beside.html", context)
            other, known = round_beside(mine, "")
    except NamesApart as apart:
        context |= {"other": apart.hidden, "known": known, "problem": problem, "is_hidden": True}
        return render(request, "scoring/results/results_beside.html", context)

    def make(mine: ReadRound, data: Mapping[str, Any]) -> Mapping[str, Any]:
        read = typed.read_figure(GradesBesideFigure, data)
        named = labels.labels_of(mine.round)
        found = grades.GradesBoard(read, named, mine.names, request.GET.get("criterion", ""))
        found.texts = grades.texts(mine.round, found)
        return {
            "beside": found,
            "verdict": found.title,
            "other": other,
            "known": known,
            "problem": problem,
        }

    wish = AskedSettings({"rounds": [other.number]}, {"other": str(other.number)})
    return _show(request, scope, number, "results_beside", BESIDE_GRADES, wish, make)


@shows(permissions.UNBLINDED)
def plan_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show how many questions and annotators the next round needs for what the address asks."""
    round_ = labels.of_reading(scope, number).round
    problem = ""
    try:
        wish = results.of_plan(request.GET.dict(), round_)
    except errors.Refusal as refusal:
        wish, problem = results.of_plan({}, round_), refusal.message

    def make(mine: ReadRound, data: Mapping[str, Any]) -> Mapping[str, Any]:
        source = FigureSource(mine.round, data, labels.labels_of(mine.round), mine.names)
        return {
            "plan": plan.NextRoundPlan(source.read(PlanFigure), mine.names),
            "pictures": {"curve": pictures.picture_of("curve", source)},
            "problem": problem,
        }

    return _show(request, scope, number, "results_plan", plan.FIGURE, wish, make)


@shows(permissions.UNBLINDED)
def model_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show what a mixed model says of the grades that the address looks at, beside their scores."""
    if labels.of_reading(scope, number).round.of_pairs:  # there is no grade to model
        return redirect("results", scope.project.slug, number)
    chosen = results.lenient(labels.of_reading(scope, number), dict(request.GET.lists()))

    def make(mine: ReadRound, data: Mapping[str, Any]) -> Mapping[str, Any]:
        return {
            "model": model.Model(typed.read_figure(ModelFigure, data), mine.names),
            "problem": chosen.problem,
        }

    return _show(
        request, scope, number, "results_model", model.FIGURE, AskedSettings(chosen.params), make
    )


@shows(permissions.UNBLINDED)
def whole_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show the scores over all outputs that a round was drawn from, beside those of the chosen ones."""
    if labels.of_reading(scope, number).round.of_pairs:  # there is no score
        return redirect("results", scope.project.slug, number)

    def make(mine: ReadRound, data: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"whole": model.MixedModel(typed.read_figure(WholeFigure, data), mine.names)}

    wish = results.wish(model.WHOLE, labels.of_reading(scope, number), {})
    return _show(request, scope, number, "results_whole", model.WHOLE, wish, make)


def _rules(request: HttpRequest, scope: Scope) -> tuple[AskedSettings, str]:
    """Return the rules that were asked for; where they cannot be used, the usual ones and why."""
    try:
        return results.of_disputes(request.GET.dict(), scope.project), ""
    except errors.Refusal as refusal:
        return results.of_disputes({}, scope.project), refusal.message


@shows(permissions.UNBLINDED)
def sheet_csv(request: HttpRequest, scope: Scope, number: int, table: str) -> HttpResponseBase:
    """Stream a table as CSV; while its figure is computed, go to the tab that waits for it."""
    mine = labels.of_reading(scope, number)
    known = sheets.kinds(mine.round)
    if table not in known:
        raise Http404
    kind = known[table]
    found = _source(request, scope, number, kind.figure)
    if not isinstance(found, FigureSource):
        return found
    return sent(mine, f"{table}.csv", kind.make(found).lines())


@shows(permissions.UNBLINDED)
def picture_svg(request: HttpRequest, scope: Scope, number: int, plot: str) -> HttpResponseBase:
    """Send a plot as SVG; while its figure is computed, go to the tab that waits for it."""
    if plot not in PICTURES:
        raise Http404
    kind = PICTURES[plot]
    found = _source(request, scope, number, kind.figure)
    if not isinstance(found, FigureSource):
        return found
    try:
        drawn = kind.make(found).file()
    except NothingDrawn:
        return redirect(results.PAGES[kind.figure], scope.project.slug, number)  # it says why
    mine = labels.of_reading(scope, number)
    return sent(mine, f"{plot}.svg", iter([drawn]), shown_sheet.SVG)


def _source(
    request: HttpRequest, scope: Scope, number: int, name: str
) -> FigureSource | HttpResponseBase:
    """Return a figure that is ready; else the way to the tab that waits, or says why it will not."""
    there = like_this(request, results.PAGES[name], scope.project.slug, number)
    try:
        mine = labels.allowed(scope, number)
        wish = results.wish(name, mine, dict(request.GET.lists()))
    except errors.Refusal:
        return redirect(there)
    figure = figures.get(name=name, round_=mine.round, params=wish.params, now=timezone.now())
    if figure.state != Figure.State.READY:
        return redirect(there)
    return FigureSource(mine.round, figure.data or {}, labels.labels_of(mine.round), mine.names)
