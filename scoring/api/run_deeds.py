"""Starting a run, and what one may do to it, for programs."""

import secrets
from collections.abc import Callable, Mapping
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.models import Round
from annotation.permissions import Scope, door
from evalsite import errors
from evalsite.contract.bodies import Body
from evalsite.contract.calls import contract, post
from scoring.api.run_shapes import BudgetField, RunOut
from scoring.forms.runs import LARGEST_SEED
from scoring.models import Judge, Run
from scoring.operations import judging
from scoring.operations.runs import control
from scoring.queries import run_reading

MOST = 2**31 - 1


class RunIn(Body):
    """A judge's run over a round, to be started. The same key again is the same run.

    Answers are collected, and metrics computed, at addresses of their own.
    """

    key = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=[Run.Kind.JUDGE], default=Run.Kind.JUDGE)
    name = serializers.CharField(max_length=120)
    round = serializers.IntegerField(min_value=1, max_value=MOST)
    #: As in the addresses of judges.
    judge = serializers.IntegerField(min_value=1, max_value=MOST)
    criteria = serializers.ListField(child=serializers.CharField(max_length=120), default=list)
    seed = serializers.IntegerField(
        default=None, allow_null=True, min_value=0, max_value=LARGEST_SEED
    )
    budget = BudgetField(default=None)
    cloned_from = serializers.IntegerField(
        default=None, allow_null=True, min_value=1, max_value=MOST
    )
    #: Nothing is started; the answer says what it would take.
    estimate = serializers.BooleanField(default=False)


class BudgetIn(Body):
    budget = BudgetField()


class RetryIn(Body):
    #: As the steps are counted, from 1; all that failed unless given.
    step = serializers.IntegerField(default=None, allow_null=True, min_value=1, max_value=MOST)


def start(request: Any, scope: Scope) -> Response:
    form = RunIn(data=request.data)
    form.is_valid(raise_exception=True)
    given = form.validated_data
    rounds, judges = Round.objects.filter(project=scope.project), Judge.objects
    asked = {
        "round_": _named("round", rounds.filter(number=given["round"]), given),
        "judge": _named(
            "judge", judges.filter(project=scope.project, rater_id=given["judge"]), given
        ),
        "criteria": given["criteria"],
    }
    if given["estimate"]:
        return Response(judging.estimate(**asked).as_dict())
    again = Run.objects.filter(project=scope.project, key=given["key"]).first()
    made = again or judging.request_judging(
        **asked,
        **{name: given[name] for name in ("key", "name", "budget")},
        seed=secrets.randbelow(LARGEST_SEED + 1) if given["seed"] is None else given["seed"],
        user=scope.user,
        now=timezone.now(),
        cloned_from=_named(
            "cloned_from",
            Run.objects.filter(project=scope.project, number=given["cloned_from"]),
            given,
        ),
    )
    return Response(
        RunOut(run_reading.of(scope, made.number).run).data, status=200 if again else 201
    )


def _named(name: str, rows: Any, given: Mapping[str, Any]) -> Any:
    """Return what is named, if anything is.

    Raises:
        errors.Invalid: it does not exist in the project.
    """
    if given[name] is None:
        return None
    found = rows.first()
    if found is None:
        said = _("There is none of this number in the project.")
        raise errors.Invalid(said, fields={name: [said]})
    return found


Deed = Callable[..., Any]
DEEDS: Mapping[str, Deed] = {
    "pause": control.pause,
    "resume": control.resume,
    "cancel": control.cancel,
}
_SAID = {
    "pause": "Pause a run; return it as it is then.",
    "resume": "Resume a paused run; return it as it is then.",
    "cancel": "Cancel a run; return it as it is then.",
}


def deed(name: str) -> Callable[..., Any]:
    """Return the view of a deed, which answers with the run as it is then."""

    @api_view(["POST"])
    @contract(
        post(RunOut, _SAID[name]),
    )
    @door(permissions.UNBLINDED, permissions.CURATORS)
    def view(request: Any, scope: Scope, number: int) -> Response:
        found = run_reading.of(scope, number).run
        DEEDS[name](run=found, user=scope.user, now=timezone.now())
        return Response(RunOut(run_reading.of(scope, number).run).data)

    return view


@api_view(["POST"])
@contract(
    post(RunOut, takes=RetryIn),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def retry(request: Any, scope: Scope, number: int) -> Response:
    """Try again the steps in which the machinery failed, or one of them."""
    found = run_reading.of(scope, number).run
    form = RetryIn(data=request.data)
    form.is_valid(raise_exception=True)
    step = form.validated_data["step"]
    control.retry_failed(
        run=found,
        user=scope.user,
        now=timezone.now(),
        step=None if step is None else step - 1,
    )
    return Response(RunOut(run_reading.of(scope, number).run).data)


@api_view(["POST"])
@contract(
    post(RunOut, takes=BudgetIn),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def budget(request: Any, scope: Scope, number: int) -> Response:
    """Give a run another budget, or none."""
    found = run_reading.of(scope, number).run
    form = BudgetIn(data=request.data)
    form.is_valid(raise_exception=True)
    control.set_budget(
        run=found, budget=form.validated_data["budget"], user=scope.user, now=timezone.now()
    )
    return Response(RunOut(run_reading.of(scope, number).run).data)
