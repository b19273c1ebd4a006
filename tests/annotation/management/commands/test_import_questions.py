import io

import pytest
from django.core.management import CommandError, call_command

from annotation import models
from annotation.people.models import Role
from tests import imports, make

pytestmark = pytest.mark.django_db


def run(tmp_path, text=imports.QUESTIONS, *args):
    make.project()
    path = tmp_path / "a.csv"
    path.write_text(text)
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("import_questions", path, *args, project="northport", stdout=out, stderr=err)
    except CommandError as problem:
        err.write(str(problem))
    return out.getvalue(), err.getvalue()


class TestImportQuestions:
    def test_brings_a_file_in_once(self, tmp_path):
        out, err = run(tmp_path, imports.QUESTIONS, "--create-missing", "--make-sources")
        assert "Import 1 is applied: 3 questions, 1 sources." in out
        assert err == ""

        out, _ = run(tmp_path, imports.QUESTIONS, "--create-missing", "--make-sources")
        assert "Nothing changed" in out
        assert models.Question.objects.count() == 3

    def test_says_what_is_missing_and_brings_nothing(self, tmp_path):
        _, err = run(tmp_path)

        assert ":2:capability: There is no capability “Factuality”." in err
        assert ":2:source: The corpus has no source “Handbook”." in err
        assert not models.Question.everything.exists()
        assert not models.Upload.objects.exists()

    def test_fills_in_what_no_column_says(self, tmp_path):
        make.capability("Factuality")
        make.domain("Customs")
        make.member(Role.DESIGNER, username="dana")
        text = "question,answer\nWhat is a quay?,A wall.\n"
        options = ["--capability", "factuality", "--domain", "Customs", "--difficulty", "SIMPLE"]

        run(tmp_path, text, *options, "--language", "en", "--author", "dana")

        made = models.QuestionVersion.objects.get()
        assert (made.capability.name, made.domain.name) == ("Factuality", "Customs")
        assert (made.difficulty, made.language) == ("SIMPLE", "en")
        assert made.author.username == "dana"
        assert made.question.external_id.startswith("q-")

    def test_names_the_places_a_column_may_go_to(self, tmp_path):
        _, err = run(tmp_path, "question,shift\nWhat?,1\n")

        assert "“shift” has no place yet" in err
        assert "key_points" in err
        assert "sample_no" not in err
