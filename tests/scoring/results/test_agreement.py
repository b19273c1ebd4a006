import pytest

from scoring import jobs as scoring_jobs
from scoring.figures import labels, typed
from scoring.results import agreement
from tests.scoring import rounds

pytestmark = pytest.mark.django_db


def read(round_):
    data = scoring_jobs.compute(name="agreement", round_=round_, params={})
    return agreement.Agreement(typed.read(agreement.AgreementFigure, data), labels.of(round_))


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

    def test_of_nothing_is_empty(self):
        assert read(rounds.graded(n_items=0)).is_empty
