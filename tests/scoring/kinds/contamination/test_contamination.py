import csv
from typing import Any
from uuid import UUID

import pytest

from scoring.kinds.contamination import figure as contamination
from scoring.kinds.interviews import exchange
from scoring.kinds.interviews.exchange import DialoguesWish
from scoring.kinds.interviews.files import DialogueSource
from scoring.kinds.interviews.models import Dialogue
from tests import imports, make
from tests.scoring import connected, interviewed, quizzed

pytestmark = pytest.mark.django_db
NAMES = ("Kestrel", "Osprey", "Merlin", "Harrier")


@pytest.fixture
def run():
    """Interviews of four systems about two data sets of multiple choice."""
    items = [*quizzed.questions(3), *quizzed.questions(3, dataset="Dock", first=3)]
    releases = [one.pk for one in interviewed.candidates(*NAMES)]
    return interviewed.held(items=items, releases=releases, planned=1)


def figures(*rows):
    return "\n".join(["system,dataset,figure,value", *rows]) + "\n"


def computed(run, params=None) -> Any:
    return contamination.compute(run, params or {})


class TestCompute:
    def test_sets_interviews_against_their_own_first_answers(self, run):
        data = computed(run)

        assert [one["dataset"] for one in data["parts"]] == ["Dock", "Quay", ""]
        part = data["parts"][1]
        first = part["releases"][0]
        own = Dialogue.objects.filter(run=run, dataset="Quay", release=first)
        right = [one.right for one in own if one.right is not None]
        assert part["x"][0] == pytest.approx(100 * sum(right) / len(right))
        assert part["n"] == 4

    def test_takes_dialogues_from_a_file_as_well(self, run):
        again = exchange.bring_in(
            project=run.project,
            key=UUID(int=701),
            data=b"".join(exchange.archive(run, make.NOW)),
            wish=DialoguesWish("Brought in", "dialogues.zip", DialogueSource(), "Evaluator"),
            user=connected.owner(run.project),
            now=make.NOW,
        )

        found = contamination.compute(again, {})

        assert again.judge is None
        assert found["parts"] == computed(run)["parts"]

    def test_sets_interviews_against_a_run_of_accuracy(self, run):
        releases = [one["release"] for one in run.config["releases"]]
        quiz = quizzed.done(number=5, releases=releases)

        data = computed(run, {"axis": f"run:{quiz.number}"})

        assert {one["dataset"] for one in data["parts"]} == {"Dock", "Quay", ""}
        both = data["parts"][-1]
        each = [
            [dict(zip(one["releases"], one["x"], strict=True))[pk] for one in data["parts"][:2]]
            for pk in both["releases"]
        ]
        assert both["x"] == pytest.approx([sum(one) / 2 for one in each])

    def test_sets_interviews_against_figures_that_were_brought_in(self, run):
        rows = [f"{name},quay,MMLU,{place}" for place, name in enumerate(NAMES)]
        imports.apply(imports.figures(figures(*rows)))

        data = computed(run, {"axis": "figure:MMLU"})

        (part,) = data["parts"]
        assert (part["dataset"], part["x"]) == ("Quay", [0.0, 1.0, 2.0, 3.0])
        (bench,) = data["benchmarks"]
        assert (bench["against"], bench["n"]) == ("Quay", 4)
        assert [one["name"] for one in bench["coefficients"]] == [
            "pearson",
            "spearman",
            "kendall_b",
        ]

    def test_takes_a_figure_without_a_data_set_for_all_of_them(self, run):
        rows = [f"{name},,MT-Bench,{place}" for place, name in enumerate(NAMES)]
        imports.apply(imports.figures(figures(*rows)))

        data = computed(run, {"axis": "figure:MT-Bench"})

        assert [one["dataset"] for one in data["parts"]] == [""]

    def test_sets_losses_off_against_each_other(self, run):
        rows = [
            "Kestrel,Quay,Train loss,1.2",
            "Kestrel,Quay,Test loss,1.5",
            "Osprey,Quay,Test loss,2",
        ]
        imports.apply(imports.figures(figures(*rows)))

        losses = computed(run)["losses"]

        assert [(one["train"], one["test"]) for one in losses] == [(1.2, 1.5), (None, 2.0)]
        assert losses[0]["difference"] == pytest.approx(0.3)
        assert losses[1]["difference"] is None

    def test_says_why_where_there_are_too_few(self, run):
        imports.apply(imports.figures(figures("Kestrel,Quay,MMLU,1")))

        (part,) = computed(run, {"axis": "figure:MMLU"})["parts"]

        assert (part["n"], part["line"], part["reason"]) == (1, None, "few_pairs")

    def test_knows_no_other_run(self, run):
        with pytest.raises(ValueError, match="of accuracy"):
            computed(run, {"axis": "run:99"})


class TestPublishedFigures:
    def test_give_the_correlations_of_table_7_and_say_who_spoils_them(self, golden):
        with (golden / "kieval" / "tables15_19_full.csv").open() as file:
            rows = [one for one in csv.DictReader(file) if one["dataset"] == "C-Eval"]
        x = {place: float(one["acc_5shot"]) for place, one in enumerate(rows)}
        y = {place: float(one["overall"]) for place, one in enumerate(rows)}

        part: Any = contamination._part("C-Eval", x, y)

        yi = [one["model"] for one in rows].index("Yi 6B")
        assert part["line"]["r"] == pytest.approx(0.427, abs=0.0015)
        assert part["distances"][yi]["without"]["r"] == pytest.approx(0.924, abs=0.0015)
        pearson = part["coefficients"][0]
        assert pearson["value"] == pytest.approx(part["line"]["r"])
        assert pearson["low"] < 0.427 < pearson["high"]
