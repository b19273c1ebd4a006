"""Rules that results and reviews of a project go by, as JSON."""

from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.operations import reviewing
from annotation.operations import settings as operations
from annotation.permissions import Scope, door
from annotation.queries import reviews as review_rules
from annotation.queries import settings as reads
from annotation.rules.settings import Section
from evalsite.contract.bodies import Body, valid
from evalsite.contract.calls import contract, get, post
from evalsite.contract.shapes import one_of, said, shape
from scoring.queries import asked, disputes

DISPUTE_RULES = shape(
    "DisputeRulesSet",
    version=said(int, "0: nobody has set them. A change names it as `base`."),
    rater=said(one_of(*disputes.RATER_RULES), "When an annotator disputes."),
    far=said(str, "For `rater`: so many points from the median or more."),
    question=said(one_of(*disputes.QUESTION_RULES), "When a question is disputed."),
    share=said(str, "For `question`: the least share of the smaller side."),
    span=said(str, "For `question`: a range of so many points or more."),
    w1=said(str, "Weight of responses that divide: a number or a fraction."),
    w2=said(str, "Weight of grades that stand alone."),
)
REVIEW_RULES = shape(
    "ReviewRulesSet",
    n_reviewers=said(one_of(1, 2), "How many must agree before anything changes."),
    hide_people=said(bool, "Whether the review desk hides which annotator gave a grade."),
)


class DisputeRulesIn(Body):
    """What is left out stays as it is; `base` is the version that was read."""

    base = serializers.IntegerField(min_value=0)
    rater = serializers.ChoiceField(choices=tuple(disputes.RATER_RULES), required=False)
    far = serializers.CharField(max_length=20, required=False)
    question = serializers.ChoiceField(choices=tuple(disputes.QUESTION_RULES), required=False)
    share = serializers.CharField(max_length=20, required=False)
    span = serializers.CharField(max_length=20, required=False)
    w1 = serializers.CharField(max_length=20, required=False)
    w2 = serializers.CharField(max_length=20, required=False)


class ReviewRulesIn(Body):
    """What is left out stays as it is."""

    n_reviewers = serializers.IntegerField(min_value=1, max_value=2, required=False)
    hide_people = serializers.BooleanField(required=False)


@api_view(["GET", "POST"])
@contract(
    get(DISPUTE_RULES, "Return the rules by which disputes are found."),
    post(DISPUTE_RULES, "Set the rules by which disputes are found.", takes=DisputeRulesIn),
)
@door(permissions.CURATORS)
def dispute_rules(request: HttpRequest, scope: Scope) -> Response:
    """Return by which rules disputes are found; POST sets them."""
    if request.method == "POST":
        given = valid(DisputeRulesIn, request)
        base = given.pop("base")
        wanted = {**_dispute_rules(scope), **given}
        named = {"rater_rule": wanted["rater"], "question_rule": wanted["question"]}
        operations.save(
            project=scope.project,
            section=Section.DISPUTES,
            body=dict(asked.of_disputes({**wanted, **named}).typed),
            base=base,
            by=scope.user,
            now=timezone.now(),
        )
    held = reads.newest(scope.project, Section.DISPUTES)
    return Response({"version": held.number if held else 0, **_dispute_rules(scope)})


@api_view(["GET", "POST"])
@contract(
    get(REVIEW_RULES, "Return how the project reviews."),
    post(REVIEW_RULES, "Set how the project reviews from now on.", takes=ReviewRulesIn),
)
@door(permissions.CURATORS)
def reviewing_rules(request: HttpRequest, scope: Scope) -> Response:
    """Return how the project reviews; POST says it anew, for all rounds from now on."""
    held = _review_rules(scope)
    if request.method == "POST":
        wanted = {**held, **valid(ReviewRulesIn, request)}
        if wanted != held:
            reviewing.set_rule(project=scope.project, by=scope.user, now=timezone.now(), **wanted)
    return Response(_review_rules(scope))


def _dispute_rules(scope: Scope) -> dict[str, str]:
    return dict(asked.of_disputes({}, scope.project).typed)


def _review_rules(scope: Scope) -> dict[str, Any]:
    rule = review_rules.rule_of(scope.project)
    return {"n_reviewers": rule.n_reviewers, "hide_people": rule.hide_people}
