"""The review desk of a round for programs: what waits, one question, decisions with their reasons."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from annotation.review import operations as review
from annotation.review.rules import ReviewAct
from evalsite import errors
from evalsite.contract.calls import Body, choice, contract, get, post, valid
from evalsite.contract.shapes import ANYTHING, answer, answers, at, maybe, rows, said, shape
from scoring.figures import api as asking
from scoring.figures import labels, typed
from scoring.results import asked, disputes
from scoring.review import queries as review_page
from scoring.review.pages import MOST, DecisionForm
from scoring.review.queries import ReviewPage
from scoring.stats.people.said import DisputesFigure


class ReviewDecisionIn(Body):
    """A decision about the question at `question`. The same key again is the same decision."""

    key = serializers.UUIDField()
    question = serializers.IntegerField(min_value=1, max_value=MOST)
    act = serializers.ChoiceField(choices=[(str(one), str(one)) for one in ReviewAct])
    reason = serializers.CharField(max_length=1000)
    response = serializers.CharField(max_length=1, default="")
    criterion = serializers.CharField(max_length=80, default="")
    value = serializers.DecimalField(12, 4, default=None, allow_null=True)
    grade = serializers.IntegerField(default=None, allow_null=True, max_value=MOST)
    decision = serializers.IntegerField(default=None, allow_null=True, max_value=MOST)
    text = serializers.CharField(max_length=20_000, default="", allow_blank=True)


LINE = shape(
    "ReviewLine",
    question=at("place", int),
    item=at("key", str),
    ck=at(
        lambda line: line.dispute and line.dispute.printed and float(line.dispute.printed),
        said(maybe(float), "How divided it is; null where it is not disputed."),
    ),
    flags=at("n_flags", int),
    taken_up=bool,
    waits=bool,
    decided=at("decided.act", maybe(str)),
)
QUEUE = shape(
    "ReviewQueue",
    open=at("n_open", int),
    decided=at("n_decided", int),
    results=at("lines", [LINE]),
)
DECISION = shape(
    "ReviewDecision",
    id=at("decision.pk", int),
    question=at("place", maybe(int)),
    item=at("decision.item.external_id", str),
    act=at("decision.act", str),
    standing=str,
    criterion=at("decision.criterion.key", maybe(str)),
    value=at("decision.value", ANYTHING),
    reason=at("decision.reason", str),
    reverses=at("decision.reverses_id", maybe(int)),
    by=at("decision.by.public_id", UUID),
    at=at("decision.at", datetime),
    confirmed_by=at("effect.by.public_id", maybe(UUID)),
)
GRADE = shape(
    "ReviewGrade",
    id=at("pk", int),
    annotator=at("person", str),
    value=at("mark", ANYTHING),
    comment=str,
    alone=bool,
    valid=bool,
)
CRITERION = shape(
    "ReviewCriterion",
    criterion=at("criterion.key", str),
    adjudicated=at(lambda part: part.settled or None, ANYTHING),
    grades=at("marks", [GRADE]),
)
RESPONSE = shape("ReviewResponse", response=at("letter", str), criteria=at("parts", [CRITERION]))
QUESTION = shape(
    "ReviewQuestion",
    question=at("number", int),
    item=at("item.external_id", str),
    responses=at("answers", [RESPONSE]),
    choices=said([CRITERION], "Which of two is better, in a round of pairs: A and B as here."),
    decisions=[DECISION],
)


@contract(
    get(
        QUEUE,
        "Return what waits for review, the most pressing first.",
        query=[choice("only", review_page.ONLY, "Which questions; `open` by default.")],
        figure=True,
    )
)
@door(permissions.UNBLINDED)
def queue(request: HttpRequest, scope: Scope, number: int) -> Response:
    mine = labels.allowed(scope, number)
    wish = asked.of_disputes({}, scope.project)
    figure = asking.figure(request, disputes.FIGURE, mine.round, wish.params, now=timezone.now())
    if isinstance(figure, Response):
        return figure
    only = request.GET.get("only", "open")
    if only not in review_page.ONLY:
        said = _("Choose one of: open, decided, all.")
        raise errors.Invalid(said, fields={"only": [said]})
    found = typed.read_figure(DisputesFigure, figure.data)
    made = review_page.queue(mine.round, found, only=only)
    return Response(answer(QUEUE, made))


@contract(get(QUESTION))
@door(permissions.UNBLINDED)
def question(request: HttpRequest, scope: Scope, number: int, place: int) -> Response:
    """Return all grades of a question under letters, and what was decided about it."""
    page = review_page.allowed(labels.allowed(scope, number), place)
    return Response(answer(QUESTION, page))


@contract(
    get(rows(DECISION), "Return all decisions about a round, the newest first."),
    post(DECISION, "Make a decision.", takes=ReviewDecisionIn, status=201),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def decisions(request: Any, scope: Scope, number: int) -> Response:
    mine = labels.allowed(scope, number)
    if request.method == "GET":
        found = review.lines(review.decisions_of(mine.round))
        return Response({"results": answers(DECISION, found)})
    given = valid(ReviewDecisionIn, request)
    page = review_page.allowed(mine, given["question"])
    made = review.decide(
        round_=mine.round,
        wish=_wish(page, given),
        reason=given["reason"],
        key=given["key"],
        **scope.who(),
    )
    [line] = review.lines(review.decisions_of(mine.round).filter(pk=made.pk))
    return Response(answer(DECISION, line), status=201)


def _wish(page: ReviewPage, given: dict[str, Any]) -> review.DecisionWish:
    form = DecisionForm(
        {
            **{key: given[key] for key in given if given[key] is not None},
            "letter": given["response"],
        },
        page=page,
    )
    if not form.is_valid():
        fields = {
            "response" if name == "letter" else name: [str(one) for one in found]
            for name, found in form.errors.items()
        }
        raise errors.Invalid(
            " ".join(text for one in fields.values() for text in one), fields=fields
        )
    return form.wish()


@contract(post(DECISION))
@door(permissions.UNBLINDED, permissions.CURATORS)
def confirm(request: Any, scope: Scope, number: int, pk: int) -> Response:
    """Confirm what another reviewer decided."""
    mine = labels.allowed(scope, number)
    found = review.one_of(mine.round, pk)
    if found is None:
        raise Http404
    review.confirm(decision=found, **scope.who())
    [line] = review.lines(review.decisions_of(mine.round).filter(pk=pk))
    return Response(answer(DECISION, line))
