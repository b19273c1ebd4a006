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
from evalsite.contract.calls import contract, get, post, taken
from evalsite.contract.shapes import answers, one_of, said, shape
from scoring.engine.models import Run
from scoring.publishing import choosing, outputs
from scoring.publishing import operations as publishing
from scoring.publishing.choosing import GROUPS
from scoring.publishing.models import Publication
from scoring.publishing.records import PublishAsked


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
            "rule",
            "rule_label",
            "even",
            "seed",
            "scripted",
            "published_at",
        )


RULE = shape("PublicationRule", key=str, kind=said(one_of(*GROUPS), "What it goes by."), label=str)
PUBLISHED = shape(
    "Publications",
    sorts=[str],
    rubrics=[str],
    rules=said([RULE], "By which outputs can be drawn sooner: `rule` takes a key."),
    results=[PublicationOut],
)


@contract(
    get(PUBLISHED, "Return the rounds that were made from a run."),
    post(PublicationOut, "Make a round from what a run produced.", takes=PublishAsked, status=201),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def publish(request: Any, scope: Scope, number: int) -> Response:
    run = get_object_or_404(
        Run.objects.select_related("project"), project=scope.project, number=number
    )
    if request.method == "POST":
        return Response(_publish(scope, run, taken(PublishAsked, request)), status=201)
    made = Publication.objects.filter(run=run).select_related("round", "run")
    return Response(
        {
            "sorts": [one.key for one in outputs.sorts_of(run)],
            "rubrics": list(publishing.rubrics_of(run)),
            "rules": answers(RULE, choosing.rules_of(run)),
            "results": PublicationOut(made, many=True).data,
        }
    )


def _publish(scope: Scope, run: Run, asked: PublishAsked) -> dict[str, Any]:
    made = publishing.publish_run(
        run=run,
        asked=asked,
        seed=secrets.token_hex(8),
        secret=secrets.token_bytes(32),
        user=scope.user,
        by_owner=scope.may({Role.OWNER}),
        now=timezone.now(),
    )
    kept = Publication.objects.select_related("round", "run").get(round=made)
    return dict(PublicationOut(kept).data)
