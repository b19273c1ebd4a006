import csv
import io
import json
from collections import Counter
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command, load_command_class
from django.db.models import Sum

from annotation import models
from tests import imports, make

pytestmark = pytest.mark.django_db


def run(path, *args):
    out = io.StringIO()
    call_command("import_grades", path, *args, project="northport", stdout=out)
    return out.getvalue()


class TestImportGrades:
    def test_makes_a_rubric_of_the_file(self, tmp_path):
        imports.apply(imports.answers())
        path = tmp_path / "old.csv"
        path.write_text(imports.GRADES)

        out = run(path, "--new-rubric", "Summary", "--min", "1", "--max", "5", "--alias", "coh=c")

        assert "11 grades" in out
        assert models.Round.objects.get().name == "old"
        keys = models.Criterion.objects.values_list("key", flat=True)
        assert sorted(keys) == ["c", "flu"]

    def test_makes_labels_of_the_words_of_a_file_once_that_is_said(self, tmp_path, capsys):
        imports.apply(imports.answers())
        path = tmp_path / "slips.csv"
        text = (
            "item,system,rater,criterion,grade\nQ1,Kestrel,a,slip,Fact\nQ2,Kestrel,a,slip,Style\n"
        )
        path.write_text(text)

        with pytest.raises(CommandError) as asked:
            run(path, "--new-rubric", "Slips")
        told = capsys.readouterr().err
        out = run(path, "--new-rubric", "Slips", "--answer", "labels:slip=LABEL")

        assert asked.value.returncode == 1
        assert "--answer labels:slip=LABEL: Yes, one at a time" in told
        assert "Labels of slip: 2" in out
        assert models.Criterion.objects.get().mark == "LABEL"

    def test_maps_columns_to_raters(self, tmp_path):
        imports.apply(imports.answers())
        path = tmp_path / "old.csv"
        path.write_text("item,system,x,e1_flu\nQ1,Kestrel,3,4\n")

        run(path, "--new-rubric", "S", "--max", "5", "--map", "x=grade:lena:coh")

        assert sorted(models.Grade.objects.values_list("rater__ref", "criterion__key")) == [
            ("e1", "flu"),
            ("lena", "coh"),
        ]

    def test_takes_names_and_columns_with_spaces_around_the_sign(self, tmp_path):
        imports.apply(imports.answers())
        path = tmp_path / "old.csv"
        path.write_text("item,system,x\nQ1,Kestrel,A better\n")

        run(
            *(path, "--new-rubric", "S", "--max", "5", "--map", "x = grade:lena:coh"),
            *("--alias", "coh = tone", "--word", "A better = 1"),
        )

        assert models.Grade.objects.get().criterion.key == "tone"

    def test_helps_with_words_one_at_a_time(self):
        told = load_command_class("annotation", "import_grades").create_parser("m", "import_grades")
        found = " ".join(told.format_help().split())

        assert "Example: A better = 1; may be repeated" in found
        assert "One per line" not in found

    def test_refuses_an_alias_without_a_name(self, tmp_path):
        make.project()
        path = tmp_path / "old.csv"
        path.write_text(imports.GRADES)

        with pytest.raises(CommandError, match="--alias NAME=VALUE"):
            run(path, "--new-rubric", "S", "--max", "5", "--alias", "coh")


def tried(tmp_path, text, *args, command="import_grades", name="old.csv"):
    """Return how a command ended, and what it printed on its two ways out."""
    path = tmp_path / name
    path.write_text(text)
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command(command, path, *args, project="northport", stdout=out, stderr=err)
    except CommandError as ended:
        return ended.returncode, out.getvalue(), f"{err.getvalue()}{ended}"
    return 0, out.getvalue(), err.getvalue()


NEW = ("--new-rubric", "S", "--max", "5")
DATED = "item,system,rater,criterion,grade,timestamp\nQ1,Kestrel,Ada,coh,4,3/5/2024 14:33\n"


class TestWhatIsAsked:
    @pytest.fixture(autouse=True)
    def _answers(self):
        imports.apply(imports.answers())

    def test_ends_with_one_and_names_keys_and_options(self, tmp_path):
        ended, _out, err = tried(tmp_path, DATED, *NEW)

        assert ended == 1
        assert "date_order: What comes first in 3/5/2024 14:33?" in err
        assert "--answer date_order=day: The day" in err
        assert models.Upload.objects.filter(kind="GRADES").count() == 0

    def test_is_answered_by_key(self, tmp_path):
        ended, _out, err = tried(tmp_path, DATED, *NEW, "--answer", "date_order=month")

        assert (ended, err) == (0, "")
        assert models.Grade.objects.get().given_at.month == 3

    def test_takes_what_is_suggested_and_says_so(self, tmp_path):
        text = "item,system,rater,criterion,grade\nQ1,Kestrel,a,coh,5 - very good\n"
        ended, out, _err = tried(tmp_path, text, *NEW)

        assert ended == 0
        assert "Please check: Is the number in “5 - very good” the value?" in out
        assert "--answer leading_number=yes" in out

    def test_leaves_rows_out_where_that_is_said(self, tmp_path):
        text = "item,system,rater,criterion,grade\nQ1,Kestrel,a,coh,5\nQ2,Kestrel,a,coh,9\n"

        ended, _out, err = tried(tmp_path, text, *NEW)
        assert ended == 1
        assert "--answer broken=leave_out" in err
        assert tried(tmp_path, text, *NEW, "--answer", "broken=stop")[0] == 2
        assert tried(tmp_path, text, *NEW, "--answer", "broken=leave_out")[0] == 0
        assert models.Grade.objects.count() == 1

    def test_refuses_an_answer_without_a_key(self, tmp_path):
        ended, _out, err = tried(tmp_path, DATED, *NEW, "--answer", "day")

        assert ended == 2
        assert "KEY=VALUE" in err

    @pytest.mark.parametrize("grade", ["9", "much"])
    def test_ends_with_two_where_no_row_can_be_used(self, tmp_path, grade):
        text = f"item,system,rater,criterion,grade\nQ1,Kestrel,a,coh,{grade}\n"

        assert tried(tmp_path, text, *NEW)[0] == 2


class TestADryRun:
    @pytest.fixture(autouse=True)
    def _answers(self):
        imports.apply(imports.answers())

    def test_says_what_was_found_here(self, tmp_path):
        ended, out, _err = tried(tmp_path, imports.GRADES, *NEW, "--dry-run")

        assert ended == 0
        assert "Grades: 11" in out
        assert "Nothing was written" in out
        assert not models.Grade.objects.exists()

    def test_says_it_as_json(self, tmp_path):
        ended, out, _err = tried(tmp_path, imports.GRADES, *NEW, "--dry-run", "--json")

        found = json.loads(out)
        assert ended == 0
        assert (found["ok"], found["rows"], found["import"]) == (True, 3, None)
        assert found["counts"]["grades"] == 11
        assert any("Grades: 11" in one["title"] for one in found["found"])

    def test_says_as_json_what_is_asked(self, tmp_path):
        ended, out, _err = tried(tmp_path, DATED, *NEW, "--dry-run", "--json")

        (ask,) = json.loads(out)["asks"]
        assert ended == 1
        assert (ask["key"], ask["answer"]) == ("date_order", "")
        assert [one["value"] for one in ask["options"]] == ["day", "month"]


class TestAWholeFile:
    @pytest.fixture(autouse=True)
    def _answers(self):
        imports.apply(imports.answers())

    def test_may_be_of_one_system_and_one_criterion(self, tmp_path):
        text = "item,rater,grade\nQ1,a,5\nQ2,a,4\n"
        said = ("--system", "kestrel", "--criterion", "coh")

        assert tried(tmp_path, text, *NEW)[0] == 2
        assert tried(tmp_path, text, *NEW, *said)[0] == 0
        found = models.Grade.objects.values_list(
            "response__release__system__name", "criterion__key"
        )
        assert set(found) == {("Kestrel", "coh")}

    def test_is_of_the_only_criterion_and_system_of_a_project(self, tmp_path):
        make.rubric_version("summary", maximum=5, criteria=("coh",))
        models.System.objects.exclude(name="Kestrel").update(project=make.project("other"))
        text = "item,rater,grade\nQ1,a,5\n"

        assert tried(tmp_path, text, "--rubric", "summary")[0] == 0
        assert models.Grade.objects.get().criterion.key == "coh"


@pytest.mark.nightly
class TestSummEval:
    def test_keeps_every_sum_of_the_experts(self, golden):
        make.project()
        folder = golden / "summeval"
        call_command(
            "import_responses",
            folder / "summeval_texts.jsonl.gz",
            project="northport",
            stdout=io.StringIO(),
        )
        args = ("--new-rubric", "Summary", "--min", "1", "--max", "5", "--map", "t?_*=ignore")
        run(folder / "summeval_ratings.csv", *args)

        assert models.Item.objects.seen().count() == 100
        assert models.Response.objects.seen().count() == 1600
        assert models.Grade.objects.seen().count() == 19_200
        expected: Counter[tuple[str, str]] = Counter()
        with (folder / "summeval_ratings.csv").open() as file:
            for row in csv.DictReader(file):
                for column, value in row.items():
                    if column[:1] == "e":
                        expected[row["system"], column[3:]] += int(value)
        found = (
            models.Grade.objects.seen()
            .values_list("response__release__system__name", "criterion__key")
            .annotate(sum=Sum("value"))
            .order_by()
        )
        assert {(system, key): total for system, key, total in found} == {
            key: Decimal(total) for key, total in expected.items()
        }
        assert len(expected) == 64
