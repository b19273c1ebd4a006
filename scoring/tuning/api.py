"""Judges that are tuned, for programs: begin, try versions, look at disagreements, lock and measure."""

from datetime import datetime
from typing import Any

from django.utils import timezone
from rest_framework.response import Response

from annotation.common.sentences import gettext as _
from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite.contract.calls import (
    AFTER,
    INTEGER,
    Query,
    choice,
    contract,
    get,
    listed,
    post,
    taken,
    taken_on,
    whole,
)
from evalsite.contract.shapes import answer, answers, at, maybe, one_of, page, said, shape
from scoring.figures import labels, typed
from scoring.figures.labels import ReadRound
from scoring.figures.typed import KeyNames
from scoring.kinds.judging.models import Tuning
from scoring.tuning import operations
from scoring.tuning import queries as reads
from scoring.tuning.queries import KIND, STRICT
from scoring.tuning.records import TuningAgain, TuningBegin, TuningJudged, TuningMeasure, TuningTry
from scoring.tuning.said import TuningFigure

FIGURE = typed.shape(TuningFigure)
EXAMPLE = shape("TuningExampleOut", response=int, reason=str)
TUNING = shape(
    "Tuning",
    number=int,
    name=str,
    round=at("round.number", int),
    endpoint=at("endpoint.name", str),
    criteria=[str],
    share=int,
    seed=int,
    state=at(
        lambda one: "locked" if one.is_locked else "tuning",
        said(one_of("tuning", "locked"), "A locked one is measured, and never changes again."),
    ),
    locked_version=at(lambda one: one.locked.number if one.locked else None, maybe(int)),
    judge=at(
        lambda one: one.locked.judge.rater_id if one.locked else None,
        said(maybe(int), "The locked judge, by the key of its rater."),
    ),
    created_at=datetime,
    locked_at=maybe(datetime),
)
VERSION = shape(
    "TuningVersion",
    number=at("version.number", int),
    note=at("version.note", str),
    instructions=at("version.instructions", str),
    examples=at("version.examples", [EXAMPLE]),
    run=at("run.number", int),
    run_state=at("run.state", str),
    figure=said(maybe(FIGURE), "On the practice answers; null until it is known."),
)
COURSE = shape(
    "TuningCourse",
    TUNING,
    instructions=said(str, "As they are worked on."),
    examples=[EXAMPLE],
    practice_questions=int,
    held_out_questions=int,
    opened=said(int, "So many tunings measured on some of the questions set aside."),
    practised_elsewhere=said(int, "So many of these were practised on in other tunings."),
    versions=[VERSION],
    measure_run=maybe(int),
    measured=said(maybe(FIGURE), "On the questions set aside; null until it is known."),
    optimism=said({str: maybe(float)}, "By criterion: practice minus set aside."),
)
GIVEN = shape("TuningGrade", value=at(lambda one: float(one.value), float), remarks=[str])
CASE = shape(
    "TuningCase",
    response=at("row.response", int),
    item=at("title", str),
    system=at(lambda one: one.name.text if one.name else "", said(str, "As the round shows it.")),
    question=str,
    answer=str,
    people=at("row.people", float),
    judge=at("row.judge", float),
    gap=at("row.gap", said(float, "Judge minus people, in points of the scale.")),
    grades=at("given", [GIVEN]),
    reason=str,
    right=said(one_of("", "JUDGE", "NEITHER"), "Of one that was set aside."),
    is_example=bool,
)
JUDGED = shape("TuningJudgedOut", response=int, right=str)
MOST = 50
WHICH = ("", STRICT, KIND, "aside")


@contract(
    get(
        page(TUNING), "Return a page of the judges that are tuned, the newest first.", query=[AFTER]
    ),
    post(
        TUNING,
        "Begin to tune a judge: split the questions of a final round.",
        takes=TuningBegin,
        status=201,
    ),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def tunings(request: Any, scope: Scope) -> Response:
    if request.method == "GET":
        return listed(
            request, TUNING, reads.page(scope.project, after=request.GET.get("after", ""))
        )
    wish = taken(TuningBegin, request)
    round_ = reads.rounds(scope).filter(number=wish.round).first()
    if round_ is None:
        words = _("There is no final round of this number that people graded.")
        raise operations.BadTuning(words, fields={"round": [words]})
    made = operations.begin(round_=round_, wish=wish, **scope.who())
    return Response(answer(TUNING, reads.tuning_numbered(scope, made.number)), status=201)


@contract(get(COURSE, "Return a judge that is tuned, with its versions and figures."))
@door(permissions.UNBLINDED)
def tuning(request: Any, scope: Scope, number: int) -> Response:
    return Response(_course(scope, reads.tuning_numbered(scope, number)))


@contract(
    post(COURSE, "Try instructions and examples as a new version.", takes=TuningTry, status=202)
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def tuning_versions(request: Any, scope: Scope, number: int) -> Response:
    found, wish = reads.tuning_numbered(scope, number), taken(TuningTry, request)
    if not found.versions.filter(run__key=wish.key).exists():
        operations.keep(
            tuning=found,
            instructions=wish.instructions or found.instructions,
            examples=wish.examples,
            rev=found.rev,
            **scope.who(),
        )
    operations.try_version(
        tuning=found, key=wish.key, note=wish.note, budget=wish.budget, **scope.who()
    )
    return _taken(scope, number)


@contract(
    get(
        shape("TuningCases", n=int, results=[CASE]),
        "Return the practice answers on which a version and people differ, the widest gap first.",
        query=[
            whole("version", "The newest that has a figure, unless it is said."),
            Query("criterion", "By its key; the first one unless it is said."),
            choice("which", WHICH, "All, those too strict or too kind, or those set aside."),
            Query("after", "How many to leave out, from the widest gap on.", INTEGER),
        ],
    ),
    post(JUDGED, "Set a disagreement aside, or bring it back.", takes=TuningJudged),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def tuning_cases(request: Any, scope: Scope, number: int) -> Response:
    """Return up to 50 disagreements; `n` counts them all."""
    found = reads.tuning_numbered(scope, number)
    if request.method == "POST":
        wish = taken(TuningJudged, request)
        operations.set_aside(tuning=found, response=wish.response, right=wish.right, **scope.who())
        return Response({"response": wish.response, "right": wish.right})
    asked = request.GET
    course = reads.course(found, timezone.now())
    tried = course.version(int(asked["version"]) if asked.get("version") else None)
    figure = tried.figure if tried else None
    of = figure.of(asked.get("criterion") or found.criteria[0]) if figure else None
    if tried is None or of is None:
        said = _(
            "No version has a figure on this criterion yet. Try one, or wait until it is over."
        )
        raise operations.NotTried(said)
    apart = reads.Apartness(ReadRound(scope, found.round), tried, of)
    rows, first = apart.rows(asked.get("which", "")), max(0, int(asked.get("after") or 0))
    cases = apart.read(rows[first : first + MOST])
    return Response({"n": len(rows), "results": answers(CASE, cases)})


@contract(
    post(
        COURSE,
        "Lock a version and measure it, once, on the questions set aside.",
        takes=TuningMeasure,
        status=202,
    )
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def tuning_measure(request: Any, scope: Scope, number: int) -> Response:
    found, wish = reads.tuning_numbered(scope, number), taken(TuningMeasure, request)
    operations.measure(
        tuning=found, number=wish.version, key=wish.key, budget=wish.budget, **scope.who()
    )
    return _taken(scope, number)


@contract(
    post(
        TUNING,
        "Tune on from the version that was locked, with the same split.",
        takes=TuningAgain,
        status=201,
    )
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def tuning_again(request: Any, scope: Scope, number: int) -> Response:
    found, wish = reads.tuning_numbered(scope, number), taken(TuningAgain, request)
    made = operations.go_on(tuning=found, name=wish.name, **scope.who())
    return Response(answer(TUNING, reads.tuning_numbered(scope, made.number)), status=201)


def _taken(scope: Scope, number: int) -> Response:
    found = reads.tuning_numbered(scope, number)
    return taken_on(_course(scope, found), "api_tuning", scope.project.slug, number)


def _course(scope: Scope, tuning: Tuning) -> dict[str, Any]:
    course = reads.course(tuning, timezone.now())
    reading = ReadRound(scope, tuning.round)
    named = KeyNames(labels.labels_of(tuning.round), reading.names)
    return {
        **answer(TUNING, tuning),
        "instructions": tuning.instructions,
        "examples": tuning.examples,
        "practice_questions": course.split.n_practice,
        "held_out_questions": course.split.n_held_out,
        "opened": course.split.n_opened,
        "practised_elsewhere": course.split.n_practised,
        "versions": [answer(VERSION, one, figure=_told(one.figure, named)) for one in course.tried],
        "measure_run": tuning.measure.number if tuning.measure else None,
        "measured": _told(course.held_out, named),
        "optimism": {key: course.optimism(key) for key in tuning.criteria},
    }


def _told(figure: TuningFigure | None, named: KeyNames) -> dict[str, Any] | None:
    return None if figure is None else typed.told(figure, named)
