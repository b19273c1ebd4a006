"""Decisions about a round, for tests of the desk."""

import itertools
import uuid
from decimal import Decimal
from typing import Any

from annotation import models
from annotation.people.models import Role
from annotation.review import operations as reviewing
from annotation.review.rules import ReviewAct
from tests import make

_keys = itertools.count(5000)


def reviewer(of: models.Round, name: str = "reviewer") -> models.User:
    return make.member(Role.CURATOR, in_=of.project, username=name)


def place(of: models.Round, n: int = 0) -> models.RoundItem:
    return of.items.select_related("item").get(ordinal=n)


def grade(of: models.Round, n: int = 0) -> models.Grade:
    """Return the first grade of an item that was given."""
    found = models.Grade.objects.filter(round=of, response__item=place(of, n).item, kind="GIVEN")
    return found.select_related("response").earliest("pk")


def about(act: str, of: models.Round, n: int = 0) -> dict[str, Any]:
    """Return what a decision of this kind needs, of an item of the round."""
    texts: dict[str, dict[str, Any]] = {
        "FIX_ANSWER": {"text": "A better answer."},
        "CLARIFY_RUBRIC": {"text": "A date that is missing is no error."},
    }
    if act not in {"ADJUDICATE", "STRIKE_GRADE", "STRIKE_RATER", "HAND_BACK"}:
        return texts.get(act, {})
    one = grade(of, n)
    found: dict[str, dict[str, Any]] = {
        "ADJUDICATE": {
            "response": one.response,
            "criterion": one.criterion,
            "value": Decimal(1),
        },
        "STRIKE_GRADE": {"grade": one},
        "STRIKE_RATER": {"rater": one.rater, "capability": place(of, n).item.capability},
        "HAND_BACK": {"assignment": one.assignment},
    }
    return found[act]


def banked(of: models.Round) -> models.QuestionVersion:
    """Return a question of the bank that stands behind the others in the round."""
    version = make.question_version(in_=of.project)
    models.RoundItem.objects.create(
        round=of,
        item=models.Item.objects.get(question_version=version),
        ordinal=of.items.count(),
        n_seats=3,
        rubric_version=place(of).rubric_version,
    )
    return version


def decide(
    act: str,
    of: models.Round,
    *,
    n: int = 0,
    by: models.User | None = None,
    reason: str = "It was so.",
    key: uuid.UUID | None = None,
    **more: Any,
) -> models.Decision:
    of.refresh_from_db()
    wish = reviewing.DecisionWish(
        ReviewAct(act), place(of, n).item, **{**about(act, of, n), **more}
    )
    return reviewing.decide(
        round_=of,
        wish=wish,
        reason=reason,
        key=key or uuid.UUID(int=next(_keys)),
        by=by or reviewer(of),
        now=make.at(100),
    )


def take_back(decision: models.Decision, *, by: models.User | None = None) -> models.Decision:
    found = decision.round
    ordinal = found.items.get(item=decision.item, occasion=1).ordinal
    return decide("REVERSE", found, n=ordinal, by=by, reverses=decision)


def two_reviewers(of: models.Round, *, hide_people: bool = False) -> models.ReviewRule:
    return reviewing.set_rule(
        project=of.project,
        n_reviewers=2,
        hide_people=hide_people,
        by=of.created_by,
        now=make.at(90),
    )
