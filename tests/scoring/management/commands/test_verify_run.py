import sqlite3
from contextlib import closing
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.systems.models import Response
from scoring.engine.models import Judgment
from scoring.kinds.interviews.models import Exchange
from tests import tampering
from tests.scoring import interviewed, running
from tests.scoring.kinds.interviews.test_dialogue_imports import archived, bring_in
from tests.scoring.kinds.suites.test_flexeval_results import TABLES
from tests.scoring.kinds.suites.test_suite_imports import brought

pytestmark = pytest.mark.django_db


@pytest.fixture
def of_flexeval(tmp_path):
    path = tmp_path / "results.db"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(TABLES)
    (run,) = brought(path.read_bytes()).runs
    return run


def verify(*args) -> str:
    out = StringIO()
    call_command("verify_run", *args, stdout=out)
    return out.getvalue()


class TestVerifyRun:
    def test_says_that_a_run_comes_out_as_it_did(self):
        run = running.worked(running.requested(n=3), running.Model())

        assert verify(run.project.slug, str(run.number)) == "Run 1: 3 steps come out as they did.\n"

    def test_fails_where_one_does_not(self):
        run = running.worked(running.requested(n=3), running.Model())
        with tampering.unguarded():
            run.steps.filter(key="step 1").update(result={"said": []})

        with pytest.raises(CommandError, match="1 steps of run 1"):
            verify(run.project.slug, str(run.number))

    def test_says_that_there_is_no_such_run(self):
        with pytest.raises(CommandError, match="no run 9"):
            verify("northport", "9")

    def test_fails_where_nothing_was_compared(self):
        run = running.requested(n=2)

        with pytest.raises(CommandError, match="nothing was verified") as failed:
            verify(run.project.slug, str(run.number))

        assert failed.value.returncode == 2


class TestOfAFile:
    def run_of(self):
        return bring_in(archived(interviewed.held(n=2)))

    def test_says_that_no_step_is_played_back_and_what_was_compared(self):
        run = self.run_of()

        said = verify(run.project.slug, str(run.number))

        assert "no step can be played back" in said
        assert "as it came in" in said
        assert f"its {run.dialogues.count()} dialogues" in said

    @pytest.mark.parametrize(
        ("model", "change"),
        [
            (Exchange, {"answer": "Another answer."}),
            (Judgment, {"value": 4.0, "outcome": "SCORED", "reason": ""}),
            (Response, {"messages": [{"role": "assistant", "content": "Other."}]}),
        ],
    )
    def test_fails_where_something_is_not_as_it_came_in(self, model, change):
        run = self.run_of()
        of = {
            Exchange: {"dialogue__run": run},
            Judgment: {"run": run},
            Response: {"dialogue__run": run},
        }[model]
        with tampering.unguarded():
            rows = model.objects.filter(**of).values_list("pk", flat=True)
            model.objects.filter(pk=list(rows)[-1]).update(**change)

        with pytest.raises(CommandError, match="differences; see above") as failed:
            verify(run.project.slug, str(run.number))

        assert failed.value.returncode == 1

    def test_compares_verdicts_of_a_run_from_before_and_says_no_more(self):
        run = self.run_of()
        del run.config["imported"]["content"]
        run.save()

        said = verify(run.project.slug, str(run.number))

        assert "as it came in" not in said
        assert "dialogues are those that its figures read" in said

    def test_covers_results_of_flexeval(self, of_flexeval):
        run = of_flexeval
        assert "as it came in" in verify(run.project.slug, str(run.number))
        with tampering.unguarded():
            one = Judgment.objects.filter(run=run, value__isnull=False).first()
            Judgment.objects.filter(pk=one.pk).update(value=one.value + 1)

        with pytest.raises(CommandError, match="differences"):
            verify(run.project.slug, str(run.number))

    def test_fails_where_nothing_is_known_of_what_came_in(self, of_flexeval):
        run = of_flexeval
        del run.config["imported"]["content"]
        run.save()

        with pytest.raises(CommandError, match="nothing was verified") as failed:
            verify(run.project.slug, str(run.number))

        assert failed.value.returncode == 2
