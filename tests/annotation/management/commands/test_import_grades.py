import csv
import io
from collections import Counter
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command
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

    def test_maps_columns_to_raters(self, tmp_path):
        imports.apply(imports.answers())
        path = tmp_path / "old.csv"
        path.write_text("item,system,x,e1_flu\nQ1,Kestrel,3,4\n")

        run(path, "--new-rubric", "S", "--max", "5", "--map", "x=grade:lena:coh")

        assert sorted(models.Grade.objects.values_list("rater__ref", "criterion__key")) == [
            ("e1", "flu"),
            ("lena", "coh"),
        ]

    def test_refuses_an_alias_without_a_name(self, tmp_path):
        make.project()
        path = tmp_path / "old.csv"
        path.write_text(imports.GRADES)

        with pytest.raises(CommandError, match="coh=coherence"):
            run(path, "--new-rubric", "S", "--max", "5", "--alias", "coh")


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
