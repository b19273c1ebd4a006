import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.stats.people import trials
from scoring.stats.people.trials import TrialCause, TrialMarks
from scoring.stats.plain import Reason


def marks(rows, right=None, per_question=1):
    table = np.array(rows, dtype=float)
    truth = np.ones(table.shape[1]) if right is None else np.array(right, dtype=float)
    return TrialMarks(table, truth, np.arange(len(truth)) // per_question)


#: Six units, all right; the last two are wrong for good annotators and weak ones alike.
GOOD, WEAK = [1, 1, 1, 1], [0, 0, 1, 0]


class TestRate:
    def test_counts_equal_grades_against_the_reference_and_the_others(self):
        found = trials.rate(marks([[1, 1, 0, 0.5], [1, 1, 0, 1], [0, 1, 0, 1]], [1, 1, 0, 1]))

        assert [one.reference.value for one in found] == pytest.approx([0.75, 1, 0.75])
        assert [one.peers.value for one in found] == pytest.approx([5 / 8, 6 / 8, 5 / 8])
        assert [one.severity.value for one in found] == pytest.approx([-0.125, 0, -0.25])
        assert (found[0].reference.n, found[0].reference.n_questions) == (4, 4)

    def test_is_kappa_of_the_published_paradox(self):
        """The table 118/5/2/0: κ −0.023 at a raw agreement of 0.944 (METHODS-LALAEVAL)."""
        mine = [1] * 118 + [1] * 5 + [0] * 2
        right = [1] * 118 + [0] * 5 + [1] * 2

        raw, kappa = (
            trials.rate(marks([mine], right), statistic=name)[0].reference
            for name in ("RAW", "KAPPA")
        )

        assert raw.value == pytest.approx(0.944)
        assert kappa.value == pytest.approx(-0.023, abs=5e-4)

    @settings(max_examples=25, deadline=None)
    @given(st.lists(st.integers(0, 3), min_size=4, max_size=30), st.integers(0, 99))
    def test_is_one_where_nothing_differs_and_no_higher(self, right, seed):
        rng = np.random.default_rng(seed)
        other = rng.integers(0, 4, len(right)) / 3
        truth = np.array(right) / 3

        same, guess = trials.rate(marks([truth, other], truth))

        assert same.reference.value == 1
        assert same.severity.value == 0
        assert 0 <= guess.reference.value <= 1
        assert same.peers.value == pytest.approx(guess.reference.value)

    def test_takes_labels_for_right_or_wrong_and_for_no_number(self):
        scaled, labels = [1, 0.5, 0, 1], [3, 1, 2, 3]
        right = [1, 1, 0, 1, 1, 1, 2, 3]
        both = TrialMarks(
            np.array([scaled + labels], dtype=float),
            np.array(right, dtype=float),
            np.arange(8),
            np.array([0] * 4 + [1] * 4),
            np.array([False] * 4 + [True] * 4),
        )

        (raw,), (kappa,) = (trials.rate(both, statistic=name) for name in ("RAW", "KAPPA"))

        alone = trials.rate(marks([scaled], right[:4]), statistic="KAPPA")[0]
        assert (raw.reference.value, raw.reference.n) == (6 / 8, 8)
        assert raw.severity.value == alone.severity.value == -0.125
        assert kappa.reference.value == pytest.approx(alone.reference.value)

    def test_rests_its_interval_on_questions_not_grades(self):
        rows = [[1] * 6 + [0] * 6]

        (few,) = trials.rate(marks(rows, per_question=3))
        (many,) = trials.rate(marks(rows))

        assert few.reference.n_questions == 4
        assert few.reference.high - few.reference.low > many.reference.high - many.reference.low

    def test_takes_no_difference_of_criteria_for_agreement(self):
        # By chance within each criterion; the second is marked higher by everybody.
        right = np.array([0, 1, 0, 1, 0, 1, 0, 1] * 2) / 4 + np.repeat([0, 0.5], 8)
        given = np.array([[0, 0, 1, 1, 0, 0, 1, 1] * 2]) / 4 + np.repeat([0, 0.5], 8)
        criterion = np.repeat([0, 1], 8)

        (pooled,) = trials.rate(TrialMarks(given, right, np.arange(16)), statistic="KAPPA")
        (each,) = trials.rate(TrialMarks(given, right, np.arange(16), criterion), statistic="KAPPA")

        assert pooled.reference.value > 0.7
        assert each.reference.value == pytest.approx(0)
        assert each.reference.n == 16

    def test_says_why_there_is_no_figure(self):
        nothing = trials.rate(marks([[np.nan, np.nan]]))[0]
        alone = trials.rate(marks([[1, 1]]), statistic="KAPPA")[0]

        assert nothing.reference.reason is Reason.NO_GRADES
        assert nothing.severity.reason is Reason.NO_GRADES
        assert alone.peers.reason is Reason.ONE_RATER
        assert alone.reference.reason is Reason.ONE_LEVEL

    def test_refuses_marks_without_a_reference(self):
        with pytest.raises(ValueError, match="no reference"):
            marks([[1, 1]], [1, np.nan])
        with pytest.raises(ValueError, match="length"):
            TrialMarks(np.ones((2, 3)), np.ones(2), np.arange(2))


class TestUpperLower:
    def test_is_that_of_the_textbook(self):
        """Of 10 in the upper half 8 are right, of 10 in the lower half 4: (8 − 4) / 10."""
        rest = np.linspace(1, 0, 20)
        right = np.array([1] * 8 + [0] * 2 + [1] * 4 + [0] * 6, dtype=float)

        assert trials.upper_lower(right, rest) == pytest.approx(0.4)

    def test_leaves_the_middle_out_and_shares_equal_places(self):
        assert trials.upper_lower(np.array([1.0, 0, 0]), np.array([3.0, 2, 1])) == 1
        assert trials.upper_lower(np.array([1.0, 0, 1, 0]), np.ones(4)) == 0
        assert trials.upper_lower(np.array([1.0, 0, 1, 0]), np.array([2.0, 1, 1, 0])) == 0.75 - 0.25

    @given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5)), min_size=2, max_size=20))
    def test_turns_its_sign_with_the_order(self, people):
        right, rest = (np.array(column, dtype=float) for column in zip(*people, strict=True))

        index = trials.upper_lower(right, rest)

        assert -1 <= index <= 1
        assert trials.upper_lower(right, -rest) == pytest.approx(-index)

    def test_refuses_one_person(self):
        with pytest.raises(ValueError, match="two people"):
            trials.upper_lower(np.ones(1), np.ones(1))


class TestDiagnose:
    def test_finds_nothing_where_everybody_reaches_it(self):
        assert trials.diagnose(marks([GOOD, GOOD, GOOD]), at=0.8).cause is TrialCause.NOBODY

    def test_names_a_few_annotators(self):
        found = trials.diagnose(marks([GOOD, GOOD, GOOD, WEAK]), at=0.8)

        assert (found.cause, found.below, found.helped) == (TrialCause.PEOPLE, (3,), ())
        assert not any(one.suspect for one in found.units)
        assert [one.discrimination for one in found.units][:2] == [0.5, 0.5]

    def test_names_the_rubric_where_the_best_err_like_the_others(self):
        rows = [[*GOOD, 0], [*GOOD, 0], [1, 1, 1, 0, 1]]

        found = trials.diagnose(marks(rows), at=0.9)

        assert found.units[4].suspect
        assert found.cause is TrialCause.RUBRIC
        assert (found.n_wrong, found.n_wrong_suspect) == (3, 2)

    def test_names_the_rubric_where_one_unit_keeps_a_few_below(self):
        rows = [[1, 1, 1, 1, 0], [1, 1, 1, 1, 0], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1]]

        found = trials.diagnose(marks(rows), at=0.9)

        assert (found.cause, found.below, found.helped) == (TrialCause.RUBRIC, (0, 1), (0, 1))

    def test_names_both(self):
        """One falls below by the unit on which half of all err, another one everywhere."""
        good, erring = [1] * 9, [1] * 8 + [0]
        rows = [[0, *erring[1:]], erring, erring, [0] * 6 + [1] * 3, good, good]

        found = trials.diagnose(marks(rows), at=0.85)

        assert [one.unit for one in found.units if one.suspect] == [8]
        assert (found.cause, found.below, found.helped) == (TrialCause.BOTH, (0, 3), (0,))

    def test_cannot_tell_two_people_from_a_wording(self):
        found = trials.diagnose(marks([GOOD, WEAK]), at=0.8)

        assert found.cause is TrialCause.UNKNOWN
        assert found.units[0].discrimination is None
