import pytest

from annotation.files.mappings import FileRubric
from annotation.files.scores import ScoreMapping
from annotation.imports import operations as checking
from annotation.imports import uploading
from annotation.rubrics.models import Criterion
from tests import imports, make
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
        assert report["machines"][2] == {
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
            ("Q1,Kestrel,gpt,4;5", "no_score"),
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


class TestClosing:
    """The ranges that have to be confirmed once the whole file was read."""

    ROWS = (
        "Q1,Kestrel,gpt,preference,{}\nQ1,Harbour,gpt,preference,{}\nQ2,Kestrel,gpt,preference,{}\n"
    )
    TOP = "item,system,judge,criterion,score\n"

    def checked(self, *values, **options):
        upload = machines.file(self.TOP + self.ROWS.format(*values), sure=False, **options)
        found = [code for code, _line, _column in imports.problems(upload)]
        return found, upload.mapping["machines"][0]

    @staticmethod
    def rubric(low, high, key="preference"):
        make.rubric_version(key, maximum=high, criteria=(key,))
        Criterion.objects.filter(key=key).update(minimum=low)

    def test_a_rubric_of_this_name_gives_the_range(self):
        self.rubric(0, 6)

        found, declared = self.checked(0, 3, 5)

        assert found == []
        assert (declared["minimum"], declared["maximum"]) == ("0", "6")

    def test_scores_outside_the_scale_of_the_rubric_are_asked_about(self):
        self.rubric(1, 5)

        assert self.checked(0, 3, 5)[0] == ["range_of_rubric"]

    @pytest.mark.parametrize(
        ("values", "found"),
        [((0, 3, 5), ["range_of_rubric"]), ((1, 3, 5), []), ((0, 0.25, 0.5), [])],
    )
    def test_what_is_named_like_a_metric_is_asked_about_too(self, values, found):
        self.rubric(1, 5)
        rows = self.ROWS.replace("gpt", "panda").format(*values)

        upload = machines.file(self.TOP + rows, sure=False)

        assert upload.mapping["machines"][0]["kind"] == "METRIC"
        assert [code for code, _line, _column in imports.problems(upload)] == found

    def test_a_declared_range_answers(self):
        self.rubric(1, 5)
        declared = [machines.Machine("gpt", "JUDGE", "0", "10", criterion="preference")]

        assert self.checked(0, 3, 5, declared=declared)[0] == []

    def test_rubrics_that_differ_are_asked_about(self):
        self.rubric(0, 6)
        self.rubric(0, 10, key="preference-2")
        Criterion.objects.filter(key="preference-2").update(name="Preference")

        assert self.checked(0, 3, 5)[0] == ["range_of_rubrics"]

    def test_a_judge_known_with_another_range_is_asked_about(self):
        declared = [machines.Machine("gpt", "JUDGE", "0", "10")]
        machines.brought(
            "item,system,judge,criterion,score\nQ2,Harbour,gpt,preference,4\n", declared=declared
        )

        assert self.checked(0, 3, 5)[1]["maximum"] == "10"
        other = [machines.Machine("gpt", "JUDGE", "0", "5", guessed=True)]
        assert self.checked(0, 3, 5, declared=other)[0] == ["range_known"]

    def test_few_of_many_levels_are_asked_about(self):
        self.rubric(1, 10)
        rows = "".join(f"Q{n},Kestrel,gpt,preference,{n % 2 + 1}\n" for n in range(3, 30))
        asked = "".join(f"Q{n},What {n}?,.,,Kestrel,It.\n" for n in range(3, 30))
        imports.apply(imports.answers(imports.ANSWERS + asked))

        upload = machines.file(self.TOP + rows, sure=False)

        assert [code for code, _l, _c in imports.problems(upload)] == ["range_little_used"]

    def test_words_give_the_range_of_their_numbers(self):
        words = {"tie": "0", "first": "1", "second": "2"}

        found, declared = self.checked("tie", "first", "tie", words=words)

        assert found == []
        assert (declared["minimum"], declared["maximum"]) == ("0", "2")

    def test_a_guess_that_the_scores_do_not_fill_is_asked_about(self):
        assert self.checked(2, 3, 4)[0] == ["range_guessed"]

    def test_a_guess_that_they_fill_is_taken(self):
        assert self.checked(1, 3, 5)[0] == []

    def test_the_only_scale_of_the_project_holds_for_a_mark_without_a_name(self):
        self.rubric(0, 2)
        upload = machines.file(
            "item,system,judge,score\nQ1,Kestrel,gpt,0\nQ2,Kestrel,gpt,1\n", sure=False
        )

        assert upload.report["ok"]
        assert upload.mapping["machines"][0]["maximum"] == "2"

    def test_shares_of_a_metric_do_not_take_the_scale_of_a_rubric(self):
        self.rubric(1, 5, key="coherence")
        self.rubric(0, 6, key="fluency")
        text = "item,system,unieval_coherence,unieval_flu\nQ1,Kestrel,0.3,0.1\nQ2,Kestrel,0.6,0.9\n"
        upload = machines.file(text, sure=False)

        assert upload.report["ok"]
        assert {one["maximum"] for one in upload.mapping["machines"]} == {"1"}

    def test_a_short_name_means_the_criterion_of_the_rubric(self):
        self.rubric(0, 6, key="coherence")
        text = "item,system,gpt_coh\nQ1,Kestrel,0\nQ2,Kestrel,5\n"

        assert machines.file(text, sure=False).mapping["machines"][0]["maximum"] == "6"

    def test_ranges_differ_by_criterion(self):
        text = (
            "item,system,gpt_fluency,gpt_relevance\n"
            "Q1,Kestrel,0.02,1\nQ1,Harbour,0.98,10\nQ2,Kestrel,0.5,4\n"
        )
        upload = machines.file(text, sure=False)

        ends = {one["criterion"]: one["maximum"] for one in upload.mapping["machines"]}
        assert upload.report["ok"], upload.report["problems"]
        assert ends == {"fluency": "1", "relevance": "10"}


class TestWords:
    def test_of_three_kinds_have_the_range_of_people_and_not_a_usual_one(self):
        """Words of three kinds, by people and by a judge: equal where they say the same."""
        words = {"tie": "0", "first": "1", "second": "2"}
        people = ["tie", "first", "second", "second"]
        judge = ["tie", "first", "second", "first"]
        where = ("Q1,Kestrel", "Q1,Harbour", "Q2,Kestrel", "Q2,Harbour")
        rows = [f"{place},{said}" for place, said in zip(where, people, strict=True)]
        grades = imports.grades(
            "item,system,criterion,rater,value\n"
            + "".join(
                f"{row.rpartition(',')[0]},preference,ada,{row.rpartition(',')[2]}\n"
                for row in rows
            ),
            new_rubric=FileRubric("Duel", "0", "2", "1"),
            words=words,
        )
        imports.apply(grades)
        scores = "".join(
            f"{place},PandaLM,preference,{said}\n" for place, said in zip(where, judge, strict=True)
        )
        upload = machines.file(TestClosing.TOP + scores, sure=False, words=words)
        assert upload.report["ok"], upload.report["problems"]
        imports.apply(upload)

        criterion = Criterion.objects.get(rubric_version__rubric__machine__rater__ref="PandaLM")
        assert (criterion.minimum, criterion.maximum) == (0, 2)
