import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats.people import disputes
from scoring.stats.people.disputes import Rules
from scoring.stats.plain import Reason
from tests.scoring.ratings import frame_of, rated

RULES = ("any", "polar", "range", "modal")


@pytest.fixture
def example(golden):
    return json.loads((golden / "lalaeval" / "worked_examples.json").read_text())["score_example"]


def rated_as(example):
    return frame_of(
        [
            rated(
                one["question"],
                one["score"],
                release=one["model"],
                response=one["model"] + one["question"],
                capability=one["dim"],
                rater=one["grader"],
                top=one["max"],
            )
            for one in example["records"]
        ]
    )


def one_response(*values, **more):
    return frame_of(
        [rated("k", value, rater=f"r{i}", response="x", **more) for i, value in enumerate(values)]
    )


class TestWorkedExample:
    def test_of_raters(self, example):
        found = disputes.disputes(rated_as(example), rules=Rules(question="share"))

        assert [
            [rater, p.question, p.release] for p in found.places for rater in p.alone
        ] == example["F"]
        for rater, by_capability in example["C_ij"].items():
            assert found.of_rater(rater).value == Fraction(example["C_i"][rater])
            for capability, value in by_capability.items():
                assert found.of_rater(rater, capability).value == Fraction(value)

    def test_of_questions(self, example):
        found = disputes.disputes(rated_as(example), rules=Rules(question="share"))

        assert [[p.question, p.release] for p in found.places if p.divided] == example["G_default"]
        printed = {one.question: one.printed for one in found.questions}
        normalised = {one.question: one.normalised for one in found.questions}
        assert printed == {k: Fraction(v) for k, v in example["C_k_printed"].items()}
        assert normalised == {k: Fraction(v) for k, v in example["C_k_norm"].items()}

    def test_of_disagreement(self, example):
        for rule in RULES:
            found = disputes.disagreement(rated_as(example), rule=rule)
            known = {k: Fraction(v) for k, v in example["disagreement"][rule].items()}
            assert {one.capability: one.value for one in found} == known

    def test_of_the_literal_rule(self, example):
        found = disputes.disputes(rated_as(example), rules=Rules(question="literal"))

        assert [[p.question, p.release] for p in found.places if p.divided] == example[
            "G_paper_half"
        ]


class TestDisputes:
    @pytest.mark.parametrize(
        ("values", "alone", "divided"),
        [
            ((1, 1), (), False),
            ((0, 1), (), True),
            ((0, 1, 1), ("r0",), True),
            ((0, 0, 1, 1), (), True),
            ((0, 1, 1, 1), ("r0",), False),
            ((0, 0, 1, 1, 1), (), True),
            ((0,), (), False),
        ],
    )
    def test_by_the_default_rules(self, values, alone, divided):
        found = disputes.disputes(one_response(*values))

        place = found.places[0] if found.places else None
        assert (place.alone if place else ()) == alone
        assert (place.divided if place else False) == divided

    @given(st.lists(st.integers(0, 1), min_size=1, max_size=9).filter(lambda v: len(v) % 2))
    def test_the_literal_rule_never_holds_for_odd_numbers(self, values):
        found = disputes.disputes(one_response(*values), rules=Rules(question="literal"))

        assert found.never
        assert not any(place.divided for place in found.places)

    @given(st.lists(st.integers(0, 3), min_size=3, max_size=3))
    def test_of_three_raters_both_rules_coincide(self, values):
        found = disputes.disputes(one_response(*values))

        assert found.few_raters
        assert all(bool(place.alone) == place.divided for place in found.places)

    def test_by_distance_from_the_median(self):
        ratings = one_response(3, 3, 0)

        assert disputes.disputes(ratings, rules=Rules(rater="median")).places[0].alone == ("r2",)
        assert (
            not disputes.disputes(one_response(3, 0), rules=Rules(rater="median"))
            .of_rater("r0")
            .value
        )
        assert (
            disputes.disputes(ratings, rules=Rules(rater="median", far=4)).of_rater("r2").value == 0
        )

    def test_by_range(self):
        found = disputes.disputes(one_response(1, 3), rules=Rules(question="range"))

        assert found.places[0].divided

    def test_weigh_capabilities(self):
        ratings = frame_of(
            [
                rated("k", value, rater=f"r{i}", response=capability, capability=capability)
                for capability, values in (("a", (0, 1, 1)), ("b", (1, 1, 1)))
                for i, value in enumerate(values)
            ]
        )

        assert disputes.disputes(ratings).of_rater("r0").value == Fraction(1, 2)
        heavy = disputes.disputes(ratings, weights={"a": Fraction(3)})
        assert heavy.of_rater("r0").value == Fraction(3, 4)
        none = disputes.disputes(ratings, weights={"a": Fraction(0), "b": Fraction(0)})
        assert none.of_rater("r0").value is None

    def test_without_a_pass_mark_are_undefined(self):
        found = disputes.disputes(one_response(1, 2, 3, scale_min=1))

        assert (found.reason, found.n_without_threshold) == (Reason.NO_THRESHOLD, 3)
        assert not found.places

    def test_use_the_pass_mark_there_is(self):
        found = disputes.disputes(one_response(1, 2, 3, scale_min=1, pass_at=2))

        assert found.places[0].alone == ("r0",)

    def test_of_nothing(self):
        found = disputes.disputes(one_response(None))

        assert (found.reason, found.raters, found.questions) == (Reason.NO_GRADES, (), ())
        assert disputes.disagreement(one_response(None)) == ()
        every = disputes.disagreements(one_response(1))
        assert every == {rule: disputes.disagreement(one_response(1), rule=rule) for rule in RULES}
        assert disputes.disagreement(one_response(1))[0].reason is Reason.NO_OVERLAP
        with pytest.raises(KeyError):
            found.of_rater("nobody")

    def test_return_the_worst_questions_with_their_places(self):
        ratings = frame_of(
            [
                rated(f"q{k}", value, rater=f"r{i}", response=f"q{k}")
                for k, values in enumerate([(1, 1, 1), (0, 1, 1), (0, 0, 1)])
                for i, value in enumerate(values)
            ]
        )

        found = disputes.disputes(ratings, most=1)

        assert (len(found.questions), found.n_questions) == (1, 3)
        assert (len(found.places), found.n_places) == (1, 2)
        assert found.places[0].question == found.questions[0].question

    def test_are_plain(self):
        plain = disputes.disputes(one_response(0, 1, 1)).plain()

        assert plain["questions"][0]["printed"] == {"num": 2, "den": 3, "value": 2 / 3}
