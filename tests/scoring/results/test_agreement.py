from dataclasses import replace

import pytest

from scoring import jobs as scoring_jobs
from scoring.figures import labels, typed
from scoring.results import agreement
from tests.scoring import rounds

pytestmark = pytest.mark.django_db


def read(round_):
    data = scoring_jobs.compute(name="agreement", round_=round_, params={})
    return agreement.RoundAgreement(
        typed.read_figure(agreement.AgreementFigure, data), labels.labels_of(round_)
    )


def experts_agree(system, item, rater):
    """The first two annotators mark alike, the others drift apart from them and each other."""
    return (item + system + (item % (rater + 2) == 0 if rater > 1 else 0)) % 3


def of_groups(groups, **params):
    round_ = rounds.grouped(groups, n_items=30, marks=experts_agree)
    params = {"groups": labels.groups(round_), **params}
    data = scoring_jobs.compute(name="agreement", round_=round_, params=params)
    return agreement.RoundAgreement(
        typed.read_figure(agreement.AgreementFigure, data), labels.labels_of(round_)
    )


class TestVerdict:
    @pytest.mark.parametrize(
        ("value", "low", "high", "said"),
        [
            (0.9, 0.82, 0.97, "Annotators agree: α is 0.90."),
            (0.85, 0.7, 0.95, "Annotators agree well enough for tentative conclusions: α is 0.85."),
            (0.75, 0.5, 0.9, "Agreement is 0.75, but may be as low as 0.50."),
            (0.3, 0.1, 0.6, "Annotators disagree: α is 0.30."),
            (0.9, None, None, "Agreement is 0.90, from too little to say more."),
            (None, None, None, ""),
        ],
    )
    def test_says_no_more_than_the_interval_allows(self, value, low, high, said):
        figure = read(rounds.graded(n_items=9))._figure
        (alpha,) = [one for one in figure.overall.coefficients if one.name == "alpha_ordinal"]
        given = replace(alpha, value=value, low=low, high=high)
        overall = replace(figure.overall, coefficients=(given,))

        made = agreement.RoundAgreement(replace(figure, overall=overall), None)

        assert made.verdict == said


class TestAgreement:
    def test_has_a_triangle_of_pairs(self):
        found = read(rounds.graded(n_items=9))

        assert found.columns == ["Annotator 1", "Annotator 2"]
        assert [len(squares) for _label, squares in found.triangle] == [1, 2]

    def test_explains_the_paradox(self):
        rare = rounds.graded(
            n_items=12, marks=lambda system, item, rater: 0 if (item, rater) == (0, 0) else 2
        )

        (part,) = read(rare).paradoxes

        assert part.alpha.value < 0.4 < part.others[-1].value

    def test_puts_the_worst_annotator_first(self):
        odd = rounds.graded(marks=lambda system, item, rater: (item + (rater == 2)) % 2)

        assert read(odd).without[0].rater == "Annotator 3"

    def test_prints_every_rule_of_disagreement(self):
        (line,) = read(rounds.graded(marks=lambda system, item, rater: rater)).ratios

        assert [share.value for share in line.shares] == [100.0] * 4

    def test_says_once_under_each_table_why_figures_are_missing(self):
        found = read(rounds.graded(n_raters=1))

        cells = [one for part in found.parts for one in (part.alpha, *part.others)]
        shares = [share for line in found.ratios for share in line.shares]

        assert {one.note for one in cells} == {1}
        assert found.notes.texts[0] == cells[0].why
        assert {one.note for one in shares} == {1}
        assert found.ratio_notes.texts == [shares[0].why]

    def test_sets_groups_of_annotators_beside_each_other(self):
        found = of_groups({"expert": 2, "novice": 3})

        assert [line.title for line in found.groups] == ["expert", "novice", "expert with novice"]
        assert [line.n_raters for line in found.groups] == [2, 3, 5]
        assert found.groups[0].alpha.value == pytest.approx(1)
        assert found.groups[1].alpha.value < found.groups[2].alpha.value < 1
        assert found.groups[1].alpha.low < found.groups[1].alpha.high

    def test_says_in_one_note_why_a_group_of_one_has_no_figure(self):
        found = of_groups({"expert": 1, "novice": 4})

        assert [line.alpha.value is None for line in found.groups] == [True, False, False]
        assert found.group_notes.texts == ["It takes at least two annotators."]

    def test_of_a_chosen_group_is_that_of_its_grades_alone(self):
        found = of_groups({"expert": 2, "novice": 3}, raters="expert")

        assert found.overall.alpha.value == pytest.approx(1)
        assert len(found.raters) == 2
        assert len(found.groups) == 3

    def test_of_people_who_are_all_in_one_group_has_none(self):
        round_ = rounds.grouped({"expert": 3})

        assert read(round_).groups == []
        assert labels.groups(round_) == {}

    def test_compares_only_the_largest_of_very_many_groups(self):
        round_ = rounds.grouped({"expert": 2, **{f"tag {n}": 1 for n in range(9)}}, n_items=1)

        groups = labels.groups(round_)

        assert len(groups) == labels.MOST_GROUPS
        assert len(groups["expert"]) == 2

    def test_sets_no_two_annotators_beside_each_other_as_groups(self):
        found = of_groups({"expert": 2, "novice": 1, "old hand": 1})

        assert [line.title for line in found.groups] == [
            "expert",
            "novice",
            "old hand",
            "expert with novice",
            "expert with old hand",
        ]

    def test_of_nothing_is_empty(self):
        assert read(rounds.graded(n_items=0)).is_empty
