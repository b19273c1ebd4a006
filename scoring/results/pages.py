"""Results and grades of a round as files.

* The list of rounds that have results; every grade of one; names and figures asked for.
* The scores of a round: the page, its breakdown, and the grades behind a cell.
* What scoring puts into the named slots of annotation's pages.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.db.models import Count, Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.grading import facts as grade_table
from annotation.people import permissions
from annotation.people.permissions import Scope, does, shows
from annotation.rounds import drafting as unblinding
from annotation.rounds import queries as rounds
from annotation.rounds.models import Round, RoundSystem
from evalsite import errors
from evalsite.web import keyset
from scoring.figures import labels, typed
from scoring.figures import operations as figures
from scoring.figures import pages as waiting
from scoring.figures.labels import ReadRound
from scoring.figures.models import Figure
from scoring.figures.pages import like_this
from scoring.figures.selection import FACETS
from scoring.figures.weights import PREFIX
from scoring.results import agreement, asked, disputes, exports, facts, graded, model
from scoring.results import cells as breakdown
from scoring.results import queries as results
from scoring.results import sheets as sheets_of_scores
from scoring.results.agreement import AgreementFigure
from scoring.results.asked import Cut, FigureSource
from scoring.results.board import ResultsBoard
from scoring.results.facts import ResultFact, around, tabs
from scoring.results.preferred import board
from scoring.results.preferred import sheets as of_pairs
from scoring.results.queries import PREFERENCES, RoundResult, grades_beside
from scoring.shown.sheet import stream
from scoring.stats.claims import Claim
from scoring.stats.people.said import DisputesFigure


@shows(permissions.UNBLINDED)
def grades(request: HttpRequest, scope: Scope, number: int, form: str) -> HttpResponseBase:
    """Stream the grades of a round; systems go by numbers while their names are hidden."""
    try:
        mine = labels.allowed(scope, number)
    except errors.Refusal:
        return redirect("results", scope.project.slug, number)  # that page says why
    return stream(exports.export_grades(reading=mine, form=form, now=timezone.now()))


@shows(permissions.UNBLINDED)
def results_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send the scores and accuracies with their intervals; while they are computed, the page."""
    page = like_this(request, "results", scope.project.slug, number)
    try:
        mine = labels.allowed(scope, number)
        chosen = asked.read_cut(mine, dict(request.GET.lists()))
    except errors.Refusal:
        return redirect(page)
    now = timezone.now()
    if mine.round.of_pairs:
        return _preferences_csv(mine, chosen, page, "results.csv")
    figure = figures.get(name=results.FIGURE, round_=mine.round, params=chosen.params, now=now)
    if figure.state != Figure.State.READY or figure.data is None:
        return redirect(page)
    said = [
        *(f"{title}: {value}" for title, value in chosen.said()),
        model.sample_words(mine.round),
    ]
    filters = "; ".join(filter(None, said))
    lines = exports.score_lines(chosen.result(figure.data), filters)
    return exports.sent(mine, "results.csv", lines)


@shows(permissions.UNBLINDED)
def breakdown_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send every cell of capability, difficulty and area; while they are computed, the page."""
    page = like_this(request, "results_breakdown", scope.project.slug, number)
    try:
        mine = labels.allowed(scope, number)
        chosen = asked.read_cut(mine, dict(request.GET.lists()))
    except errors.Refusal:
        return redirect(page)
    now = timezone.now()
    if mine.round.of_pairs:
        return _preferences_csv(mine, chosen, page, "breakdown.csv")
    figure = figures.get(
        name=breakdown.FIGURE, round_=mine.round, params=breakdown.params(chosen), now=now
    )
    if figure.state != Figure.State.READY or figure.data is None:
        return redirect(page)
    sheet = sheets_of_scores.parts(breakdown.Breakdown(figure.data, chosen), chosen)
    return exports.sent(mine, "breakdown.csv", sheet.lines())


def _preferences_csv(mine: ReadRound, chosen: Cut, page: str, form: str) -> HttpResponseBase:
    """Send the rates of systems, or of their parts; while they are computed, the page."""
    figure = figures.get(
        name=PREFERENCES, round_=mine.round, params=chosen.preferences, now=timezone.now()
    )
    if figure.state != Figure.State.READY:
        return redirect(page)
    source = FigureSource(mine.round, figure.data or {}, chosen.labels, chosen.names)
    make = of_pairs.strengths if form == "results.csv" else of_pairs.parts
    return exports.sent(mine, form, make(source).lines())


@shows(permissions.UNBLINDED)
def items_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Stream the grades behind a cell; where the address names none, the page says so."""
    try:
        mine = labels.allowed(scope, number)
        query = dict(request.GET.lists())
        cell = graded.cell(asked.read_cut(mine, query), query)
    except errors.Refusal:
        return redirect(like_this(request, "results_items", scope.project.slug, number))
    sheet = sheets_of_scores.grades(cell, with_people=scope.may(permissions.CURATORS))
    return exports.sent(mine, "cell.csv", sheet.lines())


@shows(permissions.UNBLINDED)
def insight(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List the rounds that have results."""
    page = labels.page(scope.project, after=request.GET.get("after", ""))
    context = {
        "lines": labels.lines(page.rows),
        **keyset.links(request.GET, page),
    }
    return render(request, "scoring/results/insight.html", context)


@does(permissions.UNBLINDED)
def show_names(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show this person the names of the systems from now on."""
    try:
        mine = labels.allowed(scope, number)
        unblinding.show_names(round_=mine.round, **scope.who())
    except errors.Refusal as refusal:
        messages.error(request, str(refusal))
    return _back(request, scope, number)


@does(permissions.UNBLINDED)
def compute_again(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Try the figures of the round that could not be computed once more."""
    try:
        mine = labels.allowed(scope, number)
    except errors.Refusal as refusal:
        messages.error(request, str(refusal))
    else:
        figures.ask_again(round_=mine.round, now=timezone.now())
        messages.info(request, _("Recomputing."))
    return _back(request, scope, number)


@shows(permissions.UNBLINDED)
def results_table(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show the four-dimensional table, wide, some questions a page."""
    try:
        mine = labels.allowed(scope, number)
    except errors.Refusal:
        return redirect("results", scope.project.slug, number)
    page = exports.page(mine.round, after=request.GET.get("after", ""))
    items = [place.item_id for place in page.rows]
    known = grade_table.facts([mine.round], items=items)
    context = {
        "round": mine.round,
        "reading": mine,
        "names": list(mine.names.values()),
        "lines": exports.lines(exports.wide_rows(known, items), mine.names),
        **keyset.links(request.GET, page),
    }
    return render(request, "scoring/results/results_table.html", context)


def _back(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Return to where the button stands, or to the scores where the form does not say."""
    to = request.POST.get("next", "")
    if to.startswith("/") and url_has_allowed_host_and_scheme(to, allowed_hosts=None):
        return redirect(to)
    return redirect("results", scope.project.slug, number)


FIGURES = ("score", "accuracy")
#: Pages that the facts on top of the scores lead to.
LED_TO = ("results_items", "results_table", "results_agreement", "results_disputes")
BREAKDOWN = "results_breakdown"
#: In the address of a cell: that it stands in the breakdown.
FROM = f"{graded.PREFIX}breakdown"


def _chosen(
    request: HttpRequest, mine: ReadRound, tab: str, context: dict[str, Any]
) -> tuple[Cut, HttpResponse | None]:
    """Return the cut in the address; with a redirect where the same cut has a shorter one."""
    query = dict(request.GET.lists())
    chosen = asked.lenient(mine, query)
    pairs = [(name, text) for name, texts in query.items() for text in texts]
    others = [pair for pair in pairs if not _is_ours(pair[0])]
    own = [pair for pair in pairs if _is_ours(pair[0])]
    if not chosen.problem and sorted(own) != sorted(chosen.pairs):
        shorter = urlencode([*chosen.pairs, *others])
        return chosen, redirect(f"{request.path}?{shorter}" if shorter else request.path)
    context |= {
        "cut": chosen,
        "others": others,
        "others_query": urlencode(others),
        "tabs": tabs(mine.scope.project, mine.round, tab, query=chosen.query),
        "drill": _drill(mine, chosen, others, tab),
        "claim_queries": _claim_queries(chosen, others),
    }
    return chosen, None


def _claim_queries(chosen: Cut, others: list[tuple[str, str]]) -> dict[str, str]:
    """Return by claim the query of the same page that shows it; the widest needs no word."""
    rest = [*chosen.pairs, *(pair for pair in others if pair[0] != "claim")]
    return {
        Claim.OTHERS.value: urlencode(rest),
        Claim.THESE.value: urlencode([*rest, ("claim", Claim.THESE.value)]),
    }


def _is_ours(name: str) -> bool:
    return name in FACETS or name in {"margin", "way"} or name.startswith(PREFIX)


def _drill(mine: ReadRound, chosen: Cut, others: list[tuple[str, str]], tab: str) -> str:
    """Return the beginning of the address of a cell's grades; the cell comes behind it."""
    url = reverse("results_items", args=[mine.scope.project.slug, mine.round.number])
    kept = urlencode([*chosen.pairs, *others, *([(FROM, "1")] if tab == BREAKDOWN else [])])
    return f"{url}?{kept}&" if kept else f"{url}?"


@shows(permissions.UNBLINDED)
def round_results(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show the results of a round, or how far they are; a page that waits asks again by itself."""
    mine = labels.of_reading(scope, number)
    context = around(mine, "results")
    if shut := waiting.closed(request, mine, context):
        return shut
    chosen, shorter = _chosen(request, mine, "results", context)
    if shorter:
        return shorter
    if mine.round.of_pairs:
        return _preferences(request, mine, chosen, context)
    figure = figures.get(
        name=results.FIGURE, round_=mine.round, params=chosen.params, now=timezone.now()
    )
    others = _others(mine)  # asked for before the wait, so that one wait is enough
    if wait := waiting.answer(request, [figure], context, page="scoring/results/scores_wait.html"):
        return wait
    context |= {"figure": figure, **content(request, mine, chosen, figure, others)}
    return render(request, "scoring/results/results.html", context)


def _preferences(
    request: HttpRequest, mine: ReadRound, chosen: Cut, context: dict[str, Any]
) -> HttpResponse:
    """Show who was preferred in a round of pairs."""
    figure = figures.get(
        name=PREFERENCES, round_=mine.round, params=chosen.preferences, now=timezone.now()
    )
    others = _others(mine)
    if wait := waiting.answer(request, [figure], context, page="scoring/results/scores_wait.html"):
        return wait
    claim = Claim.THESE if request.GET.get("claim") == Claim.THESE else Claim.OTHERS
    found = board.PreferenceBoard(chosen, figure.data or {}, request.GET.dict(), claim)
    context |= {
        "figure": figure,
        "board": found,
        "result": found,
        "title": found.title,
        "subtitle": found.subtitle,
        "facts": [] if found.is_empty else _facts_of_pairs(mine, chosen, found, others),
        "has_grades": bool(grades_beside(mine)),
    }
    return render(request, "scoring/results/preferences.html", context)


def _facts_of_pairs(
    mine: ReadRound, chosen: Cut, found: board.PreferenceBoard, data: Mapping[str, Any]
) -> list[ResultFact]:
    """Return what preferences are based on, each a link."""
    at = {name: reverse(name, args=[mine.scope.project.slug, mine.round.number]) for name in LED_TO}
    made = [facts.chosen(found.n_questions, found.based_on, at["results_items"])]
    made += _agreed(data, chosen, at)
    if planned := found.covered:
        made.append(facts.share_of(*planned))
    return made


def _agreed(data: Mapping[str, Any], chosen: Cut, at: Mapping[str, str]) -> list[ResultFact]:
    """Return how far annotators agree and what is in dispute, as far as that is computed.

    Both are of the whole round: where only a part of it is looked at, they say so.
    """
    alpha, n, named = None, None, chosen.labels
    if agreed := data.get(agreement.FIGURE):
        read = typed.read_figure(AgreementFigure, agreed)
        alpha = agreement.RoundAgreement(read, named).overall.alpha
    if disputed := data.get(disputes.FIGURE):
        n = disputes.Disputes(typed.read_figure(DisputesFigure, disputed), named).n_in_dispute
    made = [
        facts.agreed(alpha, at["results_agreement"]),
        facts.disputed(n, at["results_disputes"]),
    ]
    return [facts.of_the_round(one) for one in made] if chosen.chips else made


def content(
    request: HttpRequest, mine: ReadRound, chosen: Cut, figure: Figure, others: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what the page shows of a figure that is ready."""
    claim = Claim.THESE if request.GET.get("claim") == Claim.THESE else Claim.OTHERS
    board = ResultsBoard(chosen, figure.data or {}, request.GET.dict(), claim)
    result = board.result
    return {
        "result": result,
        "board": board,
        "drawn_from": model.drawn_from(mine.round),
        "title": facts.title(result, board),
        "subtitle": facts.subtitle(result),
        "facts": _facts(mine, chosen, result, others)
        if board.labels or not result.is_empty
        else [],
    }


def _others(mine: ReadRound) -> dict[str, Any]:
    """Return what the other figures of the page hold, by name, as far as they are ready."""
    wanted = {
        agreement.FIGURE: asked.of_agreement({}, mine.groups).params,
        disputes.FIGURE: asked.of_disputes({}, mine.round.project).params,
    }
    known = {
        name: figures.get(name=name, round_=mine.round, params=params, now=timezone.now())
        for name, params in wanted.items()
    }
    return {name: one.data for name, one in known.items() if one.state == Figure.State.READY}


def _facts(
    mine: ReadRound, chosen: Cut, result: RoundResult, data: Mapping[str, Any]
) -> list[ResultFact]:
    """Return what the scores are based on, each a link."""
    at = {name: reverse(name, args=[mine.scope.project.slug, mine.round.number]) for name in LED_TO}
    behind = "results_table" if result.is_empty else "results_items"
    made = [
        facts.questions(result, at[behind], rounds.graded_parts(mine.round)),
        *_agreed(data, chosen, at),
        facts.covered(result, "#coverage"),
    ]
    return [one for one in made if one is not None]


@shows(permissions.UNBLINDED)
def breakdown_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show scores or accuracies by capability, difficulty and area, with group rows."""
    mine = labels.of_reading(scope, number)
    if mine.round.of_pairs:  # its results have all parts
        return redirect(like_this(request, "results", scope.project.slug, number))
    context = around(mine, BREAKDOWN)
    if shut := waiting.closed(request, mine, context):
        return shut
    chosen, shorter = _chosen(request, mine, BREAKDOWN, context)
    if shorter:
        return shorter
    figure = figures.get(
        name=breakdown.FIGURE,
        round_=mine.round,
        params=breakdown.params(chosen),
        now=timezone.now(),
    )
    if wait := waiting.answer(request, [figure], context, page="scoring/results/scores_wait.html"):
        return wait
    context |= {"figure": figure, **_parts(request, chosen, figure)}
    return render(request, "scoring/results/results_breakdown.html", context)


def _parts(request: HttpRequest, chosen: Cut, figure: Figure) -> dict[str, Any]:
    wanted = request.GET.get("figure", "")
    kind = wanted if wanted in FIGURES else FIGURES[0]
    table = breakdown.Breakdown(figure.data or {}, chosen)
    places = chosen.selection.ground.places()
    of = breakdown.chosen_release(request.GET.get("of", ""), table.names, places)
    numbers = {pk: place for place, pk in places.items()}
    return {
        "breakdown": table,
        "kind": kind,
        "of": of,
        "systems": [(numbers[name.release], name) for name in table.names],
        "lines": table.lines(kind),
        "cross": table.cross(kind, of.release) if of and table.has_cross else [],
    }


@shows(permissions.UNBLINDED)
def items_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """List the items behind a cell, each with all grades, reasons and times."""
    mine = labels.of_reading(scope, number)
    context = around(mine, "results")
    if shut := waiting.closed(request, mine, context):
        return shut
    chosen = asked.lenient(mine, dict(request.GET.lists()))
    problem = chosen.problem
    try:
        cell = graded.cell(chosen, dict(request.GET.lists()))
    except graded.BadCell as refusal:
        cell, problem = graded.cell(chosen, {}), refusal.message
    page = graded.page(cell, after=request.GET.get("after", ""))
    n = graded.items(cell).count()
    context |= {
        "cut": chosen,
        "cell": cell,
        "problem": problem,
        "n": n,
        "count_text": _n_items(mine, n),
        "lines": graded.lines(cell, page.rows, with_people=scope.may(permissions.CURATORS)),
        "back": _back_to_scores(request, scope, number),
        "csv_query": urlencode([*chosen.pairs, *cell.pairs]),
        **keyset.links(request.GET, page),
    }
    return render(request, "scoring/results/results_items.html", context)


def _n_items(mine: ReadRound, n: int) -> str:
    if mine.round.of_pairs:
        return ngettext("%(n)d pair of answers", "%(n)d pairs of answers", n) % {"n": n}
    return ngettext("%(n)d question", "%(n)d questions", n) % {"n": n}


def _back_to_scores(request: HttpRequest, scope: Scope, number: int) -> str:
    """Return the page that the cell stands on, as it was: without the cell."""
    kept = request.GET.copy()
    name = BREAKDOWN if FROM in kept else "results"
    for key in list(kept):
        if key.startswith(graded.PREFIX) or key == "after":
            del kept[key]
    url = reverse(name, args=[scope.project.slug, number])
    return f"{url}?{kept.urlencode()}" if kept else url


def menu() -> list[tuple[Any, ...]]:
    """Return the entries of the menu: key, label, name of the address, icon, who sees it, its pages.

    The results of a round stand below the round's address, and belong to the insight.
    """
    pages = "/p/*/rounds/*/results/*"
    return [
        ("judges", gettext_lazy("Judges"), "judges", "judges", permissions.UNBLINDED),
        ("runs", gettext_lazy("Runs"), "runs", "runs", permissions.UNBLINDED),
        ("suites", gettext_lazy("Suites"), "suites", "comment", permissions.UNBLINDED),
        ("insight", gettext_lazy("Insight"), "insight", "results", permissions.UNBLINDED, pages),
    ]


def menu_under() -> list[tuple[Any, ...]]:
    """Return what stands under the entries of the menu: key of the entry, label, address, who sees it."""
    return [
        ("judges", gettext_lazy("Judges"), "judges", permissions.UNBLINDED),
        ("judges", gettext_lazy("Judges vs people"), "judges_people", permissions.UNBLINDED),
        ("judges", gettext_lazy("Evaluation tasks"), "fusion_tasks", permissions.UNBLINDED),
        ("judges", gettext_lazy("Endpoints"), "endpoints", permissions.UNBLINDED),
        ("suites", gettext_lazy("Suites"), "suites", permissions.UNBLINDED),
        ("suites", gettext_lazy("Conversations"), "conversations", permissions.UNBLINDED),
        ("settings", gettext_lazy("Help with drafting"), "settings_drafting", permissions.OWNERS),
    ]


def menu_elsewhere() -> list[tuple[str, str, str]]:
    """Return pages whose address does not tell their entry: a pattern, key of the entry, its place."""
    pages = ("pairs", "together", "fewer", "*/people/*")
    return [
        (f"/p/*/judges/{page}{'' if page.endswith('*') else '/'}", "judges", "judges_people")
        for page in pages
    ]


def home(*, scope: Scope, found: dict[str, Any], **_context: Any) -> SafeString | None:
    """Show the newest rounds with results to those who may read them."""
    if not scope.may(permissions.UNBLINDED):
        return None
    lines = labels.newest(scope.project)
    if not lines:
        return None
    context = {"scope": scope, "lines": lines, "latest": _latest(scope, found)}
    return render_to_string("scoring/results/parts/home.html", context)


def home_facts(*, scope: Scope, found: dict[str, Any], **_context: Any) -> list[ResultFact] | None:
    """Say which system scored highest in the latest result, and how far its annotators agree."""
    latest = _latest(scope, found) if scope.may(permissions.UNBLINDED) else None
    if latest is None:
        return None
    board, at = latest["board"], [scope.project.slug, latest["round"].number]
    of_pairs = latest["round"].of_pairs
    made = [facts.highest(board, reverse("results", args=at), of_pairs=of_pairs)]
    agreed = _agreement(latest["reading"])
    if agreed is not None:
        made.append(facts.agreed(agreed, reverse("results_agreement", args=at)))
    return [one for one in made if one is not None]


def _agreement(mine: ReadRound) -> agreement.AgreementValue | None:
    """Return how far the annotators of a round agree over everything, once it is computed."""
    params = asked.of_agreement({}, mine.groups).params
    now = timezone.now()
    figure = figures.get(name=agreement.FIGURE, round_=mine.round, params=params, now=now)
    if figure.state != Figure.State.READY or not figure.data:
        return None
    return agreement.of_everything(typed.read_figure(AgreementFigure, figure.data))


def _latest(scope: Scope, found: dict[str, Any]) -> dict[str, Any] | None:
    """Return the latest result, read once for all that shows it."""
    if "latest" not in found:
        found["latest"] = _read_latest(scope)
    latest: dict[str, Any] | None = found["latest"]
    return latest


def _read_latest(scope: Scope) -> dict[str, Any] | None:
    """Return the scores of the newest final round that somebody may read, once they are computed.

    One that compares systems goes before one of a single system.
    """
    graded = labels.graded(scope.project).filter(state=Round.State.FINAL).values("pk")
    several = (
        RoundSystem.objects.filter(round=OuterRef("pk")).values("round").annotate(n=Count("pk"))
    )
    final = labels.readable(scope).filter(pk__in=graded)
    compares = final.annotate(compares=Exists(several.filter(n__gt=1)))
    newest = compares.order_by("-compares", "-number").first()
    if newest is None:
        return None
    newest.project = scope.project
    mine = ReadRound(scope, newest)
    chosen = asked.lenient(mine, {})
    now = timezone.now()
    name, wanted = results.FIGURE, chosen.params
    if newest.of_pairs:
        name, wanted = PREFERENCES, chosen.preferences
    figure = figures.get(name=name, round_=newest, params=wanted, now=now)
    if figure.state != Figure.State.READY or not figure.data:
        _agreement(mine)  # both are asked for at once
        return None
    if newest.of_pairs:
        shown = board.PreferenceBoard(chosen, figure.data, {}, Claim.OTHERS)
        return {"round": newest, "reading": mine, "board": shown, "title": shown.title}
    found = ResultsBoard(chosen, figure.data, {}, Claim.OTHERS)
    title = facts.title(found.result, found)
    return {"round": newest, "reading": mine, "board": found, "title": title}


def domain_scores(*, scope: Scope, **_context: Any) -> dict[int, str] | None:
    """Return the scores by subject area of the newest final round, for who may read results."""
    if not scope.may(permissions.UNBLINDED):
        return None
    graded = labels.with_results(scope.project).filter(of_pairs=False)
    final = graded.filter(state=Round.State.FINAL)
    newest = final.order_by("-number").first()
    if newest is None:
        return None
    figure = figures.get(name="domains", round_=newest, params={}, now=timezone.now())
    if figure.state != Figure.State.READY or figure.data is None:
        return None
    return {int(pk): f"{row['score']:.0f}" for pk, row in figure.data.items()}


def of_round(*, scope: Scope, round: Round, **_context: Any) -> SafeString | None:
    """Lead from the page of a round to its results."""
    if not scope.may(permissions.UNBLINDED) or round.state == Round.State.DRAFT:
        return None
    if round.kind == Round.Kind.TRIAL:
        return None  # its report stands in place of results
    return render_to_string("scoring/results/parts/round.html", {"scope": scope, "round": round})
