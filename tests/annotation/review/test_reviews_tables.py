"""What was decided in review stays on record."""

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from annotation.review.models import Decision, Effect, Look, ReviewRule
from tests import make
from tests.scoring import rounds

pytestmark = pytest.mark.django_db


def decided(**more):
    round_ = rounds.graded(n_items=1)
    item = round_.items.get().item
    made = {"act": "KEEP", "reason": "All are right.", "by": make.user("northport-owner")}
    return Decision.objects.create(round=round_, item=item, at=make.NOW, **{**made, **more})


def refused(deed):
    with pytest.raises((IntegrityError, DatabaseError)), transaction.atomic():
        deed()


class TestDecision:
    def test_stays_as_it_was_made(self):
        one = decided()

        refused(lambda: Decision.objects.update(reason="Another."))
        refused(lambda: Decision.objects.filter(pk=one.pk).delete())

    @pytest.mark.parametrize("wrong", [{"reason": ""}, {"act": "ADJUDICATE"}, {"act": "REVERSE"}])
    def test_has_its_reason_and_its_target(self, wrong):
        refused(lambda: decided(**wrong))


class TestEffect:
    def test_is_there_once_and_stays(self):
        one = decided()
        made = {"decision": one, "by": one.by, "at": make.NOW}
        Effect.objects.create(**made)

        refused(lambda: Effect.objects.create(**made))
        refused(lambda: Effect.objects.update(by=make.user("other")))


class TestReviewRule:
    def test_wants_one_or_two_people(self):
        by = make.user("northport-owner")

        refused(
            lambda: ReviewRule.objects.create(
                project=make.project(), n_reviewers=3, by=by, at=make.NOW
            )
        )


class TestLook:
    def test_says_what_was_found_and_stays(self):
        one = decided()
        rater = one.round.annotators.first().rater
        made = {"round": one.round, "rater": rater, "by": one.by, "at": make.NOW}
        Look.objects.create(note="Asked; a hard week.", **made)

        refused(lambda: Look.objects.create(note="", **made))
        refused(lambda: Look.objects.update(note="Nothing."))
