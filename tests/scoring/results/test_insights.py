import json

import pytest

from annotation import models
from scoring import jobs as scoring_jobs
from tests import tampering
from tests.scoring import rounds

pytestmark = pytest.mark.django_db


def figure(round_, name, **params):
    data = scoring_jobs.compute(name=name, round_=round_, params=params)
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    return data


class TestTheAgreement:
    def test_knows_levels_that_nobody_used(self):
        round_ = rounds.graded(marks=lambda system, item, rater: (item + rater) % 2)

        (part,) = figure(round_, "agreement")["parts"]

        assert part["agreement"]["levels"] == [0, 1, 2]
        assert part["agreement"]["marginals"][2] == 0
        assert part["agreement"]["n_pairable"] == 8

    def test_names_pairs_and_those_left_out_by_their_keys(self):
        round_ = rounds.graded(marks=lambda system, item, rater: (item + (rater == 2)) % 2)
        people = set(
            models.Rater.objects.filter(round_places__round=round_).values_list("pk", flat=True)
        )

        data = figure(round_, "agreement")

        assert len(data["pairs"]) == 3
        assert {one["left"] for one in data["pairs"]} | {
            one["right"] for one in data["pairs"]
        } == people
        worst = max(data["without"], key=lambda one: one["change"])
        assert worst["value"] == pytest.approx(1)

    def test_of_several_criteria_is_their_mean_and_not_one_over_all_marks(self):
        # By chance within each criterion; one of them everybody marks high, the other low.
        round_ = rounds.graded(
            n_items=24,
            capabilities=("Easy", "Hard"),
            marks=lambda system, item, rater: (
                2 - (item * 7 + rater * 5 + system * 3) % 11 // 8
                if item % 2 == 0
                else (item * 5 + rater * 7 + system) % 13 // 10
            ),
        )

        data = figure(round_, "agreement")

        alpha = {
            one["capability"]: next(
                each for each in one["agreement"]["coefficients"] if each["name"] == "alpha_ordinal"
            )["value"]
            for one in data["parts"]
        }
        whole = next(
            one for one in data["overall"]["coefficients"] if one["name"] == "alpha_ordinal"
        )
        assert whole["value"] == pytest.approx(sum(alpha.values()) / 2)
        assert (whole["n_strata"], whole["n_left_out"]) == (2, 0)
        assert abs(whole["value"]) < 0.3

    def test_compares_annotators_with_themselves_where_they_graded_twice(self):
        round_ = rounds.graded(n_items=4)
        twice = round_.items.first()
        seats = list(twice.assignments.all())
        with tampering.unguarded():
            again = models.RoundItem.objects.create(
                round=round_,
                item=twice.item,
                ordinal=99,
                occasion=2,
                purpose="REPEAT",
                n_seats=3,
                rubric_version=twice.rubric_version,
            )
            for n, seat in enumerate(seats):
                given = list(models.Grade.objects.filter(assignment=seat).select_related("slot"))
                seat.pk, seat.round_item, seat.ordinal, seat.token = None, again, 900 + n, None
                seat.save(force_insert=True)
                for grade in given:
                    slot = grade.slot
                    slot.pk, slot.assignment = None, seat
                    slot.save(force_insert=True)
                    grade.pk, grade.assignment, grade.slot = None, seat, slot
                    grade.save(force_insert=True)

        data = figure(round_, "agreement")

        assert data["again"]["n_pairable"] == 6
        raw = next(one for one in data["again"]["coefficients"] if one["name"] == "raw")
        assert raw["value"] == 1

    def test_of_nothing_says_why(self):
        round_ = rounds.graded()
        models.Grade.objects.filter(round=round_).update(is_current=False)

        data = figure(round_, "agreement")

        assert data["parts"] == []
        assert data["overall"]["coefficients"][0]["reason"] == "no_grades"


class TestTheDisputes:
    def test_find_who_stands_alone(self):
        round_ = rounds.graded(marks=lambda system, item, rater: 0 if rater == 0 else 2)

        data = figure(round_, "disputes")

        alone = [one for one in data["raters"] if one["capability"] is None and one["n_alone"]]
        assert len(alone) == 1
        assert alone[0]["value"]["value"] == 1.0
        assert len(data["places"]) == 8
        assert data["few_raters"]

    def test_follow_the_rules_that_are_asked_for(self):
        round_ = rounds.graded(marks=lambda system, item, rater: rater % 3)

        wide = figure(round_, "disputes", question="range", span=2)
        literal = figure(round_, "disputes", question="literal")

        assert all(one["divided"] for one in wide["places"])
        assert literal["never"]


class TestTheRaters:
    def test_have_severity_pace_and_position(self):
        round_ = rounds.graded(n_items=8, marks=lambda system, item, rater: 0 if rater == 0 else 2)

        data = figure(round_, "raters")

        severe = max(data["severity"]["raters"], key=lambda one: one["severity"])
        assert severe["points"] > 0.3
        assert len(data["severity"]["releases"]) == 2
        assert [one["reason"] for one in data["retest"]] == ["no_repeats"] * 3
        assert {one["position"] for one in data["position"]["positions"]} == {0, 1}


class TestThePlan:
    def test_takes_the_round_as_pilot(self):
        round_ = rounds.graded(
            n_items=8, marks=lambda system, item, rater: min(2, (system + item + rater) % 3)
        )

        data = figure(round_, "plan", delta=10)

        assert data["delta"] == 0.1
        assert data["components"]["n_pairs"] == 1
        assert len(data["needs"]) == 7


class TestTheModel:
    def test_stands_beside_the_scores(self):
        round_ = rounds.graded(n_items=8)

        found = figure(round_, "model")

        scored = {
            one["release"]: one["value"]["value"]
            for one in figure(round_, "scores")["usual"]["scores"]
            if (one["level"], one["figure"]) == ("overall", "score")
        }
        assert {one["release"]: one["plain"] for one in found["systems"]} == pytest.approx(scored)
        assert all(one["apart"] == pytest.approx(0, abs=1e-6) for one in found["systems"])
        assert [one["name"] for one in found["components"]][-1] == "rest"
        (gap,) = found["differences"]
        assert gap["plain"] == pytest.approx(scored[gap["left"]] - scored[gap["right"]])

    def test_of_one_system_says_why_there_is_none(self):
        found = figure(rounds.graded(systems=("Kestrel",)), "model")

        assert (found["reason"], found["systems"]) == ("one_system", [])
