"""Suites that run by themselves, for programs: list, set, stop, go on, run now."""

from collections.abc import Callable
from typing import Any

from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite import keyset
from evalsite.contract.bodies import Body
from evalsite.contract.calls import AFTER, contract, get, post
from evalsite.contract.shapes import maybe, page, shape
from scoring.api.run_shapes import BudgetField
from scoring.models import ConversationSet, Suite, SuiteSchedule
from scoring.operations import suite_schedules as operations
from scoring.queries import suite_schedules as reads
from scoring.queries import suites


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


class ScheduleIn(Body):
    """How often, over which sets (by name); `from_beginning` takes in what is there already."""

    every = serializers.ChoiceField(choices=SuiteSchedule.Every.choices)
    sets = serializers.ListField(child=serializers.CharField(max_length=120), min_length=1)
    budget = BudgetField(default=None)
    from_beginning = serializers.BooleanField(default=False)


@api_view(["GET"])
@contract(get(page(ScheduleLineOut), query=[AFTER]))
@door(permissions.UNBLINDED)
def schedules(request: Any, scope: Scope) -> Response:
    """Return the suites that have a schedule, a page at a time."""
    rows = SuiteSchedule.objects.filter(suite__project=scope.project).select_related("suite")
    found = keyset.page(rows, by=["-pk"], after=request.GET.get("after", ""))
    lines = ScheduleLineOut(found.rows, many=True).data
    return Response({"next": keyset.next_url(request.GET, found), "results": lines})


@api_view(["GET", "POST"])
@contract(
    get(
        shape("ScheduleOfSuite", schedule=maybe(ScheduleOut)),
        "Return the schedule of a suite; null where it has none.",
    ),
    post(ScheduleOut, "Set the schedule of a suite.", takes=ScheduleIn),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def schedule(request: Any, scope: Scope, number: int) -> Response:
    """Return when a suite runs by itself; a POST sets it, in the name of whoever asks."""
    suite = suites.find(scope.project, number)
    if request.method == "POST":
        sent = ScheduleIn(data=request.data)
        sent.is_valid(raise_exception=True)
        given = dict(sent.validated_data)
        given["sets"] = _sets(scope, given["sets"])
        operations.set_schedule(suite=suite, by=scope.user, now=timezone.now(), **given)
        return Response(_said(suite))
    return Response({"schedule": _said(suite)})


def _deed(name: str, do: Callable[[Scope, SuiteSchedule], object], summary: str) -> Any:
    @api_view(["POST"])
    @contract(post(ScheduleOut, summary))
    @door(permissions.UNBLINDED, permissions.CURATORS)
    def view(request: Any, scope: Scope, number: int) -> Response:
        suite = suites.find(scope.project, number)
        found = reads.of(suite)
        if found is None:
            raise Http404(_("This suite has no schedule."))
        do(scope, found)
        return Response(_said(suite))

    setattr(view, "__name__", name)  # noqa: B010
    return view


pause = _deed(
    "pause",
    lambda scope, one: operations.pause(schedule=one, by=scope.user, now=timezone.now()),
    "Pause the schedule of a suite. What comes in meanwhile counts as new when it goes on.",
)
resume = _deed(
    "resume",
    lambda scope, one: operations.resume(schedule=one, by=scope.user, now=timezone.now()),
    "Resume the schedule of a suite.",
)
run_now = _deed(
    "run_now",
    lambda _scope, one: operations.run_now(schedule=one, now=timezone.now()),
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
        raise operations.NothingChosen(said, fields={"sets": [said]})
    return [found[name] for name in names]


def _said(suite: Suite) -> dict[str, Any] | None:
    found = reads.of(suite)
    return dict(ScheduleOut(reads.face(found)).data) if found else None
