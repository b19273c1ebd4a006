"""Query parameters that several routes of results take, by what reads them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite.contract.calls import choice, contract, get, post, taken, whole
from evalsite.contract.shapes import (
    FILE,
    AnyOf,
    answer,
    answers,
    at,
    maybe,
    optional,
    rows,
    said,
    shape,
)
from evalsite.web import addresses
from scoring.comments.api import COMMENT
from scoring.figures import api as asking
from scoring.figures import labels as reading
from scoring.figures import typed
from scoring.movement.api import MOVEMENT as MOVED
from scoring.movement.api import said as said_of_movement
from scoring.report import pages as reports
from scoring.report import queries as reporting
from scoring.report import sharing
from scoring.report.models import ReportLink
from scoring.report.of_pairs import report_of
from scoring.report.queries import MOVEMENT, ReportChoice, RoundReport
from scoring.report.sharing import ReportShare
from scoring.results import exports as exporting
from scoring.results import shapes
from scoring.results.agreement import AgreementFigure
from scoring.results.api import TABLE
from scoring.results.queries import PREFERENCES
from scoring.results.raters import RatersFigure
from scoring.stats.people.said import DisputesFigure
from scoring.stats.preferences.said import PreferencesFigure
from scoring.stats.scores.said import PlanFigure

REPORT = (
    choice("annotators", reporting.PEOPLE, "How annotators are called, or that they are left out."),
    choice("comments", (reporting.COMMENTS,), "That the newest comments are in it."),
    whole("before", "The earlier round to compare with, by number."),
    *TABLE,
)


#: What a report leaves out where it leaves annotators out.
PEOPLE = {"agreement": ("pairs", "without"), "disputes": ("annotators", "places")}
EVERY: Mapping[str, Any] = {
    **shapes.READY,
    "is_final": bool,
    "is_partial": bool,
    "agreement": typed.shape(AgreementFigure, "ReportAgreement", PEOPLE["agreement"]),
    "disputes": typed.shape(DisputesFigure, "ReportDisputes", PEOPLE["disputes"]),
    "plan": typed.shape(PlanFigure, "ReportPlan"),
    "comments": [shape("ReportComment", COMMENT, annotator=optional(str))],
    "movement": [MOVED],
    "methods_text": [shape("MethodText", of=str, text=str)],
    "settings": [shape("ReportSetting", setting=str, value=str)],
    "versions": [shape("ReportVersion", of=str, value=str)],
}
OF_GRADES = shape(
    "Report",
    **EVERY,
    **shapes.SCORE_PARTS,
    annotators=optional(typed.shape(RatersFigure, "ReportAnnotators")),
)
OF_PAIRS = shape(
    "ReportOfPairs",
    _text="Of a round of pairs: preferences in the place of scores.",
    **EVERY,
    round=shapes.HEAD,
    preferences=typed.shape(PreferencesFigure, "ReportPreferences"),
)
#: The computed parts of the report: their name, the figure and its type.
PARTS: Mapping[str, tuple[str, type[Any]]] = {
    "preferences": (PREFERENCES, PreferencesFigure),
    "agreement": ("agreement", AgreementFigure),
    "disputes": ("disputes", DisputesFigure),
    "annotators": ("raters", RatersFigure),
    "plan": ("plan", PlanFigure),
}


@contract(get(AnyOf((OF_GRADES, OF_PAIRS)), query=REPORT, figure=True))
@door(permissions.UNBLINDED)
def report(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return the report of a round; 202 while any of its figures is computed."""
    ready = _ready(request, scope, number)
    return ready if isinstance(ready, Response) else Response(_said(ready))


@contract(get(FILE, query=REPORT, figure=True))
@door(permissions.UNBLINDED)
def report_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Stream every table of the report as one; 202 while any of its figures is computed."""
    ready = _ready(request, scope, number)
    if isinstance(ready, Response):
        return ready
    return exporting.sent(ready.choice.mine, "report.csv", ready.sheet().lines())


LINK = shape(
    "ReportLink",
    id=at("pk", int),
    whom=str,
    works=bool,
    names=bool,
    annotators=at(lambda link: link.query.get("annotators", ["numbers"])[-1], str),
    created_at=datetime,
    expires_at=datetime,
    revoked_at=maybe(datetime),
    seen_at=maybe(datetime),
    seen=at("n_seen", int),
)


@contract(
    get(rows(LINK), "Return the links to a report: all that work, and the newest others."),
    post(
        shape("ReportLinkMade", LINK, url=said(str, "Told this once: only its hash is kept.")),
        "Make a link by which somebody without an account reads the report of a final round.",
        takes=ReportShare,
        status=201,
        query=[one for one in REPORT if one.name != "annotators"],
    ),
)
@door(permissions.OWNERS)
def report_links(request: Any, scope: Scope, number: int) -> Response:
    mine, now = reading.allowed(scope, number), timezone.now()
    if request.method == "GET":
        listed = sharing.listed(mine.round, now)
        return Response({"results": [answer(LINK, one, works=works) for one, works in listed]})
    wish = taken(ReportShare, request)
    query = dict(request.GET.lists())
    made, token = sharing.share(mine=mine, wish=wish, query=query, by=scope.user, now=now)
    url = addresses.of_site(request) + reverse("report_shared", args=[token])
    return Response({**answer(LINK, made, works=True), "url": url}, status=201)


@contract(post(LINK, "Take a link to a report back."))
@door(permissions.OWNERS)
def report_link_revoke(request: Any, scope: Scope, number: int, pk: int) -> Response:
    rows = ReportLink.objects.filter(round__project=scope.project, round__number=number)
    link = get_object_or_404(rows, pk=pk)
    sharing.revoke(link=link, **scope.who())
    return Response(answer(LINK, link, works=False))


def _ready(request: HttpRequest, scope: Scope, number: int) -> RoundReport | Response:
    mine = reading.allowed(scope, number)
    choice = reporting.read_report_choice(mine, dict(request.GET.lists()))
    if choice.problem:
        raise reporting.BadReport(choice.problem)
    figures = reports.collect(choice=choice, now=timezone.now())
    for one in sorted(figures.values(), key=lambda one: not one.will_not_come):
        if wait := asking.waiting(request, one):
            return wait
    return report_of(choice, figures)


def _head(made: RoundReport) -> dict[str, Any]:
    """Return what a report says of its round and its scores."""
    shown = made.choice.mine.shown
    if made.is_of_pairs:
        return {"state": "ready", "names_shown": shown, "round": answer(shapes.HEAD, made.round)}
    return shapes.results(made.round, made.result, made.figures[made.main], names_shown=shown)


def _said(made: RoundReport) -> dict[str, Any]:
    choice = made.choice
    return {
        **_head(made),
        "as_of": made.as_of,
        "is_final": made.is_final,
        "is_partial": made.is_partial,
        **_parts(made),
        "comments": _comments(made),
        "movement": [_moved(choice, made, one.system.pk) for one in choice.moved],
        "methods_text": [{"of": one.title, "text": one.text} for one in made.methods],
        "settings": [{"setting": title, "value": value} for title, value in made.settings],
        "versions": [{"of": title, "value": value} for title, value in made.versions],
    }


def _comments(made: RoundReport) -> list[dict[str, object]]:
    hidden = set() if made.choice.with_people else {"annotator"}
    return [
        {name: value for name, value in one.items() if name not in hidden}
        for one in answers(COMMENT, made.comments)
    ]


def _parts(made: RoundReport) -> dict[str, Any]:
    parts = {}
    for key, (name, kind) in PARTS.items():
        if name not in made.figures:
            continue
        source = made.source(name)
        parts[key] = typed.told(source.read(kind), source.named)
    if made.choice.with_people:
        return parts
    parts.pop("annotators", None)
    for one in parts.get("preferences", {}).get("criteria", ()):
        one["annotators"] = []
    for key, people in PEOPLE.items():
        for name in people:
            del parts[key][name]
    return parts


def _moved(choice: ReportChoice, made: RoundReport, system: int) -> dict[str, Any]:
    chosen = next(one for one in choice.moved if one.system.pk == system)
    return said_of_movement(chosen, made.figures[f"{MOVEMENT} {system}"], choice.mine.scope)
