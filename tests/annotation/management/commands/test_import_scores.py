import io

import pytest
from django.core.management import CommandError, call_command

from scoring.models import Machine
from tests import imports, make
from tests.scoring import machines

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _answers():
    imports.apply(imports.answers())


def run(path, *args):
    out, err = io.StringIO(), io.StringIO()
    call_command("import_scores", path, *args, project="northport", stdout=out, stderr=err)
    return out.getvalue()


def written(tmp_path, text=machines.WIDE):
    path = tmp_path / "scores.csv"
    path.write_text(text)
    return path


class TestImportScores:
    def test_says_what_it_takes_the_machines_for(self, tmp_path):
        out = run(written(tmp_path))

        assert "rouge: metric, 0 – 1" in out
        assert "judge: judge, 1 – 5" in out
        assert "9 scores" in out

    def test_takes_what_is_declared(self, tmp_path):
        more = ["--machine", "rouge=judge:0:", "--lower-is-better", "rouge"]
        out = run(written(tmp_path), *more, "--family", "rouge=Kestrel")

        assert "rouge: judge, 0 – …, lower is better" in out
        made = Machine.objects.get(rater__ref="rouge")
        assert (made.rater.kind, made.family) == ("JUDGE", "Kestrel")
        assert not made.rubric.versions.get().criteria.get().higher_is_better

    def test_maps_columns_and_words(self, tmp_path):
        path = written(tmp_path, "item,system,x\nQ1,Kestrel,tie\n")
        run(path, "--map", "x=score:duel:preference", "--word", "tie=0")

        assert machines.stored() == [("Q1", "Kestrel", "duel", "preference", 0.0)]

    def test_brings_nothing_in_that_lies_outside_a_range(self, tmp_path):
        with pytest.raises(CommandError, match="Nothing was imported"):
            run(written(tmp_path), "--machine", "rouge=metric:0:0.2")

        assert machines.stored() == []

    @pytest.mark.parametrize(
        "more", [("--machine", "rouge=other:0:1"), ("--machine", "rouge"), ("--word", "tie")]
    )
    def test_refuses_what_it_cannot_read(self, tmp_path, more):
        make.project()
        with pytest.raises(CommandError, match="Write"):
            run(written(tmp_path), *more)
