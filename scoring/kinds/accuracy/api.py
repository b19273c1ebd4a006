"""Query parameters that several routes of results take, by what reads them."""

from typing import Any

from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite.contract.calls import choice, contract, get, post
from evalsite.contract.shapes import maybe, said, shape
from scoring.endpoints import queries as connections
from scoring.engine.api import ESTIMATE, StartIn
from scoring.engine.api import JudgeRunOut as RunOut
from scoring.engine.forms import LARGEST_SEED
from scoring.figures import api as asking
from scoring.figures.api import DIFFERENCE, MEAN, _explained
from scoring.kinds.accuracy import operations as accuracy
from scoring.kinds.accuracy import queries as quiz_options
from scoring.kinds.accuracy.operations import MOST_ORDERS, MOST_QUESTIONS, MOST_SHOTS, Wish
from scoring.kinds.accuracy.pages import SETTINGS
from scoring.kinds.accuracy.queries import Board
from scoring.kinds.interviews import queries as interview_choice
from scoring.kinds.interviews.operations import LANGUAGES
from scoring.shown import names as banner

QUIZ = tuple(
    choice(name, tuple(known), _explained(known)) for name, known in quiz_options.AXES.items()
)


class QuizIn(StartIn):
    """Who chooses among which options. With `estimate` nothing is started."""

    over = serializers.CharField(max_length=40)
    releases = serializers.ListField(
        child=serializers.IntegerField(max_value=LARGEST_SEED), allow_empty=False, max_length=100
    )
    questions = serializers.IntegerField(
        min_value=1, max_value=MOST_QUESTIONS, allow_null=True, default=None
    )
    orders = serializers.IntegerField(min_value=1, max_value=MOST_ORDERS, default=1)
    shots = serializers.IntegerField(min_value=0, max_value=MOST_SHOTS, default=0)
    examples_over = serializers.CharField(max_length=40, default="", allow_blank=True)
    language = serializers.ChoiceField(choices=LANGUAGES, default="auto")


CHOICES = shape(
    "AccuracyChoices", over=[str], releases=[shape("AskedRelease", release=int, name=str)]
)
ACCURACY = shape(
    "Accuracies",
    note=str,
    rule=str,
    unread=str,
    systems=[str],
    results=[
        shape(
            "Accuracy",
            system=str,
            dataset=str,
            order=str,
            accuracy=maybe(float),
            low=maybe(float),
            high=maybe(float),
            n=int,
            n_asked=int,
            reason=maybe(str),
            rule=str,
            unread=str,
            note=str,
        )
    ],
    candidates=[int],
    datasets=[str],
    accuracy=[shape("SystemAccuracy", overall=MEAN, datasets=[MEAN])],
    orders=said([[MEAN]], "By system, and by order of the options."),
    pairs=[DIFFERENCE],
    facts=[
        shape(
            "AccuracyFacts",
            release=int,
            n=int,
            n_replies=int,
            n_unread=int,
            n_system_failed=int,
            n_machinery_failed=int,
            places=said([int], "How often the option at each place was chosen."),
        )
    ],
    n_questions=int,
    resamples=int,
    seed=maybe(int),
    method=str,
    test=maybe(str),
)


@api_view(["GET", "POST"])
@contract(
    get(CHOICES, "Return the sources of questions and the systems, for accuracy."),
    post(
        RunOut,
        "Estimate what measuring accuracy would take, or start it.",
        takes=QuizIn,
        status=201,
        also={200: shape("AccuracyEstimate", ESTIMATE, questions=int, without_options=int)},
    ),
)
@door(permissions.CURATORS)
def start(request: Any, scope: Scope) -> Response:
    """Return where questions can come from and who can be asked; POST estimates or starts."""
    ready = [one.release for one in connections.of_project(scope.project) if one.is_ready]
    if request.method == "GET":
        sources = interview_choice.sources(scope.project)
        return Response(
            {
                "over": [
                    interview_choice.BANK,
                    *(key for _sort, rows in sources for key, _name in rows),
                ],
                "releases": [{"release": one.pk, "name": str(one)} for one in ready],
            }
        )
    sent = QuizIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given, now = sent.validated_data, timezone.now()
    known = {one.pk for one in ready}
    chosen = [one for one in given["releases"] if one in known]
    wish = Wish(**{name: given[name] for name in SETTINGS} | {"releases": chosen})
    if given["estimate"]:
        checked = accuracy.check(project=scope.project, wish=wish, now=now)
        found = checked.found
        counts = {"questions": len(found.items), "without_options": found.n_without}
        return Response({**counts, **checked.estimate.as_dict()})
    run = accuracy.start(
        project=scope.project,
        wish=wish,
        key=given["key"],
        name=given["name"],
        user=scope.user,
        now=now,
        budget=given["budget"],
    )
    return Response(RunOut(run).data, status=201)


#: What the API hands on as it was computed; systems go by their place in `systems`.
OPEN = (
    "candidates",
    "datasets",
    "accuracy",
    "orders",
    "pairs",
    "facts",
    "n_questions",
    "resamples",
    "seed",
    "method",
    "test",
)


@api_view(["GET"])
@contract(
    get(ACCURACY, query=QUIZ, figure=True),
)
@door(permissions.UNBLINDED)
def results(request: Any, scope: Scope, number: int) -> Response:
    """Return the accuracy of every system under the rule in the address."""
    reading = quiz_options.allowed(scope, number)
    options = quiz_options.of_params(request.GET.dict())
    figure = accuracy.figure_of(run=reading.run, options=options, now=timezone.now())
    if wait := asking.waiting(request, figure):
        return wait
    board = Board(figure.data or {}, options, reading)
    return Response(
        {
            "note": banner.of_run(reading.run),
            **options.params,
            "systems": board.names,
            "results": list(board.records()),
            **{name: board.data[name] for name in OPEN},
        }
    )
