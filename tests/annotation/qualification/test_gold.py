"""Items whose grades are known are mixed in, as many as were asked for, and look like any other."""

from dataclasses import replace
from decimal import Decimal

import pytest

from annotation import models
from annotation.qualification import answers as gold
from annotation.rounds import drafting, drawing, opening
from annotation.rounds import draws as draw_plans
from annotation.rounds.rules import Draw
from tests import make

pytestmark = pytest.mark.django_db


def know(round_, n_items):
    """Give the answers of the first items a reference grade each, in an earlier round."""
    criterion = round_.rubrics.get().rubric_version.criteria.get()
    places = round_.items.order_by("item__external_id")[:n_items]
    answers = models.RoundResponse.objects.filter(round_item__in=list(places))
    for answer in answers:
        models.Grade.objects.create(
            round=round_,
            response=answer.response,
            criterion=criterion,
            rater=make.rater(round_.created_by),
            kind="REFERENCE",
            value=Decimal(1),
        )
    return [one.item.external_id for one in places]


def with_gold(n_known, percent=20, n_items=None):
    """Return a draft that wants gold of a bank of ten items, of which some are known."""
    earlier = make.draft_round(n_items=10)
    names = know(earlier, n_known)
    round_ = make.draft_round(n_items=10)
    draw = replace(Draw.from_json(round_.draw), gold=percent, n_items=n_items)
    drafting.choose_draw(round_=round_, draw=draw, by=round_.created_by, now=make.NOW)
    return round_, names


class TestUsable:
    def test_are_those_of_which_every_answer_is_known(self):
        round_, names = with_gold(3)
        lacking = models.Grade.objects.filter(response__item__external_id=names[0]).first()
        models.Grade.objects.filter(pk=lacking.pk).update(is_current=False)

        plan = draw_plans.plan(round_, Draw.from_json(round_.draw), make.NOW)

        assert plan.gold == draw_plans.Gold(wanted=2, available=2, drawn=2)
        found = {one.candidate.external_id for one in plan.items if one.purpose == "GOLD"}
        assert found == set(names[1:])

    def test_take_what_was_adjudicated_and_not_taken_back(self):
        round_, names = with_gold(1)
        item = models.Item.objects.get(external_id=names[0])
        responses = list(item.responses.values_list("pk", flat=True))
        models.Grade.objects.filter(response__in=responses).update(is_current=False)
        first = models.Grade.objects.filter(response=responses[0]).get()
        made = {
            "round": first.round,
            "response": first.response,
            "criterion": first.criterion,
            "rater": first.rater,
        }
        settled = models.Grade.objects.create(kind="ADJUDICATED", value=Decimal(2), **made)
        assert gold.known(round_.project, responses) == {(responses[0], "grade"): Decimal(2)}

        models.Invalidation.objects.create(
            round=first.round,
            kind="GRADE",
            grade=settled,
            reason="No.",
            by=round_.created_by,
            at=make.NOW,
        )

        assert gold.known(round_.project, responses) == {}


class TestTheDraw:
    def test_mixes_gold_in_among_the_others_and_keeps_to_its_budget(self):
        round_, names = with_gold(5, percent=20)

        drawing.prepare(round_=round_, now=make.NOW)

        purposes = list(round_.items.order_by("ordinal").values_list("purpose", flat=True))
        assert purposes.count("GOLD") == 2
        assert purposes.count("NORMAL") == 8
        assert purposes != sorted(purposes)
        chosen = round_.items.filter(purpose="GOLD")
        assert {one.item.external_id for one in chosen} < set(names)
        assert set(chosen.values_list("chance_unknown", flat=True)) == {"GOLD"}
        assert round_.draw["prepared"]["gold"] == {"wanted": 2, "available": 5, "drawn": 2}

    def test_says_what_is_missing(self):
        round_, _names = with_gold(1, percent=30)

        plan = draw_plans.plan(round_, Draw.from_json(round_.draw), make.NOW)

        assert (plan.gold.wanted, plan.gold.missing) == (3, 2)

    def test_draws_nothing_known_where_nobody_asks_for_it(self):
        round_, _names = with_gold(5, percent=0)

        plan = draw_plans.plan(round_, Draw.from_json(round_.draw), make.NOW)

        assert plan.gold is None
        assert {one.purpose for one in plan.items} == {"NORMAL"}

    def test_serves_gold_with_the_same_seats_and_a_face_like_any_other(self):
        round_, _names = with_gold(2)
        drawing.prepare(round_=round_, now=make.NOW)
        opening.request_opening(round_=round_, by=round_.created_by, now=make.NOW)
        opening.open_round(round_=round_, now=make.NOW)

        faces = {
            one.purpose: (sorted(one.face), one.n_seats, one.assignments.count())
            for one in round_.items.all()
        }

        assert faces["GOLD"] == faces["NORMAL"]
        served = models.RoundResponse.objects.filter(round_item__purpose="GOLD")
        assert set(gold.of_round(round_)) == {
            (pk, "grade") for pk in served.values_list("response_id", flat=True)
        }
        assert served.filter(round_item__round=round_).exists()


class TestCourse:
    """What was known of a place over time: a later reference changes nothing that was said before."""

    def place(self):
        """Return a round with one gold item, and the reference that stood when it opened."""
        round_, _names = with_gold(1, percent=10)
        drawing.prepare(round_=round_, now=make.NOW)
        served = models.RoundResponse.objects.filter(round_item__purpose="GOLD")
        response = served.filter(round_item__round=round_).earliest("pk").response
        return round_, response, models.Grade.objects.get(response=response, kind="REFERENCE")

    def course(self, round_, response):
        return gold.of_round(round_)[response.pk, "grade"]

    def test_keeps_what_stood_before_a_revision(self):
        round_, response, first = self.place()
        models.Grade.objects.filter(pk=first.pk).update(is_current=False)
        first.pk, first.value, first.revision, first.given_at = None, Decimal(2), 2, make.at(60)
        first.save(force_insert=True)

        course = self.course(round_, response)

        assert [course.at(make.at(n)) for n in (59, 60, 61)] == [1, 2, 2]
        assert course.at(None) == 2

    def test_keeps_what_stood_before_a_later_trial(self):
        round_, response, first = self.place()
        first.pk, first.round, first.value, first.given_at = None, round_, Decimal(0), make.at(60)
        first.save(force_insert=True)

        course = self.course(round_, response)

        assert [course.at(make.at(n)) for n in (59, 60)] == [1, 0]

    def test_forgets_a_reference_that_was_declared_invalid(self):
        round_, response, first = self.place()
        about = {"kind": "GRADE", "grade": first, "by": round_.created_by, "at": make.at(60)}
        models.Invalidation.objects.create(round=first.round, reason="A slip.", **about)

        assert (response.pk, "grade") not in gold.of_round(round_)

    def test_leaves_out_a_gold_question_that_was_declared_invalid_until_that_is_taken_back(self):
        round_, response, _first = self.place()
        about = {"kind": "QUESTION", "item": response.item, "by": round_.created_by}
        about |= {"round": round_, "at": make.at(60), "reason": "No right answer."}
        ended = models.Invalidation.objects.create(**about)
        assert gold.of_round(round_) == {}

        models.Invalidation.objects.create(reverses=ended, **about)

        assert (response.pk, "grade") in gold.of_round(round_)
