from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from scoring.engine.models import Run
from scoring.kinds.fusion.models import Plan, TaskVersion
from tests import imports, make
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

    def test_of_a_template_has_a_plan_written_and_fuses_the_metrics_that_scored_the_answers(self):
        batch = fused.scored()
        connected.endpoint()
        words = ("--task", "Summaries", "--template", "summary", "--over", f"import:{batch}")
        ways = ("--variant", "FE", "--variant", "FE_NO_PLAN", "--variant", "DE")

        told = run_fusion_eval(*words, "--plan", "write", *ways, "--here")

        version = TaskVersion.objects.get()
        names = {one["name"] for one in version.content["assistants"]}
        assert names == {"overlap", "entailment"}
        assert Run.objects.get(kind=Run.Kind.FUSION).state == Run.State.DONE
        assert "FE · plan 1 · Scripted · Summaries v1" in told

    def test_of_a_template_takes_the_assistants_that_are_named(self):
        batch = fused.scored()
        connected.endpoint()
        words = ("--task", "Sums", "--template", "summary", "--over", f"import:{batch}")

        run_fusion_eval(*words, "--variant", "FE_NO_PLAN", "--assistant", "overlap", "--here")

        (one,) = TaskVersion.objects.get().content["assistants"]
        assert one["name"] == "overlap"

    def test_lists_what_can_assist_by_its_key(self):
        fused.scored()

        told = run_fusion_eval("--assistants")

        assert {one.split()[0] for one in told.splitlines()} == {"overlap", "entailment"}

    def test_adds_an_assistant_to_a_task_once(self):
        batch = fused.scored()
        fused.version("overlap")
        connected.endpoint()
        words = ("--task", "Notes", "--over", f"import:{batch}", "--variant", "FE_NO_PLAN")

        for _again in range(2):
            run_fusion_eval(*words, "--assistant", "entailment", "--here")

        newest = TaskVersion.objects.order_by("-number").first()
        assert newest.number == 2
        assert [one["name"] for one in newest.content["assistants"]] == ["overlap", "entailment"]

    def test_adds_none_where_it_only_estimates(self):
        batch = fused.scored()
        fused.version("overlap")
        connected.endpoint()
        words = ("--task", "Notes", "--over", f"import:{batch}", "--variant", "FE_NO_PLAN")

        run_fusion_eval(*words, "--assistant", "entailment", "--apart", "--estimate")

        assert TaskVersion.objects.count() == 1

    def test_says_which_arguments_lack(self):
        make.project()

        with pytest.raises(CommandError, match="Give --task, --over too"):
            run_fusion_eval()

    @pytest.mark.parametrize(
        ("words", "why"),
        [
            (("--template", "summary", "--plan", "write"), "nothing to fuse"),
            (("--template", "summary", "--assistant", "Odd"), "no assistant Odd"),
            (("--template", "summary", "--variant", "DE", "--predictions", "0"), "[Pp]rediction"),
            (
                ("--template", "summary", "--variant", "DE", "--budget", "much"),
                "no amount of money",
            ),
            (("--template", "summary", "--variant", "DE", "--by", "nobody"), "nobody called"),
        ],
    )
    def test_asks_nobody_where_it_cannot_be_done_to_the_end(self, words, why):
        batch = imports.apply(imports.answers()).number
        connected.endpoint()

        with pytest.raises(CommandError, match=why) as refused:
            run_fusion_eval("--task", "Sums", "--over", f"import:{batch}", *words, "--here")

        assert refused.value.returncode == 2
        assert not Run.objects.exists()
        assert not TaskVersion.objects.exists()

    def test_asks_nobody_where_there_is_no_such_planner(self):
        batch = fused.scored()
        connected.endpoint()
        words = ("--task", "Sums", "--template", "summary", "--over", f"import:{batch}")

        with pytest.raises(CommandError, match="no endpoint Odd"):
            run_fusion_eval(*words, "--plan", "write", "--planner", "Odd")

        assert not TaskVersion.objects.exists()

    def test_with_the_same_key_pays_for_one_plan(self):
        batch = fused.scored()
        connected.endpoint()
        words = ("--task", "Sums", "--template", "summary", "--over", f"import:{batch}")
        key = ("--plan", "write", "--key", "0b0e7a5e-0000-4000-8000-000000000001", "--here")

        run_fusion_eval(*words, *key)
        run_fusion_eval(*words, *key)

        assert Plan.objects.count() == 1
        assert Run.objects.count() == 2

    def test_estimates_a_task_that_is_not_made_yet(self):
        batch = fused.scored()
        connected.endpoint()
        words = ("--task", "Sums", "--template", "summary", "--over", f"import:{batch}")

        told = run_fusion_eval(*words, "--plan", "write", "--estimate")

        assert "4 answers. 8 calls" in told
        assert "A plan before it: 1 calls" in told
        assert not TaskVersion.objects.exists()

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
