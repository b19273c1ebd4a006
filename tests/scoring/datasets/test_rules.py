import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.rubrics.rules import CHOICES
from scoring.datasets import rules
from scoring.datasets.rules import AnswerMark, DataRules, LeftOut, PairVote

TEXTS = {1: "one", 2: "two", 3: "three"}


def marks(*shares):
    """Return marks of answers 1, 2, …: for each the shares that annotators gave, None for no mark."""
    return [
        AnswerMark(response, rater, share)
        for response, some in enumerate(shares, 1)
        for rater, share in enumerate(some)
        if share is not None
    ]


def votes(*values, pair=(1, 2)):
    left, right = pair
    return [PairVote(left, right, rater, value) for rater, value in enumerate(values)]


class TestPairsOfMarks:
    def test_have_the_better_answer_first(self):
        found = rules.pairs_of_marks(marks((0.5, 0.5), (1.0, 1.0)), DataRules(), TEXTS)

        (pair,) = found.pairs
        assert (pair.chosen, pair.rejected) == (2, 1)
        assert (pair.chosen_score, pair.rejected_score, pair.margin) == (1.0, 0.5, 0.5)
        assert (pair.n_raters, pair.agreement) == (2, 1.0)

    @pytest.mark.parametrize(
        ("given_", "asked", "reason"),
        [
            (marks((1.0,), (0.5,)), DataRules(raters=2), LeftOut.FEW),
            (marks((1.0, None), (None, 0.0)), DataRules(), LeftOut.FEW),
            (marks((0.8,), (0.6,)), DataRules(margin=0.25), LeftOut.CLOSE),
            (marks((1.0, 0.0), (0.0, 0.5)), DataRules(margin=0.2), LeftOut.DISAGREED),
            (marks((0.5,), (0.5,)), DataRules(margin=0), LeftOut.TIED),
        ],
    )
    def test_are_left_out_with_the_reason(self, given_, asked, reason):
        found = rules.pairs_of_marks(given_, asked, TEXTS)

        assert (found.pairs, dict(found.left_out)) == ([], {reason: 1})

    def test_take_a_margin_that_is_just_kept(self):
        found = rules.pairs_of_marks(marks((0.7,), (0.4,)), DataRules(margin=0.3), TEXTS)

        assert len(found.pairs) == 1

    @pytest.mark.parametrize("texts", [{1: "same", 2: "same"}, {1: "one", 2: ""}])
    def test_are_none_of_answers_that_say_the_same_or_nothing(self, texts):
        found = rules.pairs_of_marks(marks((1.0,), (0.0,)), DataRules(), texts)

        assert dict(found.left_out) == {LeftOut.SAME: 1}

    def test_are_one_a_question_where_that_is_wanted(self):
        given_ = marks((1.0,), (0.5,), (0.0,))

        every = rules.pairs_of_marks(given_, DataRules(), TEXTS)
        one = rules.pairs_of_marks(given_, DataRules(one_each=True), TEXTS)

        assert len(every.pairs) == 3
        assert [(pair.chosen, pair.rejected) for pair in one.pairs] == [(1, 3)]

    @given(
        st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=2, max_size=3),
        st.floats(0, 1),
        st.floats(0, 1),
    )
    def test_keep_what_was_asked_and_account_for_every_pair(self, shares, margin, agreement):
        asked = DataRules(margin=margin, agreement=agreement)
        found = rules.pairs_of_marks(marks(*shares), asked, TEXTS)

        n_pairs = len(shares) * (len(shares) - 1) // 2
        assert len(found.pairs) + found.left_out.total() == n_pairs
        for one in found.pairs:
            assert one.margin >= margin - 2e-9
            assert one.agreement >= agreement - 2e-9
            assert one.chosen != one.rejected


class TestPairsOfVotes:
    def test_have_the_answer_first_that_most_chose(self):
        found = rules.pairs_of_votes(votes(4, 5, 4, 2), DataRules(agreement=0.75), TEXTS)

        (pair,) = found.pairs
        assert (pair.chosen, pair.rejected, pair.agreement, pair.n_raters) == (2, 1, 0.75, 4)

    def test_are_the_same_from_either_side(self):
        turned = [PairVote(2, 1, 0, 2), PairVote(1, 2, 1, 4)]

        (pair,) = rules.pairs_of_votes(turned, DataRules(), TEXTS).pairs

        assert (pair.chosen, pair.agreement) == (2, 1.0)

    @pytest.mark.parametrize(
        ("given_", "asked", "reason"),
        [
            (votes(2), DataRules(raters=2), LeftOut.FEW),
            (votes(3, 3, 2), DataRules(agreement=0), LeftOut.TIED),
            (votes(2, 4), DataRules(agreement=0), LeftOut.DISAGREED),
            (votes(2, 4, 6), DataRules(agreement=0), LeftOut.DISAGREED),
            (votes(2, 4, 3, 3), DataRules(agreement=0), LeftOut.TIED),
            (votes(6, 6, 2), DataRules(agreement=0), LeftOut.BAD),
            (votes(2, 2, 4), DataRules(agreement=0.75), LeftOut.DISAGREED),
            (votes(2, 2, 3, 6), DataRules(agreement=0.75), LeftOut.DISAGREED),
        ],
    )
    def test_are_left_out_with_the_reason(self, given_, asked, reason):
        found = rules.pairs_of_votes(given_, asked, TEXTS)

        assert (found.pairs, dict(found.left_out)) == ([], {reason: 1})

    def test_of_several_pairs_are_counted_apart(self):
        found = rules.pairs_of_votes(
            [*votes(2), *votes(4, pair=(1, 3)), *votes(3, pair=(2, 3))], DataRules(), TEXTS
        )

        assert [(one.chosen, one.rejected) for one in found.pairs] == [(1, 2), (3, 1)]
        assert dict(found.left_out) == {LeftOut.TIED: 1}


class TestGoodAnswers:
    def test_are_the_best_of_a_question(self):
        (good,) = rules.good_answers(marks((1.0, 0.5), (1.0, 1.0)), DataRules(), TEXTS).good

        assert (good.response, good.score, good.n_raters) == (2, 1.0, 2)

    def test_are_none_where_none_is_good_enough(self):
        found = rules.good_answers(marks((0.5,), (0.7,)), DataRules(good=0.75), TEXTS)

        assert (found.good, dict(found.left_out)) == ([], {LeftOut.LOW: 1})

    def test_need_enough_annotators(self):
        found = rules.good_answers(marks((1.0,), (1.0,)), DataRules(raters=2), TEXTS)

        assert dict(found.left_out) == {LeftOut.FEW: 1}

    def test_say_something(self):
        found = rules.good_answers(marks((1.0,)), DataRules(), {1: ""})

        assert dict(found.left_out) == {LeftOut.SAME: 1}

    def test_of_choices_were_chosen_most_and_are_not_bad(self):
        given_ = [*votes(2, 2), *votes(6, pair=(2, 3))]

        found = {(one.response, one.rater): one.share for one in rules.marks_of_votes(given_)}

        assert found == {(1, 0): 1.0, (2, 0): 0.0, (1, 1): 1.0, (2, 1): 0.0, (3, 0): 0.0}


def test_every_choice_has_a_worth():
    assert set(rules.WORTH) == set(CHOICES)
    assert set(rules.REASONS) == set(LeftOut)
