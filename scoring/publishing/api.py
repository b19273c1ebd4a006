"""Have people rate what a run put out, by API."""

import secrets
from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.models import Role
from annotation.people.permissions import Scope, door
from annotation.rounds import queries as rounds
from annotation.rounds import rules
from annotation.rubrics.models import RubricVersion
from evalsite.contract.calls import Body, contract, get, post, valid
from evalsite.contract.shapes import shape
from scoring.engine.models import Run
from scoring.publishing import operations as publishing
from scoring.publishing import outputs
from scoring.publishing.models import Publication
from scoring.publishing.operations import MOST


class RubricIn(Body):
    """A version of a rubric; without a number its newest one, or one that comes with the run."""

    key = serializers.SlugField()
    number = serializers.IntegerField(min_value=1, required=False, allow_null=True, default=None)


class PublishIn(Body):
    """What is rated, and how; `n` left out takes all, a seed left out is drawn."""

    key = serializers.UUIDField()
    name = serializers.CharField(max_length=rules.LONGEST_NAME)
    rubric = RubricIn()
    sort = serializers.CharField(default="")
    releases = serializers.ListField(child=serializers.IntegerField(), default=list)
    n = serializers.IntegerField(min_value=1, max_value=MOST, allow_null=True, default=None)
    n_seats = serializers.IntegerField(
        min_value=1, max_value=rules.MOST_SEATS, default=rules.FEWEST_SEATS
    )
    override = serializers.CharField(max_length=rules.LONGEST_REASON, default="", allow_blank=True)
    seed = serializers.CharField(max_length=rules.LONGEST_SEED, required=False)


class PublicationOut(serializers.ModelSerializer[Publication]):
    round = serializers.IntegerField(source="round.number")
    run = serializers.IntegerField(source="run.number", default=None)

    class Meta:
        model = Publication
        fields = (
            "round",
            "run",
            "sort",
            "n_units",
            "n_taken",
            "seed",
            "scripted",
            "published_at",
        )


PUBLISHED = shape("Publications", sorts=[str], rubrics=[str], results=[PublicationOut])


@contract(
    get(PUBLISHED, "Return the rounds that were made from a run."),
    post(PublicationOut, "Make a round from what a run produced.", takes=PublishIn, status=201),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def publish(request: Any, scope: Scope, number: int) -> Response:
    run = get_object_or_404(
        Run.objects.select_related("project"), project=scope.project, number=number
    )
    if request.method == "POST":
        return Response(_publish(scope, run, valid(PublishIn, request)), status=201)
    made = Publication.objects.filter(run=run).select_related("round", "run")
    return Response(
        {
            "sorts": [one.key for one in outputs.sorts_of(run)],
            "rubrics": list(publishing.rubrics_of(run)),
            "results": PublicationOut(made, many=True).data,
        }
    )


def _publish(scope: Scope, run: Run, given: dict[str, Any]) -> dict[str, Any]:
    rubric = _rubric(scope, run, given["rubric"])
    made = publishing.publish_for_rating(
        project=scope.project,
        key=given["key"],
        source=publishing.source_of(run, sort=given["sort"], releases=given["releases"]),
        wish=publishing.Wish(
            name=given["name"],
            rubric=rubric,
            seed=given.get("seed") or secrets.token_hex(8),
            secret=secrets.token_bytes(32),
            n=given["n"],
            n_seats=given["n_seats"],
            override=given["override"],
        ),
        user=scope.user,
        by_owner=scope.may({Role.OWNER}),
        now=timezone.now(),
    )
    kept = Publication.objects.select_related("round", "run").get(round=made)
    return dict(PublicationOut(kept).data)


def _rubric(scope: Scope, run: Run, named: dict[str, Any]) -> RubricVersion | str:
    versions = rounds.versions_of(scope.project).filter(rubric__key=named["key"])
    if named["number"] is not None:
        return get_object_or_404(versions, number=named["number"])
    newest = versions.first()
    if newest is None and named["key"] in publishing.rubrics_of(run):
        return str(named["key"])
    return newest or get_object_or_404(versions)
