import pytest
from django.http import Http404

from annotation.people.models import Role
from annotation.people.permissions import Scope
from annotation.rounds.models import Round
from scoring.kinds.metrics import queries as metric_results
from scoring.kinds.metrics.operations import Choice
from scoring.kinds.metrics.queries import Cell
from tests import make
from tests.scoring import measured, rounds, run_rows

pytestmark = pytest.mark.django_db


def scope():
    analyst = make.member(Role.ANALYST)
    return Scope(make.project(), analyst, frozenset({Role.ANALYST}))


def board(run):
    return metric_results.board(metric_results.allowed(scope(), run.number))


class TestBoard:
    def test_has_the_mean_of_every_release_and_metric(self):
        measured.brought()

        found = board(measured.done(measured.over_import(["words", "bleu", "novelty1_source"])))

        assert [row.name for row in found.rows] == ["Harbour · 1", "Kestrel · 1"]
        assert [one.name for one in found.columns] == [
            "BLEU (references)",
            "New 1-grams (article)",
            "Words",
        ]
        bleu, new, words = found.rows[1].cells
        assert (words.mean, words.n, words.n_without) == (4, 2, 0)
        assert (new.n, new.n_without) == (1, 1)
        # A mean of one answer, and that answer alone as one text.
        assert bleu.n == 1
        assert bleu.whole == pytest.approx(bleu.mean)

    def test_says_why_answers_have_no_value(self):
        measured.brought()

        found = board(measured.done(measured.over_import(["words", "bleu"])))

        assert [(one.text, one.outcome, one.metrics, one.n) for one in found.reasons] == [
            ("The answer is empty.", "left out", ["BLEU (references)", "Words"], 1),
            (
                "The question has no text to compare with.",
                "left out",
                ["BLEU (references)"],
                1,
            ),
        ]

    def test_is_hidden_before_the_round_is_final(self):
        round_ = rounds.graded(state="REVIEW")
        run = measured.done(measured.asked(Choice(["words"]), round_=round_))

        with pytest.raises(metric_results.StillHidden):
            board(run)
        Round.objects.filter(pk=round_.pk).update(state="FINAL")
        names = [row.name for row in board(run).rows]

        assert len(names) == 2
        assert "Kestrel" not in "".join(names)  # whoever reads has not had the names shown

    def test_is_empty_before_anything_is_measured(self):
        measured.brought()

        found = board(measured.over_import(["words"]))

        assert (found.rows, found.reasons) == ([], [])
        assert found.by_metric == [(found.columns[0], [])]


class TestAllowed:
    def test_finds_runs_of_metrics_alone(self):
        other = run_rows.run(in_=make.project())

        with pytest.raises(Http404):
            metric_results.allowed(scope(), other.number)


class TestCell:
    def test_has_as_many_decimals_as_its_range_deserves(self):
        measured.brought()
        rouge, bleu = board(measured.over_import(["rouge1", "bleu"])).columns

        assert Cell(rouge, 0.41894, 1, 0).mean_text == "0.4189"
        assert Cell(bleu, 11.4927, 1, 0, whole=12.0).mean_text == "11.49"
        assert Cell(bleu, None, 0, 1).mean_text == "–"
        assert Cell(bleu, None, 0, 1).whole_text == ""


class TestCsvLines:
    def test_hold_one_line_for_every_release_and_metric(self):
        measured.brought()

        text = "".join(
            metric_results.csv_lines(board(measured.done(measured.over_import(["words"]))))
        )

        assert text.splitlines() == [
            "release,metric,mean,n,without_value,all_answers_as_one_text",
            "Harbour · 1,Words,4.0,1,1,",
            "Kestrel · 1,Words,4.0,2,0,",
        ]
