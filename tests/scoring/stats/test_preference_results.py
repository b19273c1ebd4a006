import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats import frame
from scoring.stats.plain import Reason
from scoring.stats.preferences import agreeing, beside, choices, rates
from scoring.stats.preferences.choices import Choices
from scoring.stats.scores.said import PlanComponents

TURNED = {1: 5, 2: 4, 3: 3, 4: 2, 5: 1, 6: 6}


def chose(*rows, **more):
    """A ratings frame of rows of question, rater, the systems at A and B, and the choice."""
    question, rater, at_a, at_b, value = zip(*rows, strict=True)
    n = len(rows)
    return frame.frame(
        {
            "item": question,
            "group": question,
            "rater": rater,
            "release": at_a,
            "against": at_b,
            "value": value,
            "criterion": ["better"] * n,
            "capability": ["Facts"] * n,
            "scale_min": [1] * n,
            "scale_max": [6] * n,
            "mark": ["CHOICE"] * n,
            **more,
        }
    )


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["q1", "q2", "q3"]),
        st.sampled_from(["ann", "ben", "cem"]),
        st.sampled_from(list(itertools.combinations("ABC", 2))),
        st.booleans(),
        st.integers(1, 6),
    ),
    min_size=1,
    max_size=25,
    unique_by=lambda row: row[:3],
)


def laid(rows, *, other_way=False):
    """Rows as of `chose`; turned `other_way` every answer stands at the other side."""
    made = []
    for question, rater, (left, right), is_turned, value in rows:
        if is_turned == other_way:
            made.append((question, rater, left, right, value))
        else:
            made.append((question, rater, right, left, TURNED[value]))
    return chose(*made)


def worths(rows, *, questions=None, raters=None, n_systems=None):
    """Choices from rows of first, second and worth."""
    first, second, worth = (np.array(one) for one in zip(*rows, strict=True))
    n = len(rows)
    question = np.arange(n) if questions is None else np.array(questions)
    return Choices(
        first,
        second,
        worth.astype(float),
        np.zeros(n, int),
        question,
        np.zeros(n, int) if raters is None else np.array(raters),
        tuple(range(n_systems or int(max(first.max(), second.max())) + 1)),
        np.zeros(int(question.max()) + 1, int),
    )


class TestTurned:
    @given(ROWS)
    def test_choices_do_not_know_at_which_side_an_answer_stood(self, rows):
        one, other = (agreeing.turned(laid(rows, other_way=way)) for way in (False, True))

        for name in ("release", "against", "response", "value"):
            assert one[name].tolist() == other[name].tolist()

    def test_choices_are_of_the_same_answers_for_everybody(self):
        found = agreeing.turned(chose(("q", "ann", "B", "A", 1), ("q", "ben", "A", "B", 6)))

        assert found["value"].tolist() == [5, 6]
        assert found["response"].nunique() == 1
        assert (found["release"].tolist(), found["against"].tolist()) == (["A", "A"], ["B", "B"])

    def test_leaves_out_what_was_no_choice(self):
        made = chose(("q", "ann", "A", None, 1), ("q", "ann", "A", "B", None))

        assert agreeing.turned(made)["value"].isna().tolist() == [True]


class TestAgreement:
    def test_of_a_pair_of_systems_is_alpha_worked_out_by_hand(self):
        found = agreeing.turned(
            chose(
                *(
                    ("q1", who, "A", "B", value)
                    for who, value in zip("abc", (2, 2, 5), strict=True)
                ),
                *(("q2", who, "B", "A", 3) for who in "ab"),
                *(("q1", who, "A", "C", 1) for who in "ab"),
            )
        )

        pairs = agreeing.by_pair(found)

        assert [(one.left, one.right) for one in pairs] == [("A", "B"), ("A", "C")]
        assert pairs[0].value == pytest.approx(1 - 0.4 / 0.8)
        assert pairs[1].reason is Reason.ONE_LEVEL

    def test_of_a_pair_is_a_mean_over_criteria_and_not_of_them_in_one(self):
        # By each criterion all choose alike but once; what they choose differs between criteria.
        rows = [
            (f"q{n}", who, "A", "B", 2 if (n, who) != (1, "a") else 4)
            for n in range(6)
            for who in "abc"
        ]
        turned = [(*row[:4], TURNED[row[4]]) for row in rows]
        both = agreeing.turned(chose(*rows, *turned, criterion=["better"] * 18 + ["kinder"] * 18))
        alone = agreeing.turned(chose(*rows))

        (one,), (of,) = agreeing.by_pair(alone), agreeing.by_pair(both)

        assert of.value == pytest.approx(one.value)
        assert (of.n_pairable, of.n_clusters) == (12, 6)

    @given(ROWS)
    def test_counts_others_who_chose_the_same(self, rows):
        found = agreeing.turned(laid(rows))
        made = agreeing.alike(found)

        held = list(zip(found["response"], found["value"], strict=True))
        for n, (place, value) in enumerate(held):
            others = [one for m, one in enumerate(held) if m != n and one[0] == place]
            assert made.met[n] == len(others)
            assert made.same[n] == sum(one[1] == value for one in others)

    def test_finds_what_somebody_chose_twice_at_whichever_side(self):
        made = chose(
            ("q1", "ann", "A", "B", 2),
            ("q1", "ann", "B", "A", 4),
            ("q2", "ann", "A", "B", 2),
            ("q2", "ann", "A", "B", 3),
            occasion=[1, 2, 1, 2],
        )

        assert agreeing.again(agreeing.turned(made))["same"].tolist() == [True, False]


class TestSettled:
    def test_takes_the_place_of_each_choice_of_the_pair_and_of_no_other(self):
        made = chose(
            ("q1", "ann", "A", "B", 2),
            ("q1", "ben", "B", "A", 2),
            ("q1", "ann", "A", "C", 4),
            ("q1", "boss", "A", "B", 1),
            ("q2", "boss", "C", "A", 4),
            grade_kind=["GIVEN"] * 3 + ["ADJUDICATED"] * 2,
        )

        found = agreeing.settled(made)

        assert found["value"].tolist() == [1, 5, 4, 1, 4]
        assert found["release"].tolist() == ["A", "B", "A", "A", "C"]
        assert found["grade_kind"].tolist() == ["GIVEN"] * 3 + ["ADJUDICATED", "GIVEN"]

    @given(ROWS)
    def test_leaves_choices_as_they_are_where_nothing_was_settled(self, rows):
        made = laid(rows)

        found = agreeing.settled(made)

        for name in ("release", "against", "value", "rater"):
            assert found[name].tolist() == made[name].tolist()

    def test_refuses_two_answers_that_were_settled_twice(self):
        made = chose(
            ("q1", "boss", "A", "B", 1),
            ("q1", "boss", "B", "A", 1),
            grade_kind=["ADJUDICATED"] * 2,
        )

        with pytest.raises(ValueError, match="twice"):
            agreeing.settled(made)


class TestOpposed:
    def test_names_who_stands_alone(self):
        found = agreeing.opposed(
            agreeing.turned(
                chose(
                    ("q1", "ann", "A", "B", 1),
                    ("q1", "ben", "B", "A", 4),
                    ("q1", "cem", "A", "B", 4),
                    ("q1", "ann", "A", "C", 2),
                    ("q1", "ben", "A", "C", 3),
                )
            )
        )

        (question,) = found.in_dispute
        assert (question.normalised, question.n_divided, question.n_alone) == (Fraction(1, 2), 1, 1)
        (place,) = found.places
        assert (place.release, place.against, place.alone) == ("A", "B", ("cem",))
        alone = {one.rater: (one.n_alone, one.n_graded) for one in found.raters if one.overall}
        assert alone == {"ann": (0, 1), "ben": (0, 1), "cem": (1, 1)}

    @given(ROWS)
    def test_divides_where_both_answers_were_chosen(self, rows):
        found = agreeing.opposed(agreeing.turned(laid(rows)))

        sides: dict[tuple[str, tuple[str, str]], set[bool]] = {}
        for question, _rater, pair, _turned, value in rows:
            if value not in (3, 6):
                sides.setdefault((question, pair), set()).add(value < 3)
        divided = {place for place, taken in sides.items() if len(taken) == 2}
        assert {(one.question, (one.release, one.against)) for one in found.places} == divided

    def test_of_nothing_says_so(self):
        nothing = agreeing.turned(chose(("q", "ann", "A", "B", None)))

        assert agreeing.opposed(nothing).reason is Reason.NO_GRADES


class TestTriads:
    @given(ROWS)
    def test_are_those_counted_one_by_one(self, rows):
        made = choices.of_ratings(laid(rows))

        beats: dict[tuple[int, int], dict[tuple[int, int], bool]] = {}
        for q, r, a, b, worth in zip(
            made.question, made.rater, made.first, made.second, made.worth, strict=True
        ):
            mine = beats.setdefault((int(q), int(r)), {})
            mine.pop((min(a, b), max(a, b)), None)
            if worth != 0.5:
                mine[min(a, b), max(a, b)] = (worth == 1) == (a < b)
        n = circular = 0
        for mine in beats.values():
            systems = sorted({one for pair in mine for one in pair})
            for a, b, c in itertools.combinations(systems, 3):
                if {(a, b), (b, c), (a, c)} <= mine.keys():
                    n += 1
                    circular += mine[a, b] == mine[b, c] != mine[a, c]
        assert choices.triads(made) == choices.Triads(n, circular)


class TestBesideGrades:
    GRADES = np.array([[1.0, 0.5, np.nan]] * 8)

    def test_share_is_counted_by_hand(self):
        rows = [(0, 1, 1.0)] * 4 + [(1, 0, 1.0)] + [(0, 1, 0.5)] + [(0, 2, 1.0)] * 2
        made = worths(rows, n_systems=3)

        found = beside.beside(made, self.GRADES, criterion="better", questions=tuple("abcdefgh"))

        assert (found.these.value, found.n) == (Fraction(4, 5), 5)
        assert (found.n_tied, found.n_alike, found.n_ungraded) == (1, 0, 2)
        assert found.gamma == pytest.approx(0.6)
        (apart,) = found.apart
        assert (apart.question, apart.left, apart.right) == ("e", 1, 0)

    @given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.5, 1.0])), min_size=1))
    def test_does_not_know_sides(self, rows):
        grades = np.array([[0.9, 0.4]] * len(rows))
        names = tuple(map(str, range(len(rows))))
        made = [
            worths([(1, 0, 1 - worth) if turn != way else (0, 1, worth) for turn, worth in rows])
            for way in (False, True)
        ]

        one, other = (
            beside.beside(each, grades, criterion="better", questions=names) for each in made
        )

        assert (one.these, one.apart, one.pairs) == (other.these, other.apart, other.pairs)

    def test_of_answers_that_nobody_graded_says_so(self):
        made = worths([(0, 1, 1.0)])

        found = beside.beside(made, np.full((1, 2), np.nan), criterion="better", questions=("q",))

        assert (found.reason, found.these.value) == (Reason.NOTHING_SHARED, None)

    def test_mean_grades_weigh_criteria_alike(self):
        rows = [("q", "A", "ann", "c1", 2, 2), ("q", "A", "ann", "c2", 0, 4)]
        rows += [("q", "A", "ben", "c2", 0, 4)]
        names = ("item", "release", "rater", "criterion", "value", "scale_max")
        columns = dict(zip(names, zip(*rows, strict=True), strict=True))
        made = frame.frame({**columns, "group": columns["item"], "scale_min": [0] * len(rows)})

        assert beside.mean_grades(made) == {("q", "A"): 0.5}

    def test_intervals_hold_the_share(self):
        """Of 300 rounds of 40 questions and 5 annotators, 92 to 98 in a hundred intervals hold it."""
        held = 0
        for seed in range(300):
            chance = np.random.default_rng(seed)
            own = np.clip(0.75 + 0.15 * chance.standard_normal(40), 0.02, 0.98)
            rows, questions, raters = [], [], []
            for q, r in itertools.product(range(40), range(5)):
                rows.append((0, 1, float(chance.random() < own[q])))
                questions.append(q)
                raters.append(r)
            made = worths(rows, questions=questions, raters=raters)
            grades = np.array([[1.0, 0.0]] * 40)
            found = beside.beside(
                made, grades, criterion="better", questions=tuple(map(str, range(40)))
            )
            truth = 0.7466  # the mean of a normal of 0.75 and 0.15 cut at 0.02 and 0.98
            held += found.these.low <= truth <= found.these.high
        assert 0.92 <= held / 300 <= 0.98


class TestPlan:
    FOUND = PlanComponents(0.04, 0.01, 0.15, 30, 3, 1, 90, ())

    def test_half_width_is_worked_out_by_hand(self):
        assert rates.half_width(self.FOUND, 100, 4) == pytest.approx(
            1.959964 * ((0.04 + 0.15 / 4) / 100 + 0.01 / 4) ** 0.5, rel=1e-6
        )

    @given(st.integers(1, 12), st.floats(0.02, 0.4))
    def test_questions_are_the_fewest_that_do(self, n_raters, half):
        n = rates.questions_for(self.FOUND, n_raters, half=half)

        if n is None:
            assert rates.half_width(self.FOUND, 10**7, n_raters) > half * 0.999
        else:
            assert rates.half_width(self.FOUND, n, n_raters) <= half * (1 + 1e-9)
            assert n == 2 or rates.half_width(self.FOUND, n - 1, n_raters) > half

    def test_refuses_no_width_and_no_people(self):
        with pytest.raises(ValueError, match="above 0"):
            rates.questions_for(self.FOUND, 3, half=0)
        with pytest.raises(ValueError, match="a question"):
            rates.half_width(self.FOUND, 0, 3)

    def test_needs_two_people_on_two_questions(self):
        assert rates.plan_components(worths([(0, 1, 1.0), (0, 1, 0.0)])) is None

    @pytest.mark.parametrize(("n_questions", "n_raters"), [(20, 3), (60, 5), (100, 10)])
    def test_says_how_much_rates_vary_in_simulated_rounds(self, n_questions, n_raters):
        found, told = [], []
        for seed in range(300):
            chance = np.random.default_rng(seed)
            question = chance.normal(0, 0.6, n_questions)
            rater = chance.normal(0, 0.3, n_raters)
            rest = chance.normal(0, 1, (n_questions, n_raters))
            worth = (0.2 + question[:, None] + rater + rest > 0).astype(float).ravel()
            q, r = (one.ravel() for one in np.indices((n_questions, n_raters)))
            made = worths([(0, 1, one) for one in worth], questions=q.tolist(), raters=r.tolist())
            found.append(worth.mean())
            parts = rates.plan_components(made)
            assert parts is not None
            told.append(rates.half_width(parts, n_questions, n_raters) ** 2)

        assert np.sqrt(np.mean(told)) == pytest.approx(1.96 * np.std(found), rel=0.15)


class TestRates:
    def test_of_a_hundred_thousand_choices_are_there_at_once(self):
        chance = np.random.default_rng(1)
        n = 100_000
        first = chance.integers(0, 6, n)
        second = (first + chance.integers(1, 6, n)) % 6
        made = Choices(
            first,
            second,
            chance.choice([0.0, 0.5, 1.0], n),
            np.zeros(n, int),
            np.arange(n) // 30,
            np.arange(n) % 10,
            tuple(range(6)),
            np.arange(n // 30 + 1) % 8,
        )

        found = rates.rates(made)

        assert len(found.pairs) == 15
        assert all(0.45 < float(one.these.value) < 0.55 for one in found.field)
