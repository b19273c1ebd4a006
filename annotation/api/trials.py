"""Trials as JSON: drafts in which people who have trained show that they can grade."""

import secrets

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.api.round_drafts import people_named, releases_named
from annotation.api.round_shapes import ROUND, whole
from annotation.models import Capability
from annotation.operations import trials as operations
from annotation.permissions import Scope, door
from evalsite.contract.bodies import Body, valid
from evalsite.contract.calls import contract, post


class TrialIn(Body):
    """`external_ids` names the questions; without it `n_items` are drawn by lot."""

    name = serializers.CharField(max_length=200)
    capability = serializers.IntegerField()
    releases = serializers.ListField(child=serializers.IntegerField())
    annotators = serializers.ListField(child=serializers.UUIDField())
    n_items = serializers.IntegerField(min_value=1, max_value=operations.MOST_ITEMS, default=10)
    external_ids = serializers.ListField(child=serializers.CharField(), default=list)


@api_view(["POST"])
@contract(
    post(
        ROUND,
        "Draft a trial for people who have finished the training; return its round.\n\n"
        "Its questions are drawn. Say what is right for its answers at the round's `references/`, then "
        "open it.",
        takes=TrialIn,
        status=201,
    ),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def trials(request: HttpRequest, scope: Scope) -> Response:
    """Draft a trial for people who have finished the training."""
    given = valid(TrialIn, request)
    plan = operations.Plan(
        name=given["name"],
        capability=get_object_or_404(Capability, project=scope.project, pk=given["capability"]),
        releases=releases_named(scope, given["releases"]),
        users=people_named(scope, given["annotators"]),
        n_items=given["n_items"],
        external_ids=given["external_ids"],
    )
    made = operations.begin(
        project=scope.project,
        plan=plan,
        seed=secrets.token_hex(8),
        secret=secrets.token_bytes(32),
        by=scope.user,
        now=timezone.now(),
    )
    return Response(whole(made), status=201)
