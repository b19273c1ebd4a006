import csv
import io
import json

import pytest

from annotation.rounds.models import Round
from scoring.results import exports
from scoring.shown import names
from tests import imports
from tests.scoring import machines

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _ratings():
    imports.apply(imports.answers())
    imports.apply(imports.grades())
    text = "item,system,judge,score,outcome,explanation\n"
    text += "Q1,Kestrel,gpt,-1.5,,=1+1\nQ1,Harbour,gpt,,refused,\nQ2,Harbour,gpt,0.25,,\n"
    machines.brought(text, declared=[machines.Machine("gpt", "JUDGE", maximum="5")])


def lines(write):
    round_ = Round.objects.get()
    return "".join(write(round_, names.names(round_, shown=True)))


class TestCsv:
    def test_holds_people_and_machines_under_one_header(self):
        rows = list(csv.DictReader(io.StringIO(lines(exports.rating_csv_lines))))

        assert [row["rater_kind"] for row in rows] == ["IMPORTED"] * 11 + ["JUDGE"] * 2
        judged = rows[11]
        assert tuple(judged) == exports.COLUMNS
        assert judged["grade"].startswith("j")
        assert (judged["item"], judged["system"]) == ("Q1", "Kestrel")
        assert (judged["value"], judged["scale_min"], judged["scale_max"]) == ("-1.5", "", "5.0")
        assert judged["comment"] == "'=1+1"  # no formula
        assert (judged["late"], judged["valid"]) == ("false", "true")

    def test_tells_failures_and_leaves_answers_out_that_the_round_does_not_hold(self):
        rows = list(csv.DictReader(io.StringIO(lines(exports.rating_csv_lines))))

        assert (rows[12]["outcome"], rows[12]["value"], rows[12]["reason"]) == (
            "REFUSED",
            "",
            "refused",
        )
        # Harbour's answer to Q2 was judged, but nobody graded it in this round.
        assert {(row["item"], row["system"]) for row in rows[11:]} == {
            ("Q1", "Kestrel"),
            ("Q1", "Harbour"),
        }


class TestJson:
    def test_has_the_same_names_for_people_and_machines(self):
        rows = [json.loads(line) for line in lines(exports.rating_jsonl_lines).splitlines()]

        assert len({tuple(row) for row in rows}) == 1
        assert rows[11]["value"] == -1.5
        assert rows[11]["comment"] == "=1+1"
        assert rows[12]["value"] is None
