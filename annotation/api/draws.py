"""The draw of a round as JSON: what is wanted, what it would bring, and what was frozen."""

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.models import Round
from annotation.operations.rounds import drafting
from annotation.permissions import Scope, door
from annotation.queries import draw_plans, manifests
from annotation.queries import rounds as reads
from annotation.rules import draws as rules
from annotation.rules.draws import Draw, How
from annotation.rules.sampling import Preference
from evalsite.contract.bodies import Body
from evalsite.contract.calls import contract, get, post
from evalsite.contract.shapes import ANYTHING, maybe, said, shape


class DrawIn(Body):
    """What a draft wants drawn; what is left out is as it is by default."""

    capabilities = serializers.ListField(child=serializers.IntegerField(), required=False)
    external_ids = serializers.ListField(child=serializers.CharField(), required=False)
    n_items = serializers.IntegerField(
        min_value=1, max_value=rules.MOST_ITEMS, required=False, allow_null=True
    )
    complete_only = serializers.BooleanField(required=False)
    unanswered = serializers.BooleanField(required=False)
    how = serializers.ChoiceField(choices=list(How), required=False)
    strata = serializers.ListField(
        child=serializers.ChoiceField(choices=rules.DIMENSIONS), required=False
    )
    quotas = serializers.DictField(
        child=serializers.FloatField(min_value=0, max_value=rules.MOST_ITEMS), required=False
    )
    preference = serializers.ChoiceField(choices=list(Preference), required=False)
    make_up = serializers.BooleanField(required=False)
    avoid_rounds = serializers.IntegerField(
        min_value=0, max_value=rules.MOST_ROUNDS, required=False
    )
    avoid_days = serializers.IntegerField(min_value=0, max_value=rules.MOST_DAYS, required=False)
    anchors_from = serializers.IntegerField(required=False, allow_null=True)
    repeats = serializers.IntegerField(min_value=0, max_value=rules.MOST_REPEATS, required=False)
    gold = serializers.IntegerField(min_value=0, max_value=rules.MOST_GOLD, required=False)


class StratumOut(serializers.Serializer[Any]):
    name = serializers.CharField()
    wanted = serializers.IntegerField()
    available = serializers.IntegerField()
    recent = serializers.IntegerField()
    drawn = serializers.IntegerField()
    drawn_recent = serializers.IntegerField()
    missing = serializers.IntegerField()


class AnchorsOut(serializers.Serializer[Any]):
    round = serializers.IntegerField(source="round.number")
    wanted = serializers.IntegerField()
    available = serializers.IntegerField()
    drawn = serializers.IntegerField()
    missing = serializers.IntegerField()
    returning_annotators = serializers.IntegerField(source="n_returning")


class PlannedOut(serializers.Serializer[Any]):
    external_id = serializers.CharField(source="candidate.external_id")
    purpose = serializers.CharField()
    occasion = serializers.IntegerField()
    stratum = serializers.CharField()
    probability = serializers.FloatField(allow_null=True)
    unknown = serializers.CharField()


class DifferenceOut(serializers.Serializer[Any]):
    where = serializers.CharField()
    was = serializers.CharField()
    now = serializers.CharField()


DRAWN = shape(
    "WouldDraw",
    design=said({str: ANYTHING}, "What is wanted, as it can be sent."),
    eligible=int,
    strata=[StratumOut],
    unanswered=said({str: int}, "How many items wait for answers, by stratum."),
    anchors=maybe(AnchorsOut),
    items=[PlannedOut],
)


@api_view(["GET", "POST"])
@contract(
    get(DRAWN, "Return what a draft would draw just now."),
    post(DRAWN, "Set what a draft wants drawn; return what it would draw.", takes=DrawIn),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def draw(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return what a draft would draw just now, or set what it wants first."""
    found = get_object_or_404(reads.of(scope.project), number=number, state=Round.State.DRAFT)
    if request.method == "POST":
        given = DrawIn(data=getattr(request, "data", None))
        given.is_valid(raise_exception=True)
        wishes = Draw.from_json(given.validated_data)
        drafting.choose_draw(round_=found, draw=wishes, by=scope.user, now=timezone.now())
    wanted = Draw.from_json(found.draw)
    plan = draw_plans.plan(found, wanted, timezone.now())
    return Response(
        {
            "design": wanted.as_json(),
            "eligible": plan.n_eligible,
            "strata": StratumOut(plan.strata, many=True).data,
            "unanswered": dict(plan.unanswered),
            "anchors": AnchorsOut(plan.anchors).data if plan.anchors else None,
            "items": PlannedOut(plan.items, many=True).data,
        }
    )


@api_view(["GET"])
@contract(
    get(
        shape(
            "Frozen",
            manifest=said(
                maybe(shape("Manifest", sha=str, _rest=ANYTHING)),
                "What was frozen, to the last fingerprint; null before the round opens.",
            ),
            differences=maybe([DifferenceOut]),
        )
    ),
)
@door(permissions.UNBLINDED)
def manifest(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return what was frozen when the round opened, and what has changed since."""
    found = get_object_or_404(reads.of(scope.project), number=number)
    stored = manifests.kept(found)
    differences = manifests.differences(found)
    return Response(
        {
            "manifest": {**stored.body, "sha": stored.sha} if stored else None,
            "differences": DifferenceOut(differences, many=True).data if stored else None,
        }
    )
