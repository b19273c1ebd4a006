"""Dialogues as files by API: out of a run, and into one.

* Query parameters that several routes of results take, by what reads them.
* Interviews as JSON: what can be chosen, and starting them.
* Several evaluators of the same dialogues as JSON, and having dialogues judged again.
"""

from typing import Any

from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.decorators import api_view, parser_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.response import Response

from annotation.imports import wholes
from annotation.imports.api import FILE_READ, told
from annotation.people import permissions
from annotation.people.middleware import in_steps
from annotation.people.permissions import Scope, door
from evalsite.contract.calls import (
    AFTER,
    Body,
    choice,
    contract,
    get,
    of_form,
    post,
    readable,
    taken_on,
)
from evalsite.contract.shapes import ANYTHING, FILE, maybe, page, said, shape
from evalsite.web import keyset
from scoring.endpoints import queries as connections
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine import files as run_exporting
from scoring.engine.api import ESTIMATE, StartIn
from scoring.engine.api import JudgeRunOut as RunOut
from scoring.engine.forms import LARGEST_SEED
from scoring.figures import api as asking
from scoring.figures import operations as figures
from scoring.figures.api import DIFFERENCE, INTERVAL, NUMBER, VALUE, WHY, _explained
from scoring.kinds.interviews import exchange, rejudging
from scoring.kinds.interviews import operations as interview_starting
from scoring.kinds.interviews import queries as interviews
from scoring.kinds.interviews import results as interview_voices
from scoring.kinds.interviews.evaluators import Board as InterviewEvaluatorsBoard
from scoring.kinds.interviews.exchange import Wish
from scoring.kinds.interviews.files import MOST_EXCHANGES, Source
from scoring.kinds.interviews.forms import SETTINGS, DialogueFilter
from scoring.kinds.interviews.models import Exchange
from scoring.kinds.interviews.operations import DECISIONS, LANGUAGES, MOST_QUESTIONS, PRIORS
from scoring.kinds.interviews.operations import MOST_EXCHANGES as MOST_INTERVIEW_EXCHANGES
from scoring.kinds.interviews.operations import Wish as InterviewsWish
from scoring.kinds.interviews.queries import Line
from scoring.kinds.interviews.rejudging import MOST
from scoring.kinds.interviews.rejudging import Wish as InterviewEvaluatorsWish
from scoring.kinds.interviews.results import Board
from scoring.shown import names as banner
from scoring.shown import sheet as shown_sheet


class DialoguesIn(Body):
    """A file, and what it may not say itself: whose dialogues, who judged, how many exchanges."""

    key = serializers.UUIDField()
    file = serializers.FileField()
    name = serializers.CharField(max_length=120)
    system = serializers.CharField(max_length=200, default="", allow_blank=True)
    release = serializers.CharField(max_length=120, default="1")
    evaluator = serializers.CharField(max_length=120, default="Evaluator of the file")
    dataset = serializers.CharField(max_length=120, default="", allow_blank=True)
    planned = serializers.IntegerField(min_value=1, max_value=MOST_EXCHANGES, default=5)


@in_steps
@api_view(["POST"])
@contract(
    post(RunOut, takes=DialoguesIn, status=201, also={202: FILE_READ}),
)
@parser_classes([MultiPartParser])
@door(permissions.CURATORS)
def bring_in(request: Any, scope: Scope) -> Response:
    """Import a file of dialogues (multipart/form-data) as a finished run; a large one by a worker."""
    sent = DialoguesIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given = sent.validated_data
    source = Source(**{name: given[name] for name in Source.__dataclass_fields__})
    file, now = given["file"], timezone.now()
    wish = Wish(given["name"], file.name, source, given["evaluator"])
    what: Any = {"project": scope.project, "key": given["key"], "wish": wish, "now": now}
    if wholes.is_large(file, file.size):
        upload = exchange.hand_in_dialogues(**what, pieces=file.chunks(), by=scope.user)
        return taken_on(told(upload), "api_import_file", scope.project.slug, upload.number)
    run = exchange.bring_in(**what, data=file.read(), user=scope.user)
    return Response(RunOut(run).data, status=201)


@api_view(["GET"])
@contract(
    get(FILE),
)
@door(permissions.UNBLINDED)
def archive(request: Any, scope: Scope, number: int) -> StreamingHttpResponse:
    """Send the dialogues of a run as an archive with a manifest."""
    reading = interview_voices.allowed(scope, number)
    now = timezone.now()
    export = run_exporting.export_lines(
        reading=reading,
        form="dialogues.zip",
        lines=exchange.archive(reading.run, now),
        now=now,
        content_type=shown_sheet.ZIP,
    )
    return StreamingHttpResponse(
        export.lines, content_type=export.content_type, headers=export.headers
    )


#: Axes by which verdicts become scores; the first value of each is the usual one.
PROFILE = tuple(
    choice(name, tuple(known), _explained(known)) for name, known in interview_voices.AXES.items()
)
VOTE = choice("vote", tuple(interview_voices.VOTES), "How a panel votes.")


class InterviewsIn(StartIn):
    """Who is interviewed about what: `evaluator` is a judge's key, or `evaluator_endpoint` makes one.

    With `estimate` nothing is started.
    """

    over = serializers.CharField(max_length=40)
    releases = serializers.ListField(
        child=serializers.IntegerField(max_value=LARGEST_SEED), allow_empty=False, max_length=100
    )
    interactor = serializers.CharField(max_length=80)
    evaluator = serializers.IntegerField(required=False, allow_null=True, max_value=LARGEST_SEED)
    evaluator_endpoint = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=80
    )
    reference_visible = serializers.BooleanField(default=False)
    questions = serializers.IntegerField(
        min_value=1, max_value=MOST_QUESTIONS, allow_null=True, default=None
    )
    planned = serializers.IntegerField(min_value=1, max_value=MOST_INTERVIEW_EXCHANGES, default=5)
    mark_but_continue = serializers.BooleanField(default=False)
    prior = serializers.ChoiceField(choices=PRIORS, default="neutral")
    decision = serializers.ChoiceField(choices=DECISIONS, default="text")
    verify = serializers.BooleanField(default=False)
    temperature = serializers.FloatField(min_value=0, max_value=2, default=0.0)
    language = serializers.ChoiceField(choices=LANGUAGES, default="auto")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if (attrs.get("evaluator") is None) == (not attrs["evaluator_endpoint"]):
            message = _("Name an evaluator, or an endpoint that one is made of.")
            raise serializers.ValidationError({"evaluator": [message]})
        return attrs


CHOICES = shape(
    "InterviewChoices",
    over=[shape("InterviewSource", over=str, name=str)],
    releases=[shape("ReadyRelease", release=int, name=str)],
    evaluators=[shape("EvaluatorName", evaluator=int, name=str)],
    endpoints=[str],
)
INTERVIEWED = shape(
    "InterviewScores",
    note=str,
    profile={str: str},
    systems=[str],
    results=[
        shape(
            "InterviewScore",
            system=str,
            aspect=str,
            dataset=str,
            capability=str,
            score=maybe(float),
            low=maybe(float),
            high=maybe(float),
            n=int,
            n_held=int,
            reason=maybe(str),
            profile=str,
            note=str,
        )
    ],
    candidates=[int],
    datasets=[str],
    capabilities=[str],
    pairs=[DIFFERENCE],
    facts=[
        shape(
            "InterviewFacts",
            _text="How the dialogues of a system went.",
            release=int,
            n=int,
            n_without=int,
            rounds=said(maybe(float), "Rounds held, in the mean."),
            n_exchanges=int,
            n_unscored=int,
            n_right=int,
            n_decided=int,
            n_stopped=int,
            n_failed=int,
            n_flagged=int,
            reasons=said({str: int}, "How many were stopped, by reason."),
        )
    ],
    profiles=[
        shape(
            "InterviewProfile",
            _text="Scores and ranks under a profile, system by system; the chosen one first.",
            profile=shape(
                "ProfileAxes",
                name=str,
                scale=str,
                decay=str,
                after_stop=str,
                unscored=str,
                early_stopping=bool,
            ),
            values=[maybe(float)],
            ranks=[maybe(float)],
            moves=said([maybe(float)], "Places lost against the chosen profile."),
        )
    ],
    ablation=[shape("Ablation", decaying=bool, stopping=bool, values=[maybe(float)])],
    n_questions=int,
    resamples=int,
    seed=maybe(int),
    method=str,
    test=maybe(str),
)
DIALOGUE = shape(
    "Dialogue",
    dialogue=int,
    question=str,
    dataset=str,
    release=int,
    system=str,
    answer=str,
    chosen=str,
    right=maybe(bool),
    decided_by=str,
    planned=int,
    ended=str,
    stopped_at=maybe(int),
    stop_reason=str,
    problem=str,
    flags=[str],
    exchanges=[
        shape(
            "DialogueExchange",
            k=int,
            question=str,
            answer=str,
            scores=said(maybe({str: maybe(float)}), "By aspect."),
            comments={str: str},
            unscored=str,
            stops=maybe(bool),
            stop_reason=str,
            flags=[str],
        )
    ],
)


@api_view(["GET", "POST"])
@contract(
    get(CHOICES, "Return the sources of questions and the systems, for interviews."),
    post(
        RunOut,
        "Estimate what interviews would take, or start them.",
        takes=InterviewsIn,
        status=201,
        also={
            200: shape("InterviewsEstimate", ESTIMATE, questions=int, without_answer=int),
        },
    ),
)
@door(permissions.CURATORS)
def start(request: Any, scope: Scope) -> Response:
    """Return what interviews can be about and who can take part; POST estimates or starts them."""
    if request.method == "GET":
        return Response(_choices(scope))
    sent = InterviewsIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given, now = sent.validated_data, timezone.now()
    wish = _wish(scope, given)
    if given["estimate"]:
        checked = interview_starting.check(project=scope.project, wish=wish, now=now)
        return Response(
            {
                "questions": len(checked.found.items),
                "without_answer": checked.found.n_without,
                **checked.estimate.as_dict(),
            }
        )
    run = interview_starting.start(
        project=scope.project,
        wish=wish,
        key=given["key"],
        name=given["name"],
        user=scope.user,
        now=now,
        budget=given["budget"],
    )
    return Response(RunOut(run).data, status=201)


def _wish(scope: Scope, given: dict[str, Any]) -> InterviewsWish:
    endpoints = connections.endpoints_of(scope.project)
    evaluator: Judge | Endpoint
    if given.get("evaluator") is None:
        evaluator = get_object_or_404(endpoints, name=given["evaluator_endpoint"])
    else:
        judges = interviews.evaluators_of(scope.project)
        evaluator = get_object_or_404(judges, rater=given["evaluator"])
    known = [one.release.pk for one in connections.of_project(scope.project)]
    return InterviewsWish(
        over=given["over"],
        releases=[one for one in given["releases"] if one in known],
        interactor=get_object_or_404(endpoints, name=given["interactor"]),
        evaluator=evaluator,
        seed=given["seed"],
        reference_visible=given["reference_visible"],
        settings={name: given[name] for name in SETTINGS},
    )


def _choices(scope: Scope) -> dict[str, Any]:
    sources = interviews.sources(scope.project)
    return {
        "over": [
            {"over": interviews.BANK, "name": _("All that can be drawn")},
            *({"over": key, "name": name.strip()} for _sort, rows in sources for key, name in rows),
        ],
        "releases": [
            {"release": one.release.pk, "name": str(one.release)}
            for one in connections.of_project(scope.project)
            if one.is_ready
        ],
        "evaluators": [
            {"evaluator": one.rater_id, "name": one.name}
            for one in interviews.evaluators_of(scope.project)
        ],
        "endpoints": [one.name for one in connections.endpoints_of(scope.project)],
    }


@api_view(["GET"])
@contract(
    get(INTERVIEWED, query=PROFILE, figure=True),
)
@door(permissions.UNBLINDED)
def results(request: Any, scope: Scope, number: int) -> Response:
    """Return the scores of a run of interviews under the profile in the address, and other profiles."""
    reading = interview_voices.allowed(scope, number)
    options = interview_voices.of_params(request.GET.dict())
    figure = figures.of_run(
        name=interview_voices.FIGURE, run=reading.run, params=options.params, now=timezone.now()
    )
    if wait := asking.waiting(request, figure):
        return wait
    board = Board(figure.data or {}, options, reading)
    return Response(
        {
            "note": banner.of_run(reading.run),
            "profile": options.params,
            "systems": board.names,
            "results": list(board.records()),
            **{name: board.data.get(name) for name in OPEN},
        }
    )


#: What the API hands on as it was computed; systems go by their place in `systems`.
OPEN = (
    "candidates",
    "datasets",
    "capabilities",
    "pairs",
    "facts",
    "profiles",
    "ablation",
    "n_questions",
    "resamples",
    "seed",
    "method",
    "test",
)


@api_view(["GET"])
@contract(
    get(page(DIALOGUE, note=str), query=[*of_form(DialogueFilter), AFTER]),
)
@door(permissions.UNBLINDED)
def dialogues(request: Any, scope: Scope, number: int) -> Response:
    """Return the dialogues of a run with every verdict, page by page; the page's filters."""
    reading = interview_voices.allowed(scope, number)
    names = [(one["release"], one["name"]) for one in reading.run.config["releases"]]
    form = readable(DialogueFilter(request.GET, releases=names))
    rows = interviews.filtered(reading.run, form.filters())
    page = interviews.page(rows, request.GET.get("after", ""))
    return Response(
        {
            "note": banner.of_run(reading.run),
            "next": keyset.next_url(request.GET, page),
            "results": [_dialogue(interviews.line(reading, one)) for one in page.rows],
        }
    )


def _dialogue(line: Line) -> dict[str, Any]:
    one = line.dialogue
    return {
        "dialogue": one.pk,
        "question": one.item.external_id,
        "dataset": one.dataset,
        "release": one.release_id,
        "system": line.system,
        "answer": one.answer,
        "chosen": one.chosen,
        "right": one.right,
        "decided_by": one.decided_by,
        "planned": one.n_planned,
        "ended": one.ended,
        "stopped_at": one.stopped_at,
        "stop_reason": one.stop_reason,
        "problem": one.problem,
        "flags": one.flags,
        "exchanges": [_exchange(verdict.exchange) for verdict in line.verdicts],
    }


def _exchange(one: Exchange) -> dict[str, Any]:
    return {
        "k": one.k,
        "question": one.question,
        "answer": one.answer,
        "scores": one.scores,
        "comments": one.comments,
        "unscored": one.unscored,
        "stops": one.stops,
        "stop_reason": one.stop_reason,
        "flags": one.flags,
    }


#: What the API hands on as it was computed; systems go by their place in `systems`.
OPEN_EVALUATORS = ("candidates", "pairs", "vote", "n_questions", "resamples", "method")


class JudgeAgainIn(StartIn):
    """Who judges: keys of `evaluators`, and names of `endpoints` that new ones are made of.

    With `estimate` nothing is started.
    """

    evaluators = serializers.ListField(
        child=serializers.IntegerField(max_value=LARGEST_SEED), default=list, max_length=MOST
    )
    endpoints = serializers.ListField(
        child=serializers.CharField(max_length=80), default=list, max_length=MOST
    )
    reference_visible = serializers.BooleanField(default=False)


PANEL = shape(
    "EvaluatorPanel",
    note=str,
    profile={str: str},
    systems=[str],
    evaluators=[
        shape(
            "Evaluator",
            rater=int,
            run=int,
            name=str,
            first=said(bool, "Whether its verdicts led the dialogues."),
            n_exchanges=int,
            n_unscored=int,
            n_stopped=int,
        )
    ],
    results=[
        shape(
            "EvaluatorScore",
            evaluator=str,
            run=said(ANYTHING, "A run by number; empty for the panel."),
            system=str,
            aspect=str,
            score=maybe(float),
            low=maybe(float),
            high=maybe(float),
            n=int,
            n_held=int,
            reason=maybe(str),
            profile=str,
            note=str,
        )
    ],
    candidates=[int],
    pairs=[
        shape(
            "EvaluatorPair",
            left=str,
            right=str,
            together=[
                shape(
                    "EvaluatorCorrelation",
                    coefficient=str,
                    name=str,
                    value=NUMBER,
                    reason=WHY,
                    p=NUMBER,
                    p_method=str,
                    **INTERVAL,
                    interval_reason=WHY,
                    n=int,
                )
            ],
            offsets=said(
                {str: shape("EvaluatorOffset", shift=VALUE, n=int)},
                "By how much the second is above the first, by aspect.",
            ),
            same=said(VALUE, "The share of equal decisions to stop."),
            kappa=VALUE,
            kappa_quadratic=VALUE,
            n=int,
        )
    ],
    vote=str,
    n_questions=int,
    resamples=int,
    method=str,
)


@api_view(["GET", "POST"])
@contract(
    get(
        PANEL,
        "Return every evaluator's scores and how far they agree.",
        query=[*PROFILE, VOTE],
        figure=True,
    ),
    post(
        RunOut,
        "Estimate what judging the dialogues again would take, or start it.",
        takes=JudgeAgainIn,
        status=201,
        also={200: ESTIMATE},
    ),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def evaluators(request: Any, scope: Scope, number: int) -> Response:
    """Return every evaluator's scores and how far they agree; POST has the dialogues judged again."""
    reading = interview_voices.allowed(scope, number)
    if request.method == "POST":
        return _judge_again(request, scope, reading.run)
    query = request.GET.dict()
    options = interview_voices.of_params(query)
    vote = interview_voices.vote_of(query)
    figure = figures.of_run(
        name=interview_voices.PANEL,
        run=reading.run,
        params={**options.params, "vote": vote},
        now=timezone.now(),
        version=interview_voices.version(reading.run),
    )
    if wait := asking.waiting(request, figure):
        return wait
    board = InterviewEvaluatorsBoard(figure.data or {}, options, reading)
    return Response(
        {
            "note": banner.of_run(reading.run),
            "profile": options.params,
            "systems": board.names,
            "evaluators": [
                {name: value for name, value in one.items() if name != "scores"}
                for one in board.voices
            ],
            "results": list(board.records()),
            **{name: board.data[name] for name in OPEN_EVALUATORS},
        }
    )


def _judge_again(request: Any, scope: Scope, of: Any) -> Response:
    sent = JudgeAgainIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given = sent.validated_data
    wish = InterviewEvaluatorsWish(
        chosen=_chosen(scope, given["evaluators"], given["endpoints"]),
        seed=given["seed"],
        reference_visible=given["reference_visible"],
    )
    if given["estimate"]:
        return Response(rejudging.check(of=of, wish=wish).as_dict())
    run = rejudging.start(
        of=of,
        wish=wish,
        key=given["key"],
        name=given["name"],
        user=scope.user,
        now=timezone.now(),
        budget=given["budget"],
    )
    return Response(RunOut(run).data, status=201)


def _chosen(scope: Scope, raters: list[int], names: list[str]) -> list[Judge | Endpoint]:
    judges = interviews.evaluators_of(scope.project)
    endpoints = connections.endpoints_of(scope.project)
    return [
        *(get_object_or_404(judges, rater=one) for one in raters),
        *(get_object_or_404(endpoints, name=one) for one in names),
    ]
