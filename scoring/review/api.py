"""The review desk of a round for programs: what waits, one question, decisions with their reasons."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from annotation.review import operations as review
from annotation.review.rules import Act
from evalsite import errors
from evalsite.contract.calls import Body, choice, contract, get, post
from evalsite.contract.shapes import ANYTHING, maybe, rows, said, shape
from scoring.figures import api as asking
from scoring.figures import labels, typed
from scoring.results import disputes
from scoring.results import queries as asked
from scoring.review import queries as review_page
from scoring.review.pages import MOST, DecisionForm
from scoring.review.queries import Page


class DecisionIn(Body):
    """A decision about the question at `question`. The same key again is the same decision."""

    component = "ReviewDecisionIn"

    key = serializers.UUIDField()
    question = serializers.IntegerField(min_value=1, max_value=MOST)
    act = serializers.ChoiceField(choices=[(str(one), str(one)) for one in Act])
    reason = serializers.CharField(max_length=1000)
    response = serializers.CharField(max_length=1, default="")
    criterion = serializers.CharField(max_length=80, default="")
    value = serializers.DecimalField(12, 4, default=None, allow_null=True)
    grade = serializers.IntegerField(default=None, allow_null=True, max_value=MOST)
    decision = serializers.IntegerField(default=None, allow_null=True, max_value=MOST)
    text = serializers.CharField(max_length=20_000, default="", allow_blank=True)


QUEUE = shape(
    "ReviewQueue",
    open=int,
    decided=int,
    results=[
        shape(
            "ReviewLine",
            question=int,
            item=str,
            ck=said(maybe(float), "How divided it is; null where it is not disputed."),
            flags=int,
            taken_up=bool,
            waits=bool,
            decided=maybe(str),
        )
    ],
)
DECISION = shape(
    "ReviewDecision",
    id=int,
    question=maybe(int),
    item=str,
    act=str,
    standing=str,
    criterion=maybe(str),
    value=ANYTHING,
    reason=str,
    reverses=maybe(int),
    by=UUID,
    at=datetime,
    confirmed_by=maybe(UUID),
)
QUESTION = shape(
    "ReviewQuestion",
    question=int,
    item=str,
    responses=[
        shape(
            "ReviewResponse",
            response=str,
            criteria=[
                shape(
                    "ReviewCriterion",
                    criterion=str,
                    adjudicated=ANYTHING,
                    grades=[
                        shape(
                            "ReviewGrade",
                            id=int,
                            annotator=str,
                            value=ANYTHING,
                            comment=str,
                            alone=bool,
                            valid=bool,
                        )
                    ],
                )
            ],
        )
    ],
    decisions=[DECISION],
)


def decision_out(line: review.Line) -> dict[str, Any]:
    made = line.decision
    return {
        "id": made.pk,
        "question": line.place,
        "item": made.item.external_id,
        "act": made.act,
        "standing": line.standing,
        "criterion": made.criterion.key if made.criterion else None,
        "value": made.value,
        "reason": made.reason,
        "reverses": made.reverses_id,
        "by": str(made.by.public_id),
        "at": made.at,
        "confirmed_by": str(line.effect.by.public_id) if line.effect else None,
    }


@api_view(["GET"])
@contract(
    get(
        QUEUE,
        "Return what waits for review, the most pressing first.",
        query=[choice("only", review_page.ONLY, "Which questions; `open` by default.")],
        figure=True,
    ),
)
@door(permissions.UNBLINDED)
def queue(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return what waits at the review desk, by urgency; `?only=decided` or `all` for others."""
    mine = labels.allowed(scope, number)
    wish = asked.of_disputes({}, scope.project)
    figure = asking.figure(request, disputes.FIGURE, mine.round, wish.params, now=timezone.now())
    if isinstance(figure, Response):
        return figure
    only = request.GET.get("only", "open")
    if only not in review_page.ONLY:
        said = _("Choose one of: open, decided, all.")
        raise errors.Invalid(said, fields={"only": [said]})
    found = typed.read(disputes.DisputesFigure, figure.data)
    made = review_page.queue(mine.round, found, only=only)
    results = [
        {
            "question": one.place,
            "item": one.key,
            "ck": one.dispute and one.dispute.printed and float(one.dispute.printed),
            "flags": one.n_flags,
            "taken_up": one.taken_up,
            "waits": one.waits,
            "decided": one.decided.act if one.decided else None,
        }
        for one in made.lines
    ]
    return Response({"open": made.n_open, "decided": made.n_decided, "results": results})


@api_view(["GET"])
@contract(
    get(QUESTION),
)
@door(permissions.UNBLINDED)
def question(request: HttpRequest, scope: Scope, number: int, place: int) -> Response:
    """Return all grades of a question under letters, and what was decided about it."""
    page = review_page.allowed(labels.allowed(scope, number), place)
    return Response(
        {
            "question": page.number,
            "item": page.item.external_id,
            "responses": [
                {
                    "response": answer.letter,
                    "criteria": [
                        {
                            "criterion": part.criterion.key,
                            "adjudicated": part.settled or None,
                            "grades": [_mark(mark) for mark in part.marks],
                        }
                        for part in answer.parts
                    ],
                }
                for answer in page.answers
            ],
            "decisions": [decision_out(line) for line in page.decisions],
        }
    )


def _mark(mark: review_page.Mark) -> dict[str, Any]:
    return {
        "id": mark.pk,
        "annotator": mark.person,
        "value": mark.mark,
        "comment": mark.comment,
        "alone": mark.alone,
        "valid": mark.valid,
    }


@api_view(["GET", "POST"])
@contract(
    get(rows(DECISION), "Return all decisions about a round, the newest first."),
    post(DECISION, "Make a decision.", takes=DecisionIn, status=201),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def decisions(request: Any, scope: Scope, number: int) -> Response:
    """Return all decisions about a round, the newest first; POST makes one."""
    mine = labels.allowed(scope, number)
    if request.method == "GET":
        found = review.lines(review.of(mine.round))
        return Response({"results": [decision_out(line) for line in found]})
    sent = DecisionIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given = sent.validated_data
    page = review_page.allowed(mine, given["question"])
    made = review.decide(
        round_=mine.round,
        wish=_wish(page, given),
        reason=given["reason"],
        key=given["key"],
        by=scope.user,
        now=timezone.now(),
    )
    [line] = review.lines(review.of(mine.round).filter(pk=made.pk))
    return Response(decision_out(line), status=201)


def _wish(page: Page, given: dict[str, Any]) -> review.Wish:
    form = DecisionForm(
        {
            **{key: given[key] for key in given if given[key] is not None},
            "letter": given["response"],
        },
        page=page,
    )
    if not form.is_valid():
        fields = {name: [str(one) for one in found] for name, found in form.errors.items()}
        raise errors.Invalid(
            " ".join(text for one in fields.values() for text in one), fields=fields
        )
    return form.wish()


@api_view(["POST"])
@contract(
    post(DECISION),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def confirm(request: Any, scope: Scope, number: int, pk: int) -> Response:
    """Confirm what another reviewer decided."""
    mine = labels.allowed(scope, number)
    found = review.one_of(mine.round, pk)
    if found is None:
        raise Http404
    review.confirm(decision=found, by=scope.user, now=timezone.now())
    [line] = review.lines(review.of(mine.round).filter(pk=pk))
    return Response(decision_out(line))
