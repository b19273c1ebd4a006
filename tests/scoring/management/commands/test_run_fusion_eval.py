from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from scoring.models import Plan, Run, TaskVersion
from tests import make
from tests.scoring import connected, fused

pytestmark = pytest.mark.django_db


def run_fusion_eval(*words):
    out = StringIO()
    usual = ("--endpoint", "Scripted", "--predictions", "2", "--seed", "3")
    call_command("run_fusion_eval", "northport", *usual, *words, stdout=out)
    return out.getvalue()


class TestRunFusionEval:
    def test_writes_a_plan_evaluates_and_ends_with_a_table(self):
        batch = fused.scored()
        fused.version("overlap")
        connected.endpoint()
        ways = ("--variant", "FE", "--variant", "DE")

        told = run_fusion_eval(
            "--task", "Notes", "--over", f"import:{batch}", "--plan", "write", *ways, "--here"
        )

        assert Plan.objects.get().source == Plan.Source.ENDPOINT
        run = Run.objects.get(kind=Run.Kind.FUSION)
        assert run.state == Run.State.DONE
        assert "FE · plan 1 · Scripted · Notes v1" in told
        assert "DE · Scripted · Notes v1" in told
        assert "Clear" in told.splitlines()[-3]

    def test_makes_a_task_of_a_template_where_there_is_none(self):
        batch = fused.scored()
        connected.endpoint()
        words = ("--task", "Sums", "--template", "summary", "--over", f"import:{batch}")

        run_fusion_eval(*words, "--variant", "DE", "--here")

        assert TaskVersion.objects.get().task.name == "Sums"
        assert Run.objects.get().state == Run.State.DONE

    def test_starts_nothing_where_it_only_estimates(self):
        batch = fused.scored()
        fused.version("overlap")
        connected.endpoint()
        words = ("--task", "1", "--over", f"import:{batch}", "--variant", "FE_NO_PLAN")

        told = run_fusion_eval(*words, "--estimate")

        assert "4 answers. 8 calls" in told
        assert not Run.objects.exists()

    @pytest.mark.parametrize(
        ("words", "why"),
        [
            (("--task", "Odd", "--over", "import:1"), "There is no task Odd"),
            (("--task", "Notes", "--over", "bank:"), "neither round:NUMBER nor import:NUMBER"),
            (("--task", "Notes", "--over", "round:9"), "There is no round 9"),
            (("--task", "Notes", "--over", "import:1"), "needs a plan"),
            (("--task", "Notes", "--over", "import:1", "--plan", "x"), "A plan has a number"),
        ],
    )
    def test_says_what_is_wrong(self, words, why):
        fused.scored()
        fused.version("overlap")
        connected.endpoint(in_=make.project())

        with pytest.raises(CommandError, match=why):
            run_fusion_eval(*words)
