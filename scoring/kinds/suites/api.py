"""Conversations and suites as JSON: sending and reading them, runs over them, every value as a file.

* Suites that run by themselves, for programs: list, set, stop, go on, run now.
"""

import json
from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.decorators import content_negotiation_class
from rest_framework.response import Response

from annotation.imports import wholes
from annotation.imports.api import FILE_READ, progress_of
from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite.contract.calls import (
    AFTER,
    AnyForm,
    Body,
    contract,
    get,
    of_form,
    post,
    readable,
    taken,
    taken_on,
)
from evalsite.contract.shapes import ANYTHING, FILE, maybe, page, rows, shape
from evalsite.records import values
from evalsite.web import keyset
from scoring.engine.api import starting
from scoring.kinds.suites import exchange as suite_exporting
from scoring.kinds.suites import keeping
from scoring.kinds.suites import operations as suite_runs
from scoring.kinds.suites import queries as suite_catalogue
from scoring.kinds.suites import schedules as suite_schedules_reads
from scoring.kinds.suites.conversations import jobs, operations
from scoring.kinds.suites.conversations import queries as talks
from scoring.kinds.suites.conversations.operations import SetWish
from scoring.kinds.suites.conversations.pages import ConversationFilter
from scoring.kinds.suites.models import (
    Conversation,
    ConversationSet,
    Suite,
    SuiteSchedule,
    SuiteVersion,
)
from scoring.kinds.suites.outcome import SuiteOutcome
from scoring.kinds.suites.protocol import definition
from scoring.kinds.suites.schedules import Scheduled

MOST_SENT = 1_000
MOST_FILES = 20


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
    chosen = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=200,
        help_text="Which suite, where the text holds several by name.",
    )
    rubric_files = serializers.ListField(
        child=serializers.CharField(trim_whitespace=False, max_length=definition.MOST_TEXT),
        default=list,
        max_length=MOST_FILES,
        help_text="Texts of the files of rubrics that the suite names, such as rubric_metrics.yaml.",
    )


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
VERSION = shape("SuiteVersion", suite=int, name=str, version=int, text=str, sha=str, warnings=[str])
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


@contract(
    get(page(LINE), "Return a page of conversations.", query=[*of_form(ConversationFilter), AFTER]),
    post(
        shape("BroughtConversations", set=str, new=int, known=int),
        "Import conversations; the same key again changes nothing.",
        takes=ConversationsIn,
        status=201,
        also={202: FILE_READ},
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


@contract(get(CONVERSATION))
@door(permissions.UNBLINDED)
def conversation(request: Any, scope: Scope, pk: int) -> Response:
    """Return a conversation with its messages as they came in."""
    row = talks.find(scope.project, pk)
    return Response(talks.as_plain(talks.shown(row, None)))


@contract(
    get(page(SUITE), "Return a page of suites, the newest first.", query=[AFTER]),
    post(VERSION, "Save a new suite.", takes=SuiteIn, status=201),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def suites(request: Any, scope: Scope) -> Response:
    """Return the suites; POST saves a new one."""
    if request.method == "POST":
        made = keeping.create(**_suite_in(request), **scope.deed())
        return Response(_version(made), status=201)
    page = keyset.page(
        keeping.suites_of(scope.project), by=["-number"], after=request.GET.get("after", "")
    )
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
                for one in keeping.lines(page.rows)
            ],
        }
    )


@contract(
    get(VERSION, "Return the newest version of a suite."),
    post(VERSION, "Save another version of a suite.", takes=SuiteIn),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def suite(request: Any, scope: Scope, number: int) -> Response:
    """Return the newest version of a suite; POST saves another one."""
    found = keeping.find(scope.project, number)
    newest = keeping.newest(found)
    if request.method == "GET":
        return Response(_version(newest))
    given = _suite_in(request)
    given["rubrics"] = dict(definition.from_dict(newest.definition).rubrics) | given["rubrics"]
    made = keeping.change(suite=found, **given, **scope.who())
    return Response(_version(made))


@contract(get(rows(METRIC)))
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


def _newest(scope: Scope, number: int) -> suite_runs.Of:
    return suite_runs.Of(keeping.newest(keeping.find(scope.project, number)))


run = starting(
    suite_runs.START,
    "Estimate or start a run of a suite.",
    of=_newest,
    seers=permissions.UNBLINDED,
)


@contract(get(FILE))
@content_negotiation_class(AnyForm)
@door(permissions.UNBLINDED)
def file(request: HttpRequest, scope: Scope, number: int, form: str) -> HttpResponseBase:
    """Send every value of every part as CSV, JSON Lines or one SQLite file."""
    reading = SuiteOutcome.allowed(scope, number)
    made = suite_exporting.export(reading=reading, form=form, now=timezone.now())
    return StreamingHttpResponse(
        made.pieces, content_type=made.content_type, headers=dict(made.headers)
    )


def _bring(request: Any, scope: Scope) -> Response:
    sent = ConversationsIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given = sent.validated_data
    what: Any = {
        "project": scope.project,
        "wish": SetWish(given["set"], given["system"], given["release"]),
        "key": given["key"],
        "by": scope.user,
        "now": timezone.now(),
    }
    objects = given["conversations"]
    if int(request.META.get("CONTENT_LENGTH") or 0) > wholes.SMALL:
        lines = (json.dumps(one).encode() + b"\n" for one in objects)
        upload = jobs.hand_in(**what, pieces=lines)
        return taken_on(progress_of(upload), "api_import_file", scope.project.slug, upload.number)
    made = operations.bring_objects(**what, objects=objects)
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


def _suite_in(request: Any) -> dict[str, Any]:
    sent = SuiteIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given = dict(sent.validated_data)
    rubrics = keeping.merged(given.pop("rubric_files"))
    return {**given, "rubrics": rubrics}


def _version(made: SuiteVersion) -> dict[str, Any]:
    return {
        "suite": made.suite.number,
        "name": made.suite.name,
        "version": made.number,
        "text": made.text,
        "sha": made.sha,
        "warnings": [str(one) for one in definition.from_dict(made.definition).warnings],
    }


class ScheduledRunOut(serializers.Serializer[Any]):
    """A run that the schedule asked for, and what became of its gates."""

    run = serializers.IntegerField(source="run.number")
    state = serializers.CharField(source="run.state")
    n_new = serializers.IntegerField()
    gates = serializers.CharField()
    said = serializers.ListField(child=serializers.CharField())
    asked_at = serializers.DateTimeField()


class ScheduleOut(serializers.Serializer[Any]):
    """When a suite runs by itself; paused_at says since when it does not."""

    suite = serializers.IntegerField(source="schedule.suite.number")
    every = serializers.CharField(source="schedule.every")
    sets = serializers.ListField(child=serializers.CharField())
    budget = serializers.DecimalField(
        source="schedule.budget", max_digits=14, decimal_places=6, allow_null=True
    )
    next_at = serializers.DateTimeField(source="schedule.next_at")
    looked_at = serializers.DateTimeField(source="schedule.looked_at", allow_null=True)
    paused_at = serializers.DateTimeField(source="schedule.paused_at", allow_null=True)
    problem = serializers.CharField(source="schedule.problem", allow_blank=True)
    n_new = serializers.IntegerField()
    runs = ScheduledRunOut(many=True)


class ScheduleLineOut(serializers.Serializer[Any]):
    suite = serializers.IntegerField(source="suite.number")
    name = serializers.CharField(source="suite.name")
    every = serializers.CharField()
    next_at = serializers.DateTimeField()
    paused_at = serializers.DateTimeField(allow_null=True)
    problem = serializers.CharField(allow_blank=True)


@contract(get(page(ScheduleLineOut), query=[AFTER]))
@door(permissions.UNBLINDED)
def schedules(request: Any, scope: Scope) -> Response:
    """Return the suites that have a schedule, a page at a time."""
    rows = SuiteSchedule.objects.filter(suite__project=scope.project).select_related("suite")
    found = keyset.page(rows, by=["-pk"], after=request.GET.get("after", ""))
    lines = ScheduleLineOut(found.rows, many=True).data
    return Response({"next": keyset.next_url(request.GET, found), "results": lines})


@contract(
    get(
        shape("ScheduleOfSuite", schedule=maybe(ScheduleOut)),
        "Return the schedule of a suite; null where it has none.",
    ),
    post(ScheduleOut, "Set the schedule of a suite.", takes=Scheduled),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def schedule(request: Any, scope: Scope, number: int) -> Response:
    """Return when a suite runs by itself; a POST sets it, in the name of whoever asks."""
    suite = keeping.find(scope.project, number)
    if request.method == "POST":
        given = values(taken(Scheduled, request))
        given["sets"] = _sets(scope, given["sets"])
        suite_schedules_reads.set_schedule(suite=suite, **given, **scope.who())
        return Response(_said(suite))
    return Response({"schedule": _said(suite)})


def _deed(name: str, do: Callable[[Scope, SuiteSchedule], object], summary: str) -> Any:
    @contract(post(ScheduleOut, summary))
    @door(permissions.UNBLINDED, permissions.CURATORS)
    def view(request: Any, scope: Scope, number: int) -> Response:
        suite = keeping.find(scope.project, number)
        found = suite_schedules_reads.schedule_of(suite)
        if found is None:
            raise Http404(_("This suite has no schedule."))
        do(scope, found)
        return Response(_said(suite))

    setattr(view, "__name__", name)  # noqa: B010
    return view


pause = _deed(
    "pause",
    lambda scope, one: suite_schedules_reads.pause(schedule=one, **scope.who()),
    "Pause the schedule of a suite. What comes in meanwhile counts as new when it goes on.",
)
resume = _deed(
    "resume",
    lambda scope, one: suite_schedules_reads.resume(schedule=one, **scope.who()),
    "Resume the schedule of a suite.",
)
run_now = _deed(
    "run_now",
    lambda _scope, one: suite_schedules_reads.run_now(schedule=one, now=timezone.now()),
    "Run a suite now over what is new; if nothing is new, no run is added.",
)


def _sets(scope: Scope, names: list[str]) -> list[ConversationSet]:
    """Return the sets of these names.

    Raises:
        operations.NothingChosen: the project has no set of one of the names.
    """
    found = {one.name: one for one in ConversationSet.objects.filter(project=scope.project)}
    if missing := [name for name in names if name not in found]:
        message = _("The project has no conversations called %(names)s.")
        said = message % {"names": ", ".join(missing)}
        raise suite_schedules_reads.NothingChosen(said, fields={"sets": [said]})
    return [found[name] for name in names]


def _said(suite: Suite) -> dict[str, Any] | None:
    found = suite_schedules_reads.schedule_of(suite)
    return dict(ScheduleOut(suite_schedules_reads.face(found)).data) if found else None
