import io
import json

import pytest
from django.core.management import CommandError, call_command

from annotation.grading.models import Grade
from annotation.rounds.models import Round
from tests import imports, make

pytestmark = pytest.mark.django_db


@pytest.fixture
def path(tmp_path):
    make.member("OWNER")
    found = tmp_path / "votes.csv"
    found.write_text(imports.PAIRS)
    return found


def call(path, *more):
    out, err = io.StringIO(), io.StringIO()
    call_command("import_preferences", path, *more, project="northport", stdout=out, stderr=err)
    return out.getvalue()


class TestImportPreferences:
    def test_brings_in_a_round_called_as_the_file(self, path):
        said = call(path)

        assert "4 choices" in said
        assert (Round.objects.get().name, Grade.objects.count()) == ("votes", 4)

    def test_writes_nothing_where_it_only_looks(self, path):
        said = json.loads(call(path, "--dry-run", "--json"))

        assert (said["ok"], said["counts"]["choices"], said["import"]) == (True, 4, None)
        assert not Grade.objects.exists()

    @pytest.mark.parametrize(
        ("old", "new", "code"), [("ada", "gpt-x", 1), ("choice", "remark_of_it", 2)]
    )
    def test_ends_with_what_it_needs(self, path, old, new, code):
        path.write_text(imports.PAIRS.replace(old, new))

        with pytest.raises(CommandError) as refusal:
            call(path)

        assert refusal.value.returncode == code
        assert not Grade.objects.exists()
