import io

import pytest
from django.core.management import CommandError, call_command

from annotation import models
from tests import imports, make

pytestmark = pytest.mark.django_db


def run(tmp_path, text=imports.ANSWERS, *args, name="a.csv"):
    make.project()
    path = tmp_path / name
    path.write_text(text)
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("import_responses", path, *args, project="northport", stdout=out, stderr=err)
    except CommandError as problem:
        err.write(str(problem))
    return out.getvalue(), err.getvalue()


class TestImportResponses:
    def test_brings_a_file_in_once(self, tmp_path):
        out, err = run(tmp_path)
        assert "Import 1 is applied" in out
        assert err == ""

        out, _ = run(tmp_path)
        assert "Nothing changed" in out
        assert models.Response.objects.count() == 4
        assert models.Upload.objects.count() == 1

    def test_only_checks_when_asked(self, tmp_path):
        out, _ = run(tmp_path, imports.ANSWERS, "--dry-run")

        assert "4 new responses" in out
        assert models.Upload.objects.count() == models.Item.objects.count() == 0

    def test_prints_problems_with_file_row_and_column(self, tmp_path):
        _, err = run(tmp_path, imports.ANSWERS + "Q3,,,,Kestrel,No.\n")

        assert f"{tmp_path / 'a.csv'}:6:id: There is no question with the id “Q3”." in err
        assert models.Item.objects.count() == 0

    def test_needs_a_place_for_every_column(self, tmp_path):
        _, err = run(tmp_path, "question,shift\nWhat?,night\n")
        assert "“shift” has no place yet" in err

        out, _ = run(tmp_path, "question,shift\nWhat?,night\n", "--map", "shift=ignore")
        assert "applied" in out

    def test_maps_columns_by_pattern(self, tmp_path):
        text = "question,K,sys.M1,sys.M2\nWhat?,a,b,c\n"
        run(tmp_path, text, "--map", "K=answer:Kestrel:v2", "--map", "sys.*=answer")

        names = models.SystemRelease.objects.values_list("system__name", "label")
        assert sorted(names) == [("Kestrel", "v2"), ("M1", "1"), ("M2", "1")]

    @pytest.mark.parametrize(
        ("args", "says"),
        [
            (["--map", "shift"], "COLUMN=TARGET"),
            (["--map", "shift=ignore"], "No column is called shift"),
            (["--by", "nobody"], "no active account nobody"),
        ],
    )
    def test_refuses_what_it_does_not_understand(self, tmp_path, args, says):
        assert says in run(tmp_path, imports.ANSWERS, *args)[1]

    def test_says_what_is_probably_meant_to_be_copied(self, tmp_path):
        text = "question,oak tree\nWhy do ships float?,Because the water that they displace weighs more.\n"

        assert "Probably: --map 'oak tree=answer:oak tree'" in run(tmp_path, text)[1]

    def test_refuses_files_it_cannot_read(self, tmp_path):
        assert "empty" in run(tmp_path, "")[1]
        with pytest.raises(CommandError, match="No such file"):
            call_command("import_responses", tmp_path / "gone.csv", project="northport")

    def test_refuses_projects_that_are_not_there(self, tmp_path):
        with pytest.raises(CommandError, match="no project gone"):
            call_command("import_responses", tmp_path / "a.csv", project="gone")


class TestAnEncoding:
    TEXT = "id;question;system;response\n1;Was heißt „Löschen“?;Kestrel;Entladen am Kai.\n"

    def test_is_asked_for_and_taken(self, tmp_path):
        make.project()
        path = tmp_path / "excel.csv"
        path.write_bytes(self.TEXT.encode("cp1252"))
        out = io.StringIO()

        with pytest.raises(CommandError, match=r"answer with --answer .*encoding") as ended:
            call_command("import_responses", path, project="northport", stdout=out, stderr=out)
        assert ended.value.returncode == 1
        assert "Löschen" in out.getvalue()
        assert "--answer encoding=cp1252" in out.getvalue()
        assert not models.Upload.objects.exists()
        call_command(
            "import_responses", path, "--encoding", "windows-1252", project="northport", stdout=out
        )

        assert models.Item.objects.get().question == "Was heißt „Löschen“?"
