import io

import pytest
from django.core.management import CommandError, call_command

from annotation.imports import places as surveys
from scoring.engine.models import Machine
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
        assert "judge, coherence: judge, 1 – 5" in out
        assert "9 scores" in out

    def test_takes_what_is_declared(self, tmp_path):
        more = ["--machine", "rouge=judge:0:", "--lower-is-better", "rouge"]
        out = run(written(tmp_path), *more, "--family", "rouge=Kestrel")

        assert "rouge: judge, 0 – …, lower is better" in out
        made = Machine.objects.get(rater__ref="rouge")
        assert (made.rater.kind, made.family) == ("JUDGE", "Kestrel")
        assert not made.rubric.versions.get().criteria.get().higher_is_better

    def test_takes_another_range_for_one_criterion(self, tmp_path):
        out = run(
            written(tmp_path),
            "--machine",
            "judge=judge:1:5",
            "--machine",
            "judge=judge:0:6:fluency",
        )

        assert "judge: judge, 1 – 5" in out
        assert "judge, fluency: judge, 0 – 6" in out
        version = Machine.objects.get(rater__ref="judge").rubric.versions.get()
        assert [(one.name, one.minimum, one.maximum) for one in version.criteria.all()] == [
            ("coherence", 1, 5),
            ("fluency", 0, 6),
        ]

    def test_keeps_what_is_declared_of_a_judge_that_appears_late(self, tmp_path, monkeypatch):
        monkeypatch.setattr(surveys, "ROWS", 1)
        text = "item,system,judge,score\nQ1,Kestrel,gpt-a,1\nQ2,Kestrel,gpt-a,5\nQ1,Harbour,gpt-late,2\n"

        run(written(tmp_path, text), "--machine", "gpt-late=judge:0:2")

        made = Machine.objects.get(rater__ref="gpt-late").rubric.versions.get().criteria.get()
        assert (made.minimum, made.maximum) == (0, 2)

    def test_asks_for_a_range_that_is_a_guess(self, tmp_path):
        text = "item,system,judge,score\nQ1,Kestrel,gpt-a,2\nQ2,Kestrel,gpt-a,4\n"
        with pytest.raises(
            CommandError, match=r"Nothing was imported.*Say each range with --machine"
        ):
            run(written(tmp_path, text))

        assert "2 scores" in run(written(tmp_path, text), "--machine", "gpt-a=judge:1:5")

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
