"""Ratings and scores in the forms in which other data sets bring them: they must come out right."""

from pathlib import Path

import pytest

from annotation.files.mappings import FileRubric
from annotation.files.models import ImportKind
from annotation.imports import operations as applying
from annotation.imports import uploading
from annotation.people.models import Rater
from annotation.rounds.models import Round
from annotation.rubrics.models import Level
from scoring.beside import columns as judge_human
from scoring.beside.columns import PeopleChoice
from scoring.engine.models import Judgment, Machine
from scoring.figures import snapshots as ratings
from tests import imports
from tests.scoring import machines

pytestmark = pytest.mark.django_db

EXAMPLES = Path(__file__).parents[2] / "fixtures" / "examples"


def text(name):
    return (EXAMPLES / name).read_text()


@pytest.fixture(autouse=True)
def _answers():
    imports.apply(imports.answers(text("long.csv"), create_missing=True))


def graded(name, low, high, step="", **options):
    """Bring a file of grades in; return its rows of the one table as item, system, rater, value."""
    rubric = FileRubric("Other", low, high, step)
    upload = imports.grades(text(name), name, new_rubric=rubric, **options)
    assert upload.report["ok"], upload.report["problems"]
    imports.apply(upload)
    return upload.report["counts"], ratings.table([Round.objects.get()])


def marks(table):
    names = dict(Rater.objects.values_list("pk", "ref"))
    found = zip(table["group"], table["system"], table["rater"], table["value"], strict=True)
    return [(item, system, names[rater], value) for item, system, rater, value in found]


class TestRatings:
    def test_of_changing_raters_in_decimals_with_some_missing(self):
        counts, table = graded("ratings_crowd.csv", "0", "1")

        assert (counts["grades"], counts["empty_cells"]) == (9, 2)
        assert marks(table)[:4] == [
            ("NP-003", "Kestrel 4", "w17", 0.8),
            ("NP-003", "Kestrel 4", "w02", 0.55),
            ("NP-003", "Kestrel 4", "w31", 1.0),
            ("NP-003", "Meridian L", "w02", 0.1),
        ]
        made = judge_human.columns(PeopleChoice((Round.objects.get(),)), [])
        assert sorted(made.people["helpful"].count.tolist()) == [1, 1, 1, 1, 2, 3]
        assert (set(table["scale_min"]), set(table["scale_max"])) == ({0.0}, {1.0})

    def test_of_three_points_in_a_wide_table(self):
        counts, table = graded("ratings_three_point.csv", "1", "3", "1")

        assert (counts["grades"], counts["empty_cells"]) == (21, 3)
        assert set(table["criterion"]) == {"natural", "overall"}
        assert table["value"].sum() == 41

    def test_below_zero(self):
        counts, table = graded("ratings_signed.jsonl", "-1", "1")

        assert (counts["grades"], counts["empty_cells"]) == (4, 2)
        assert table["value"].tolist() == [0.25, -0.75, -1.0, 1.0]

    def test_in_words_that_become_levels_with_labels(self):
        words = {"A better": "1", "tie": "0", "B better": "-1"}
        _counts, table = graded("ratings_pairwise.csv", "-1", "1", "1", words=words)

        assert table["value"].tolist() == [1.0, 0.0, -1.0, 1.0, 0.0]
        assert table["label"].tolist() == ["A better", "tie", "B better", "A better", "tie"]
        assert list(Level.objects.values_list("value", "label")) == [
            (-1, "B better"),
            (0, "tie"),
            (1, "A better"),
        ]

    def test_in_words_that_a_rubric_has_as_labels(self):
        words = {"A better": "1", "tie": "0", "B better": "-1"}
        graded("ratings_pairwise.csv", "-1", "1", "1", words=words)
        again = imports.grades(text("ratings_pairwise.csv"), rubric="other@1", round_name="Again")

        assert again.report["ok"]
        assert again.report["counts"]["grades"] == 5

    def test_in_words_that_nobody_explained(self):
        upload = imports.grades(text("ratings_pairwise.csv"))

        (ask,) = upload.report["asks"]
        assert (ask["code"], ask["suggested"]) == ("labels", "")
        assert not upload.report["ok"]

    def test_refuses_words_off_the_scale(self):
        with pytest.raises(uploading.MappingIncomplete, match="not on the scale"):
            imports.grades(text("ratings_pairwise.csv"), words={"tie": "9"})

    def test_without_names_of_raters(self):
        upload = imports.grades(text("ratings_unnamed.csv"), rater="crowd")

        assert [code for code, _, _ in imports.problems(upload)] == ["raters_numbered"]
        assert upload.report["raters"] == {"crowd": 3, "crowd 2": 2, "crowd 3": 1}
        imports.apply(upload)
        table = ratings.table([Round.objects.get()])
        assert [row[2] for row in marks(table)][:3] == ["crowd", "crowd 2", "crowd 3"]

    def test_without_names_go_on_after_a_stop(self, monkeypatch):
        upload = imports.grades(text("ratings_unnamed.csv"), rater="crowd")
        batch = applying.start(upload=upload, by=upload.created_by, now=imports.clock())
        monkeypatch.setattr(applying, "Batches", lambda **_given: OneAtATime())
        applying.carry_on(batch_id=batch.pk, clock=imports.clock, seconds=0)
        for _ in range(9):
            done = applying.carry_on(batch_id=batch.pk, clock=imports.clock, seconds=0)

        assert done is not None
        assert done.state == "APPLIED"
        assert Rater.objects.filter(ref__startswith="crowd").count() == 3


class OneAtATime:
    size = 1

    def learn(self, *_given):
        """Stay at one row."""


class TestScores:
    def test_in_columns_with_failures_among_them(self):
        batch = machines.brought(text("scores_wide.csv"))

        assert batch.counts == {"scores": 20, "unscored": 2, "known": 0}
        found = {one.rater.ref: one for one in Machine.objects.select_related("rater")}
        assert {name: one.rater.kind for name, one in found.items()} == {
            "llm": "JUDGE",
            "rouge_l": "METRIC",
            "length_error": "METRIC",
        }
        error = found["length_error"].rubric.versions.get().criteria.get()
        assert (error.minimum, error.maximum, error.higher_is_better) == (0, 5, False)
        failed = Judgment.objects.exclude(outcome="SCORED").values_list("outcome", "reason")
        assert sorted(failed) == [("REFUSED", "refused"), ("UNSCORED", "error")]

    def test_in_lines_with_explanations_and_an_open_range(self):
        batch = machines.brought(text("scores_long.jsonl"), name="scores.jsonl")

        assert batch.counts == {"scores": 3, "unscored": 2, "known": 0}
        by_rater = Judgment.objects.filter(rater__ref="log_prob").order_by("pk")
        assert [repr(one.value) for one in by_rater] == ["-12.034567891234", "-250.5"]
        criterion = by_rater[0].criterion
        assert (criterion.minimum, criterion.maximum) == (None, None)
        unread = Judgment.objects.get(outcome="UNSCORED")
        assert (unread.value, unread.reason, unread.text) == (
            None,
            "parse error",
            "The reply held no number.",
        )

    def test_out_of_their_range_name_line_and_remedy(self):
        declared = [machines.Machine("rouge_l", minimum="0", maximum="0.4")]
        upload = machines.file(text("scores_wide.csv"), declared=declared)

        assert imports.problems(upload) == [
            ("out_of_range", 2, "rouge_l"),
            ("out_of_range", 6, "rouge_l"),
        ]
        assert not upload.report["ok"]
        assert upload.kind == ImportKind.SCORES
