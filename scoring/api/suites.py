"""Conversations and suites as JSON: sending and reading them, runs over them, what these found."""

from typing import Any

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.decorators import api_view, content_negotiation_class
from rest_framework.response import Response

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite import keyset
from evalsite.contract.bodies import Body
from evalsite.contract.calls import AFTER, contract, get, of_form, post, unfit_value, whole
from evalsite.contract.files import AnyForm
from evalsite.contract.filters import readable
from evalsite.contract.shapes import ANYTHING, FILE, maybe, page, rows, shape
from scoring.api import asking
from scoring.api.estimates import ESTIMATE
from scoring.api.judge_runs import RunOut
from scoring.api.run_shapes import BudgetField
from scoring.forms.conversations import ConversationFilter
from scoring.forms.runs import LARGEST_SEED
from scoring.models import Conversation, ConversationSet, SuiteVersion
from scoring.operations import conversations as bringing
from scoring.operations import figures, suite_exporting, suite_runs
from scoring.operations import suites as operations
from scoring.operations.conversations import Wish
from scoring.protocols.suite import definition
from scoring.queries import conversations as talks
from scoring.queries import suite_board, suite_catalogue, suite_results
from scoring.queries import suites as reads

MOST_SENT = 1_000


class ConversationsIn(Body):
    """Conversations of a system, in the layout of a file; the same key again changes nothing."""

    key = serializers.CharField(max_length=200)
    set = serializers.CharField(max_length=120)
    system = serializers.CharField(max_length=120)
    release = serializers.CharField(max_length=120, default="1")
    conversations = serializers.ListField(
        child=serializers.JSONField(), min_length=1, max_length=MOST_SENT
    )


class SuiteIn(Body):
    text = serializers.CharField(trim_whitespace=False)


class SuiteRunIn(Body):
    """A run over sets of conversations by name. With `estimate` nothing is started.

    With `tries` it is over three of the conversations, drawn by lot. No gate is kept where more than the share
    `tolerated` of its judgments is missing.
    """

    key = serializers.UUIDField()
    name = serializers.CharField(max_length=120)
    sets = serializers.ListField(child=serializers.CharField(max_length=120), min_length=1)
    seed = serializers.IntegerField(min_value=0, max_value=LARGEST_SEED)
    budget = BudgetField(default=None)
    tries = serializers.BooleanField(default=False)
    tolerated = serializers.FloatField(min_value=0, max_value=1, default=0.0)
    estimate = serializers.BooleanField(default=False)


LINE = shape(
    "ConversationLine",
    id=int,
    external_id=str,
    set=str,
    system=str,
    release=str,
    turns=int,
    messages=int,
    tool_calls=int,
)
CONVERSATION = shape(
    "Conversation",
    id=int,
    external_id=str,
    set=str,
    system=str,
    release=str,
    messages=[{str: ANYTHING}],
    details={str: ANYTHING},
    scripted=bool,
    run=maybe(int),
)
SUITE = shape(
    "SuiteLine",
    suite=int,
    name=str,
    version=int,
    functions=int,
    rubrics=int,
    gates=int,
    last_run=maybe(int),
)
VERSION = shape("SuiteVersion", suite=int, name=str, version=int, text=str, sha=str)
METRIC = shape(
    "SuiteMetric",
    name=str,
    about=str,
    levels=[str],
    parameters=[str],
    example=str,
    given=ANYTHING,
    values={str: ANYTHING},
)
FOUND = shape(
    "SuiteResults",
    note=str,
    conversations=int,
    completed=int,
    ended_at_a_tool=int,
    results=[
        shape(
            "SuiteResult",
            metric=str,
            name=str,
            level=str,
            release=str,
            n=int,
            without_value=int,
            mean=maybe(float),
            low=maybe(float),
            high=maybe(float),
            percentiles=maybe([float]),
        )
    ],
    gates=[shape("Gate", gate=str, release=str, value=maybe(float), passed=maybe(bool), said=str)],
    baseline=maybe(int),
    lost=shape("LostSteps", n=int, of=int, reason=str),
)


@api_view(["GET", "POST"])
@contract(
    get(
        page(LINE),
        "Return a page of conversations.",
        query=[*of_form(ConversationFilter), AFTER],
    ),
    post(
        shape("BroughtConversations", set=str, new=int, known=int),
        "Import conversations; the same key again changes nothing.",
        takes=ConversationsIn,
        status=201,
    ),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def conversations(request: Any, scope: Scope) -> Response:
    """Return the conversations page by page, by the filters of their page; POST brings some in."""
    if request.method == "POST":
        return _bring(request, scope)
    form = readable(ConversationFilter(request.GET, project=scope.project))
    page = talks.page(talks.filtered(scope.project, form.filters()), request.GET.get("after", ""))
    return Response(
        {"next": keyset.next_url(request.GET, page), "results": [_line(one) for one in page.rows]}
    )


@api_view(["GET"])
@contract(
    get(CONVERSATION),
)
@door(permissions.UNBLINDED)
def conversation(request: Any, scope: Scope, pk: int) -> Response:
    """Return a conversation with its messages as they came in."""
    row = talks.find(scope.project, pk)
    return Response(talks.as_plain(talks.shown(row, None)))


@api_view(["GET", "POST"])
@contract(
    get(page(SUITE), "Return a page of suites, the newest first.", query=[AFTER]),
    post(VERSION, "Save a new suite.", takes=SuiteIn, status=201),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def suites(request: Any, scope: Scope) -> Response:
    """Return the suites; POST saves a new one."""
    if request.method == "POST":
        made = operations.create(
            project=scope.project, text=_text(request), by=scope.user, now=timezone.now()
        )
        return Response(_version(made), status=201)
    page = keyset.page(reads.of(scope.project), by=["-number"], after=request.GET.get("after", ""))
    return Response(
        {
            "next": keyset.next_url(request.GET, page),
            "results": [
                {
                    "suite": one.suite.number,
                    "name": one.suite.name,
                    "version": one.version,
                    "functions": one.n_functions,
                    "rubrics": one.n_rubrics,
                    "gates": one.n_gates,
                    "last_run": one.run.number if one.run else None,
                }
                for one in reads.lines(page.rows)
            ],
        }
    )


@api_view(["GET", "POST"])
@contract(
    get(VERSION, "Return the newest version of a suite."),
    post(VERSION, "Save another version of a suite.", takes=SuiteIn),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def suite(request: Any, scope: Scope, number: int) -> Response:
    """Return the newest version of a suite; POST saves another one."""
    found = reads.find(scope.project, number)
    newest = reads.newest(found)
    if request.method == "GET":
        return Response(_version(newest))
    made = operations.change(
        suite=found,
        text=_text(request),
        by=scope.user,
        now=timezone.now(),
        rubrics=dict(definition.from_dict(newest.definition).rubrics),
    )
    return Response(_version(made))


@api_view(["GET"])
@contract(
    get(rows(METRIC)),
)
@door(permissions.UNBLINDED)
def metrics(request: Any, scope: Scope) -> Response:
    """Return every function metric with its example."""
    return Response(
        {
            "results": [
                {
                    "name": one.metric.name,
                    "about": one.metric.about,
                    "levels": one.levels,
                    "parameters": one.parameters,
                    "example": one.yaml if one.example else "",
                    "given": one.given,
                    "values": dict(one.values),
                }
                for one in suite_catalogue.lines()
            ]
        }
    )


@api_view(["POST"])
@contract(
    post(
        RunOut,
        takes=SuiteRunIn,
        status=201,
        also={200: ESTIMATE},
    ),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def run(request: Any, scope: Scope, number: int) -> Response:
    """Estimate or start a run of a suite."""
    found = reads.find(scope.project, number)
    sent = SuiteRunIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given = sent.validated_data
    version = reads.newest(found)
    sets = list(ConversationSet.objects.filter(project=scope.project, name__in=given["sets"]))
    if given["estimate"]:
        estimate = suite_runs.estimate(
            project=scope.project,
            version=version,
            sets=sets,
            tries=given["tries"],
            seed=given["seed"],
        )
        return Response(estimate.as_dict())
    made = suite_runs.request_suite(
        project=scope.project,
        version=version,
        sets=sets,
        key=given["key"],
        name=given["name"],
        seed=given["seed"],
        user=scope.user,
        now=timezone.now(),
        budget=given["budget"],
        tries=given["tries"],
        tolerated=given["tolerated"],
    )
    return Response(RunOut(made).data, status=201)


@api_view(["GET"])
@contract(
    get(FOUND, query=[whole("baseline", "A run to compare with, by number.")], figure=True),
)
@door(permissions.UNBLINDED)
def results(request: Any, scope: Scope, number: int) -> Response:
    """Return distributions of every metric and release, and what became of the gates; ?baseline=RUN."""
    found = suite_results.allowed(scope, number).run
    given = request.GET.get("baseline", "")
    baseline = suite_results.baseline(found, given)
    if given and baseline is None:
        raise unfit_value("baseline", _("The number of another finished run of a suite."))
    figure = figures.of_run(
        name=suite_results.FIGURE,
        run=found,
        params={"baseline": baseline.number} if baseline else {},
        now=timezone.now(),
        version=suite_results.version(found),
    )
    if wait := asking.waiting(request, figure):
        return wait
    board = suite_board.Board(figure.data or {}, found)
    return Response(suite_board.as_plain(board))


@api_view(["GET"])
@contract(
    get(FILE),
)
@content_negotiation_class(AnyForm)
@door(permissions.UNBLINDED)
def file(request: HttpRequest, scope: Scope, number: int, form: str) -> HttpResponseBase:
    """Send every value of every part as CSV, JSON Lines or one SQLite file."""
    reading = suite_results.allowed(scope, number)
    made = suite_exporting.export(reading=reading, form=form, now=timezone.now())
    return StreamingHttpResponse(
        made.pieces, content_type=made.content_type, headers=dict(made.headers)
    )


def _bring(request: Any, scope: Scope) -> Response:
    sent = ConversationsIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given = sent.validated_data
    made = bringing.bring_objects(
        project=scope.project,
        wish=Wish(given["set"], given["system"], given["release"]),
        key=given["key"],
        objects=given["conversations"],
        by=scope.user,
        now=timezone.now(),
    )
    said = {"set": made.set.name, "new": made.n, "known": made.n_known}
    return Response(said, status=201)


def _line(one: Conversation) -> dict[str, Any]:
    return {
        "id": one.pk,
        "external_id": one.external_id,
        "set": one.set.name,
        "system": one.response.release.system.name,
        "release": one.response.release.label,
        "turns": one.n_turns,
        "messages": one.n_messages,
        "tool_calls": one.n_tool_calls,
    }


def _text(request: Any) -> str:
    sent = SuiteIn(data=request.data)
    sent.is_valid(raise_exception=True)
    text: str = sent.validated_data["text"]
    return text


def _version(made: SuiteVersion) -> dict[str, Any]:
    return {
        "suite": made.suite.number,
        "name": made.suite.name,
        "version": made.number,
        "text": made.text,
        "sha": made.sha,
    }
