import pytest

from annotation.imports import checks
from tests import imports, make

pytestmark = pytest.mark.django_db


class TestChoiceCheck:
    def test_tells_what_would_come_and_shows_the_first_ones(self):
        upload = imports.choices()

        report = upload.report
        assert report["ok"]
        assert report["counts"] == {"new_items": 2, "known_items": 0}
        assert report["subjects"] == {"lifting": 1, "mooring": 1}
        first = report["preview"][0]
        assert (first["external_id"], first["subject"]) == ("Quay mooring 2", "mooring")
        assert [one["label"] for one in first["options"] if one["right"]] == ["A"]

    def test_reads_a_table_without_headings_from_its_first_line(self):
        text = "What holds a ship?,a rope,a bell,a crane,a gull,A\nWhy?,a,b,c,d,B\n"
        upload = imports.choices(text, "mooring_test.csv")

        assert upload.report["n_rows"] == 2
        assert upload.report["preview"][0]["external_id"] == "MMLU mooring 1"

    def test_says_line_column_and_remedy_of_what_is_wrong(self):
        bad = imports.CHOICES.replace("gull,C,", "gull,E,")

        assert imports.problems(imports.choices(bad)) == [("answer_is_no_option", 3, "answer")]

    def test_knows_questions_that_are_here(self):
        imports.apply(imports.choices())
        upload = imports.choices(dataset="Quay", subject="again")

        assert upload.report["counts"] == {"new_items": 0, "known_items": 2}

    def test_warns_of_another_question_under_a_known_name(self):
        imports.apply(imports.choices())
        upload = imports.choices(imports.CHOICES.replace("What lifts", "Who lifts"))

        assert imports.problems(upload) == [("another_question_under_this_id", 3, "")]

    def test_is_what_a_stored_mapping_begins(self):
        upload = imports.choices(project=make.project())

        again = checks.begin(upload)

        assert [step.n_rows for step in checks.steps(upload, again)] == [2]
