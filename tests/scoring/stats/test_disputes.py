import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats.people import disputes
from scoring.stats.people.said import DisputeRules
from scoring.stats.plain import Reason, plain
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


def of_rater(found, rater, capability=None):
    """Return C(ij), or C(i) without a capability."""
    (one,) = [one for one in found.raters if (one.rater, one.capability) == (rater, capability)]
    return one


class TestWorkedExample:
    def test_of_raters(self, example):
        found = disputes.disputes(rated_as(example), rules=DisputeRules(question="share"))

        assert [
            [rater, p.question, p.release] for p in found.places for rater in p.alone
        ] == example["F"]
        for rater, by_capability in example["C_ij"].items():
            assert of_rater(found, rater).value == Fraction(example["C_i"][rater])
            for capability, value in by_capability.items():
                assert of_rater(found, rater, capability).value == Fraction(value)

    def test_of_questions(self, example):
        found = disputes.disputes(rated_as(example), rules=DisputeRules(question="share"))

        assert [[p.question, p.release] for p in found.places if p.divided] == example["G_default"]
        printed = {one.question: one.printed for one in found.questions}
        normalised = {one.question: one.normalised for one in found.questions}
        assert printed == {k: Fraction(v) for k, v in example["C_k_printed"].items()}
        assert normalised == {k: Fraction(v) for k, v in example["C_k_norm"].items()}

    def test_of_disagreement(self, example):
        for rule in RULES:
            found = disputes.disagreements(rated_as(example))[rule]
            known = {k: Fraction(v) for k, v in example["disagreement"][rule].items()}
            assert {one.capability: one.value for one in found} == known

    def test_of_the_literal_rule(self, example):
        found = disputes.disputes(rated_as(example), rules=DisputeRules(question="literal"))

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
        found = disputes.disputes(one_response(*values), rules=DisputeRules(question="literal"))

        assert found.never
        assert not any(place.divided for place in found.places)

    @given(st.lists(st.integers(0, 3), min_size=3, max_size=3))
    def test_of_three_raters_both_rules_coincide(self, values):
        found = disputes.disputes(one_response(*values))

        assert found.few_raters
        assert all(bool(place.alone) == place.divided for place in found.places)

    def test_by_distance_from_the_median(self):
        ratings = one_response(3, 3, 0)

        assert disputes.disputes(ratings, rules=DisputeRules(rater="median")).places[0].alone == (
            "r2",
        )
        of_two = disputes.disputes(one_response(3, 0), rules=DisputeRules(rater="median"))
        assert not of_rater(of_two, "r0").value
        farther = disputes.disputes(ratings, rules=DisputeRules(rater="median", far=4))
        assert of_rater(farther, "r2").value == 0

    def test_by_range(self):
        found = disputes.disputes(one_response(1, 3), rules=DisputeRules(question="range"))

        assert found.places[0].divided

    def test_weigh_capabilities(self):
        ratings = frame_of(
            [
                rated("k", value, rater=f"r{i}", response=capability, capability=capability)
                for capability, values in (("a", (0, 1, 1)), ("b", (1, 1, 1)))
                for i, value in enumerate(values)
            ]
        )

        assert of_rater(disputes.disputes(ratings), "r0").value == Fraction(1, 2)
        heavy = disputes.disputes(ratings, weights={"a": Fraction(3)})
        assert of_rater(heavy, "r0").value == Fraction(3, 4)
        none = disputes.disputes(ratings, weights={"a": Fraction(0), "b": Fraction(0)})
        assert of_rater(none, "r0").value is None

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
        assert set(disputes.disagreements(one_response(None)).values()) == {()}
        every = disputes.disagreements(one_response(1))
        assert set(every) == set(RULES)
        assert {one.reason for (one,) in every.values()} == {Reason.NO_OVERLAP}

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
        told = plain(disputes.disputes(one_response(0, 1, 1)))

        assert told["questions"][0]["printed"] == {"num": 2, "den": 3, "value": 2 / 3}


class TestWhatCannotBeSaid:
    def test_of_two_annotators_dilutes_no_share(self):
        alone = [rated("k", n, rater=f"r{n}", response="x", release="A") for n in (0, 1, 1)]
        alone = [{**row, "rater": f"r{i}"} for i, row in enumerate(alone)]
        pair = [rated("k", 1, rater=f"r{i}", response="y", release="B") for i in range(2)]

        found = disputes.disputes(frame_of(alone + pair))

        assert (of_rater(found, "r0").value, of_rater(found, "r0").n_graded) == (Fraction(1), 1)
        (one,) = found.questions
        assert (one.n_releases, one.n_places) == (2, 2)

    def test_of_fewer_than_three_is_undefined(self):
        found = disputes.disputes(one_response(0, 1))

        assert [(one.value, one.reason) for one in found.raters] == [(None, Reason.UNDER_THREE)] * 4
        assert found.questions[0].normalised == Fraction(1, 2)

    def test_without_a_pass_mark_is_undefined(self):
        found = disputes.disputes(one_response(1, 5, 5, scale_min=1, top=5))

        assert {(one.value, one.reason) for one in found.raters} == {(None, Reason.NO_THRESHOLD)}
        (one,) = found.questions
        assert (one.printed, one.normalised, one.reason) == (None, None, Reason.NO_THRESHOLD)

    def test_leaves_marks_without_a_pass_mark_out_of_the_share(self):
        known = [rated("k", n, rater=f"r{i}", response="x") for i, n in enumerate((0, 1, 1))]
        unknown = [
            rated("k", n, rater=f"r{i}", response="x", criterion="tone", scale_min=1, top=5)
            for i, n in enumerate((1, 5, 5))
        ]

        both, alone = (disputes.disputes(frame_of(rows)) for rows in (known + unknown, known))

        assert [one.value for one in both.raters] == [one.value for one in alone.raters]
        assert both.questions[0].normalised == alone.questions[0].normalised

    @given(
        st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6), min_size=1, max_size=8),
        st.sampled_from(["near_half", "literal", "share", "range"]),
        st.sampled_from(["alone", "median"]),
        st.fractions(0, 2),
    )
    def test_a_share_is_never_above_one(self, table, question, rater, w2):
        rows = [
            rated(
                "k",
                mark,
                rater=f"r{i}",
                response=f"x{n // 2}",
                release=f"s{n // 2}",
                criterion=f"c{n % 2}",
            )
            for n, marks in enumerate(table)
            for i, mark in enumerate(marks)
        ]

        found = disputes.disputes(
            frame_of(rows), rules=DisputeRules(rater=rater, question=question, w2=w2)
        )

        for share in [one.value for one in found.raters] + [
            one.normalised for one in found.questions
        ]:
            assert share is None or 0 <= share <= 1
