from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests import tampering
from tests.scoring import running

pytestmark = pytest.mark.django_db


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
