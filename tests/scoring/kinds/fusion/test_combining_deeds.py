import pytest

from scoring.endpoints.models import Judge
from scoring.engine.models import Judgment, Run
from scoring.kinds.fusion import combining
from scoring.kinds.fusion import queries as evaluation_tasks
from scoring.kinds.fusion.v1 import Variant
from tests.scoring import fused, machines, rounds

pytestmark = pytest.mark.django_db


def stored(run, criterion="Clear"):
    """Return the value or the reason of each answer by each way."""
    rows = Judgment.objects.filter(run=run, criterion__name=criterion)
    names = ("response__item__external_id", "response__release__system__name", "rater__ref")
    return {
        (row[0], row[1], row[2].split(" ")[0]): row[3] if row[3] is not None else row[4]
        for row in rows.values_list(*names, "value", "reason")
    }


class TestCombining:
    def test_averages_all_assistants_or_those_that_the_plan_names(self):
        batch = fused.scored()
        task = fused.version("overlap", "entailment")
        plan = fused.plan(task, clear=["entailment"])

        run = fused.combined(fused.mixed(task, ("AVG", "LLMSEL"), plan=plan, batch=batch))

        assert (run.state, run.scripted) == (Run.State.DONE, False)
        found = stored(run)
        assert found["Q1", "Kestrel", "AVG"] == pytest.approx(0.5)
        assert found["Q1", "Kestrel", "LLMSel"] == pytest.approx(0.1)
        assert found["Q2", "Kestrel", "AVG"].startswith("One of the evaluators")
        # The plan names nobody for the other criterion: that is no score, as in the paper.
        unnamed = {value for key, value in stored(run, "Right").items() if key[2] == "LLMSel"}
        assert unnamed == {"The plan names no assistant for this criterion."}

    def test_takes_a_judge_in_with_the_assistants(self):
        batch = fused.scored()
        task = fused.version("overlap")
        judged = fused.ran(fused.wish(task, Variant.DE, batch=batch))
        judge = Judge.objects.get(pk=judged.config["judges"][0]["judge"])

        combined = fused.combined(fused.mixed(task, ("AVG",), judge=judge, batch=batch))

        # The judge is a script, so what is made of its scores is a script's as well.
        assert (combined.scripted, combined.asks_script) == (True, True)
        found = stored(combined)
        mark = fused.means(judged, Variant.DE)["Q1", "Kestrel", "Clear"]
        assert found["Q1", "Kestrel", "AVG"] == pytest.approx((0.9 + (mark - 1) / 4) / 2)

    def test_weighs_by_people_on_other_questions(self):
        round_ = rounds.graded(n_items=6, systems=("Kestrel", "Harbour", "Osprey"))
        machines.scored(round_)
        rubric = round_.items.first().rubric_version
        criteria = evaluation_tasks.from_rubric(rubric).criteria
        task = fused.version("overlap", criteria=criteria)

        run = fused.combined(fused.mixed(task, ("CORRW",), round=round_, people=round_))

        rows = Judgment.objects.filter(run=run)
        assert rows.count() == 18
        assert set(rows.values_list("outcome", flat=True)) == {"SCORED"}
        weights = run.steps.get().result["weights"]
        assert len(weights) == 5
        assert all(one["n_train"] < 18 for one in weights)

    def test_hides_what_it_made_until_the_round_is_final(self):
        round_ = rounds.graded(state="REVIEW", n_items=2)
        machines.scored(round_)
        run = fused.combined(fused.mixed(fused.version("overlap"), ("AVG",), round=round_))

        assert Judgment.objects.filter(run=run).exists()
        assert not Judgment.objects.counted().filter(run=run).exists()


class TestCheck:
    def test_refuses_a_selection_without_a_plan(self):
        batch = fused.scored()

        with pytest.raises(combining.NothingToCombine, match="choose a plan"):
            fused.combined(fused.mixed(fused.version("overlap"), ("LLMSEL",), batch=batch))

    def test_refuses_weights_by_grades_that_may_change(self):
        round_ = rounds.graded(state="REVIEW", n_items=2)
        machines.scored(round_)

        with pytest.raises(combining.PeopleStillGrade):
            fused.combined(
                fused.mixed(fused.version("overlap"), ("CORRW",), round=round_, people=round_)
            )

    def test_refuses_a_task_without_assistants(self):
        batch = fused.scored()

        with pytest.raises(combining.NothingToCombine, match="no assistants"):
            fused.combined(fused.mixed(fused.version(), ("AVG",), batch=batch))
