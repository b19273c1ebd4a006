import io

import pytest
from django.core.management import CommandError, call_command

from annotation.systems.models import Item
from tests import imports, make

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _owner():
    make.member("OWNER")


def run(path, *args):
    out, err = io.StringIO(), io.StringIO()
    call_command("import_choices", path, *args, project="northport", stdout=out, stderr=err)
    return out.getvalue()


class TestImportChoices:
    def test_brings_in_a_published_layout_by_its_own_name(self, tmp_path):
        path = tmp_path / "mooring_dev.csv"
        path.write_text("What holds a ship?,a rope,a bell,a crane,a gull,A\nWhy?,a,b,c,d,B\n")

        assert "2 items" in run(path)

        made = Item.objects.get(external_id="MMLU dev mooring 1")
        assert (made.extra["dataset"], made.extra["subject"]) == ("MMLU", "mooring")

    def test_brings_in_a_table_of_a_named_set(self, tmp_path):
        path = tmp_path / "quay.csv"
        path.write_text(imports.CHOICES)

        run(path, "--dataset", "Quay")

        assert set(Item.objects.values_list("extra__answer_label", flat=True)) == {"A", "C"}

    def test_asks_for_the_name_of_the_set(self, tmp_path):
        path = tmp_path / "quay.csv"
        path.write_text(imports.CHOICES)

        with pytest.raises(CommandError):
            run(path)
        assert not Item.objects.exists()
