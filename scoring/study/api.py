"""The study sheet, what is said of studies, and the bundle, for programs."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from annotation.rounds.models import Round
from evalsite.contract.calls import choice, contract, get, post, taken
from evalsite.contract.shapes import FILE, one_of, said, shape
from evalsite.kinds import Whole
from evalsite.records import plain, values
from scoring.figures import api as asking
from scoring.figures.labels import of_reading
from scoring.report import pages as reports
from scoring.report import queries as reporting
from scoring.results import exports as exporting
from scoring.study import operations, pages, queries
from scoring.study.queries import KNOWN, SAID, UNSAID, Sheet
from scoring.study.records import Study

SHEET = shape(
    "StudySheet",
    project=str,
    round=int,
    title=str,
    parts=[
        shape(
            "StudyPart",
            key=str,
            title=str,
            lines=[
                shape(
                    "StudyLine",
                    key=str,
                    title=str,
                    text=str,
                    source=said(one_of(KNOWN, SAID, UNSAID), "Where it comes from."),
                )
            ],
            tables=[shape("StudyTable", title=str, columns=[str], rows=[[str]], note=str)],
        )
    ],
)
ANSWERS = shape(
    "StudyAnswersSet",
    Study,
    version=said(int, "0: nobody has said anything. A change names it as `base`."),
)
TEXTS = choice("texts", ("1",), "That the texts of questions and answers are in it.")


@dataclass(frozen=True, kw_only=True)
class StudyIn(Study):
    """What is left out stays as it is; `base` is the version that was read."""

    component: ClassVar[str] = "StudyAnswers"

    base: Annotated[int, Whole()]


@contract(get(SHEET, figure=True))
@door(permissions.UNBLINDED)
def study(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return the study sheet of a final round; 202 while a figure in it is computed."""
    ready = _ready(request, scope, number)
    return ready if isinstance(ready, Response) else Response(ready.as_json)


@contract(get(FILE, figure=True))
@door(permissions.UNBLINDED)
def study_markdown(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Return the study sheet as Markdown; 202 while a figure in it is computed."""
    ready = _ready(request, scope, number)
    if isinstance(ready, Response):
        return ready
    return exporting.sent(ready.mine, "study.md", iter([ready.markdown]), pages.MARKDOWN)


@contract(get(FILE, query=(TEXTS,), figure=True))
@door(permissions.UNBLINDED)
def study_bundle(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Stream the bundle of a final round; 202 while a figure of its sheet is computed."""
    ready = _ready(request, scope, number)
    if isinstance(ready, Response):
        return ready
    lines = pages.bundle_of(ready, with_texts=request.GET.get("texts") == "1")
    return exporting.sent(ready.mine, "bundle.zip", lines, pages.ZIP)


@contract(
    get(ANSWERS, "Return what is said of a round's study otherwise than of the project's."),
    post(ANSWERS, "Say it; an empty text leaves what is said of the project.", takes=StudyIn),
)
@door(permissions.CURATORS)
def study_answers(request: Any, scope: Scope, number: int) -> Response:
    return _answers(request, scope, of_reading(scope, number).round)


@contract(
    get(ANSWERS, "Return what is said of the studies of a project."),
    post(ANSWERS, "Say it.", takes=StudyIn),
)
@door(permissions.CURATORS)
def settings_study(request: Any, scope: Scope) -> Response:
    return _answers(request, scope, None)


def _answers(request: Any, scope: Scope, round_: Round | None) -> Response:
    if request.method == "POST":
        given = taken(StudyIn, request, onto=queries.said_of(scope.project, round_))
        said_now = Study(**values(given, Study))
        operations.answer(round_=round_, study=said_now, base=given.base, **scope.deed())
    held = queries.held(scope.project, round_)
    shown = plain(queries.said_of(scope.project, round_))
    return Response({"version": held.number if held else 0, **shown})


def _ready(request: HttpRequest, scope: Scope, number: int) -> Sheet | Response:
    mine = queries.allowed(scope, number)
    figures = reports.collect(
        choice=reporting.read_report_choice(mine, pages.ASKED), now=timezone.now()
    )
    for one in sorted(figures.values(), key=lambda one: not one.will_not_come):
        if wait := asking.waiting(request, one):
            return wait
    return pages.sheet_of(mine, figures)
