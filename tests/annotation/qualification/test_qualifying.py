from decimal import Decimal

import pytest

from annotation.people.models import AuditEvent, Role
from annotation.qualification import operations as qualifying
from annotation.qualification import queries as qualifications
from annotation.qualification.models import Qualification, QualificationRule
from annotation.qualification.rules import Event, PoolState
from evalsite import errors
from tests import make
from tests.annotation import qualified

pytestmark = pytest.mark.django_db


def step(rater, event, **given):
    return qualifying.step(
        rater=rater, capability=make.capability(), event=event, by=None, now=make.NOW, **given
    )


def say(rater, event, *, reason="Grades too fast.", by_owner=False):
    return qualifying.say(
        rater=rater,
        capability=make.capability(),
        event=event,
        reason=reason,
        by=qualified.curator(make.project()),
        by_owner=by_owner,
        now=make.NOW,
    )


class TestStep:
    def test_keeps_every_step_one_after_the_other(self):
        rater = qualified.annotator()
        for event in (Event.PRACTISED, Event.INVITED, Event.FAILED):
            step(rater, event)

        rows = Qualification.objects.filter(rater=rater).order_by("number")

        assert [one.number for one in rows] == [1, 2, 3]
        assert rows.last().state == PoolState.RETRAINING
        assert AuditEvent.objects.filter(verb="qualification.step").count() == 3

    def test_refuses_what_does_not_follow(self):
        rater = qualified.annotator()

        with pytest.raises(qualifying.DoesNotFit, match="not begun"):
            step(rater, Event.PASSED)

        assert not Qualification.objects.exists()


class TestSay:
    def test_lets_an_owner_let_somebody_in_and_says_why(self):
        rater = qualified.annotator()

        with pytest.raises(qualifying.OwnerNeeded):
            say(rater, Event.ALLOWED)
        made = say(rater, Event.ALLOWED, by_owner=True, reason="Has taught it.")

        assert (made.state, made.reason) == (PoolState.QUALIFIED, "Has taught it.")
        assert qualifications.is_qualified(rater, make.capability())

    def test_asks_why(self):
        with pytest.raises(errors.ReasonNeeded):
            say(qualified.annotator(), Event.SUSPENDED, reason="  ")

    def test_passes_nobody_by_hand(self):
        with pytest.raises(qualifying.DoesNotFit):
            say(qualified.trained(qualified.annotator()), Event.PASSED, by_owner=True)


class TestSetRule:
    def test_holds_for_a_capability_before_the_project(self):
        home, about = make.project(), make.capability()
        by = qualified.curator(home)
        given = {"project": home, "by": by, "now": make.NOW}
        qualifying.set_rule(
            capability=None, asked=qualifying.RuleAsked(n_least=30, asked=True), **given
        )
        own = qualifying.RuleAsked(reference_at=Decimal("0.9"), peers_at=Decimal("0.5"), asked=True)

        qualifying.set_rule(capability=about, asked=own, **given)

        assert qualifications.threshold_of(home, about).reference_at == 0.9
        assert qualifications.threshold_of(home, about).peers_at == 0.5
        assert qualifications.threshold_of(home).n_least == 30
        assert qualifications.is_asked(home)
        assert not QualificationRule.objects.get(capability=about).asked

    def test_refuses_what_nobody_could_reach(self):
        asked = qualifying.RuleAsked(reference_at=Decimal(75), n_least=0)

        with pytest.raises(qualifying.RuleInvalid) as caught:
            qualifying.set_rule(
                project=make.project(),
                capability=None,
                asked=asked,
                by=qualified.curator(make.project()),
                now=make.NOW,
            )

        assert set(caught.value.fields) == {"reference_at", "n_least"}


class TestSetTags:
    def test_makes_exactly_these_what_somebody_knows(self):
        user = make.member(Role.ANNOTATOR)
        given = {"project": make.project(), "user": user, "by": user, "now": make.NOW}
        qualifying.set_tags(tags=["Customs", " Cold  chain", "Customs"], **given)

        qualifying.set_tags(tags=["Cold chain", "Reefers"], **given)

        assert qualifications.tags_of(make.project())[user.pk] == ["Cold chain", "Reefers"]

    def test_refuses_a_novel(self):
        user = make.member(Role.ANNOTATOR)

        with pytest.raises(errors.Invalid):
            qualifying.set_tags(
                project=make.project(), user=user, tags=["x" * 61], by=user, now=make.NOW
            )
