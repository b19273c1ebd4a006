import pytest

from annotation.operations.imports import checking, uploading
from annotation.rules.tabular.score_mappings import ScoreMapping
from tests import imports
from tests.scoring import machines

pytestmark = pytest.mark.django_db
HEAD = "item,system,judge,score\n"


@pytest.fixture(autouse=True)
def _answers():
    imports.apply(imports.answers())


class TestScoreCheck:
    def test_counts_and_shows_what_would_come_of_a_file(self):
        report = machines.file().report

        assert report["ok"]
        assert report["counts"] == {
            "scores": 9,
            "unscored": 0,
            "known": 0,
            "empty_cells": 3,
            "items": 2,
            "systems": 2,
        }
        assert report["criteria"] == {"judge": ["coherence", "fluency"], "rouge": ["score"]}
        assert report["machines"][1] == {
            "name": "rouge",
            "kind": "METRIC",
            "range": "between 0 and 1",
            "criteria": ["score"],
            "n": 3,
            "low": 0.1831,
            "high": 0.41894,
        }
        assert report["preview"][0]["grades"][-1] == {
            "rater": "rouge",
            "criterion": "",
            "value": "0.41894",
        }

    def test_shows_a_failure_by_its_reason(self):
        report = machines.file(machines.LONG).report

        assert [card["grades"][0]["value"] for card in report["preview"]] == [
            "4",
            "(Against the rules.)",
            "(error)",
        ]

    @pytest.mark.parametrize(
        ("row", "code"),
        [
            ("Q9,Kestrel,gpt,3", "unknown_item"),
            ("Q1,Nobody,gpt,3", "unknown_system"),
            ("Q1,Kestrel,gpt,9", "out_of_range"),
            ("Q1,Kestrel,gpt,-0.001", "out_of_range"),
            ('Q1,Kestrel,gpt,"4,5"', "no_score"),
            ("Q1,Kestrel,gpt,=1+1", "no_score"),
            ("Q1,Kestrel,,3", "empty_cell"),
            (",Kestrel,gpt,3", "empty_cell"),
            ("Q1,Harbour,gpt,3", "judged_twice"),
            ("Q1,Kestrel,other,3", "undeclared_machine"),
        ],
    )
    def test_tells_what_is_wrong_with_a_row(self, row, code):
        declared = [machines.Machine("gpt", "JUDGE", "0", "5")]
        upload = imports.take(f"{HEAD}Q1,Harbour,gpt,3\n{row}\n", "s.csv", "SCORES")
        mapping = ScoreMapping(machines.places(upload), tuple(declared))
        uploading.set_mapping(upload=upload, mapping=mapping)
        checking.check(upload=upload, clock=imports.clock)

        assert (code, 3) in [(found, line) for found, line, _ in imports.problems(upload)]
        assert not upload.report["ok"]
        assert upload.report["undeclared"] == (["other"] if "other" in row else [])

    def test_needs_to_know_which_release_and_which_sample(self):
        imports.apply(imports.answers(release="2"))
        text = f"{HEAD}Q1,Kestrel,gpt,3\n"

        assert imports.problems(machines.file(text))[0][0] == "which_release"
        assert machines.file(text, release="2").report["ok"]

    def test_another_score_than_before_is_a_conflict_and_the_same_is_known(self):
        machines.brought(f"{HEAD}Q1,Kestrel,gpt,3\nQ2,Kestrel,gpt,4\n")

        upload = machines.file(f"{HEAD}Q1,Kestrel,gpt,3\nQ2,Kestrel,gpt,5\n")

        assert imports.problems(upload) == [("judged_before", 3, "score")]
        assert upload.report["counts"]["known"] == 1

    def test_takes_as_many_queries_for_many_rows_as_for_few(self, django_assert_max_num_queries):
        rows = "".join(f"Q{n % 2 + 1},Kestrel,gpt-{n},0.5\n" for n in range(200))

        with django_assert_max_num_queries(60):
            assert machines.file(HEAD + rows).report["ok"]
