"""Qualification as JSON: the pool with everybody's states, one person's history and steps by hand, the rules."""

import uuid
from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.models import Capability, Membership, QualificationRule, Role, User
from annotation.operations import people, qualifying
from annotation.permissions import Scope, door
from annotation.queries import qualifications as reads
from annotation.rules.qualification import MOST_COUNTED, Event
from evalsite.contract.bodies import Body
from evalsite.contract.calls import contract, get, post
from evalsite.contract.shapes import (
    rows,
)


class CellOut(serializers.Serializer[Any]):
    capability = serializers.IntegerField(source="capability.pk")
    name = serializers.CharField(source="capability.name")
    state = serializers.CharField()
    inherited = serializers.BooleanField()
    since = serializers.DateTimeField(source="last.at", default=None)


class MemberOut(serializers.Serializer[Any]):
    annotator = serializers.UUIDField(source="user.public_id")
    name = serializers.CharField()
    knows_about = serializers.ListField(source="tags", child=serializers.CharField())
    capabilities = CellOut(source="cells", many=True)


class StepOut(serializers.Serializer[Any]):
    at = serializers.DateTimeField()
    capability = serializers.IntegerField(source="capability_id")
    event = serializers.CharField()
    state = serializers.CharField()
    reason = serializers.CharField()
    round = serializers.IntegerField(source="round.number", default=None)
    figures = serializers.DictField()
    by = serializers.UUIDField(source="by.public_id", default=None)


class StepIn(Body):
    capability = serializers.IntegerField()
    event = serializers.ChoiceField(choices=[str(one) for one in Event])
    reason = serializers.CharField(max_length=500)


class RuleOut(serializers.ModelSerializer[QualificationRule]):
    class Meta:
        model = QualificationRule
        fields = (
            "capability",
            "statistic",
            "reference_at",
            "peers_at",
            "by_bound",
            "n_least",
            "practice_at",
            "most_failures",
            "asked",
            "at",
        )


def _share(**more: Any) -> serializers.DecimalField:
    return serializers.DecimalField(
        max_digits=4, decimal_places=3, min_value=0, max_value=1, **more
    )


class RuleIn(Body):
    capability = serializers.IntegerField(required=False, allow_null=True, default=None)
    statistic = serializers.ChoiceField(
        choices=QualificationRule.Statistic.values, default=QualificationRule.Statistic.RAW
    )
    reference_at = _share()
    peers_at = _share(required=False, allow_null=True, default=None)
    by_bound = serializers.BooleanField(default=False)
    n_least = serializers.IntegerField(min_value=1, max_value=MOST_COUNTED)
    practice_at = _share()
    most_failures = serializers.IntegerField(min_value=1, max_value=MOST_COUNTED)
    asked = serializers.BooleanField(default=False)


@api_view(["GET"])
@contract(
    get(rows(MemberOut)),
)
@door(permissions.CURATORS)
def pool(request: HttpRequest, scope: Scope) -> Response:
    """Return every annotator, what they know about, and their standing in each capability."""
    return Response({"results": MemberOut(reads.pool(scope.project), many=True).data})


@api_view(["GET", "POST"])
@contract(
    get(rows(StepOut), "Return the history of one annotator, the newest step first."),
    post(rows(StepOut), "Record a step of an annotator by hand.", takes=StepIn),
)
@door(permissions.CURATORS)
def person(request: HttpRequest, scope: Scope, person: uuid.UUID) -> Response:
    """Return the history of one annotator, the newest step first; or record a step by hand."""
    held = Membership.objects.with_role([Role.ANNOTATOR]).filter(project=scope.project)
    user = get_object_or_404(User, memberships__in=held, public_id=person)
    now = timezone.now()
    rater = people.rater_of(project=scope.project, user=user, now=now)
    if request.method == "POST":
        given = StepIn(data=getattr(request, "data", None))
        given.is_valid(raise_exception=True)
        wanted = given.validated_data
        qualifying.say(
            rater=rater,
            capability=_capability(scope, wanted["capability"]),
            event=Event(wanted["event"]),
            reason=wanted["reason"],
            by=scope.user,
            by_owner=scope.may({Role.OWNER}),
            now=now,
        )
    return Response({"results": StepOut(reads.history(rater), many=True).data})


@api_view(["GET", "POST"])
@contract(
    get(rows(RuleOut), "Return the rules of qualification, the project's first."),
    post(rows(RuleOut), "Set a rule of qualification.", takes=RuleIn),
)
@door(permissions.CURATORS)
def rules(request: HttpRequest, scope: Scope) -> Response:
    """Return the rules that hold, the project's first; or set one."""
    if request.method == "POST":
        given = RuleIn(data=getattr(request, "data", None))
        given.is_valid(raise_exception=True)
        wanted = dict(given.validated_data)
        key = wanted.pop("capability")
        qualifying.set_rule(
            project=scope.project,
            capability=None if key is None else _capability(scope, key),
            asked=qualifying.Asked(**wanted),
            by=scope.user,
            now=timezone.now(),
        )
    project = reads.rule_of(scope.project)
    held = [*([project] if project else []), *reads.own_rules(scope.project).values()]
    return Response({"results": RuleOut(held, many=True).data})


def _capability(scope: Scope, key: int) -> Capability:
    found = Capability.objects.filter(project=scope.project, pk=key).first()
    if found is None:
        raise serializers.ValidationError({"capability": ["There is no such capability."]})
    return found
