import pytest

from scoring.kinds.fusion import queries as evaluation_tasks
from scoring.kinds.fusion.v1 import Variant
from tests.scoring import connected, fused, machines, rounds, worker

pytestmark = pytest.mark.django_db
EVERY = (Variant.FE, Variant.FE_NO_PLAN, Variant.DE)


def at(run, end="/"):
    return f"/p/northport/runs/{run.number}/fusion{end}"


def over_a_round(state="FINAL"):
    """Return a finished run of all three ways over a graded round with a metric."""
    round_ = rounds.graded(state=state, n_items=4, systems=("Kestrel", "Harbour", "Osprey"))
    machines.scored(round_)
    rubric = round_.items.first().rubric_version
    criteria = evaluation_tasks.from_rubric(rubric).criteria
    task = fused.version("overlap", criteria=criteria)
    plan = fused.plan(task, **{criteria[0].key: ["overlap"]})
    by = connected.endpoint(prompt_price="1", completion_price="2")
    return fused.ran(fused.wish(task, *EVERY, plan=plan, by=by, round_=round_))


class TestRunFusion:
    def test_shows_what_every_judge_scored_and_took(self, as_analyst):
        batch = fused.scored()
        run = fused.ran(fused.wish(fused.version(), batch=batch))

        page = as_analyst.get(at(run)).content.decode()

        for words in (
            "DE · Scripted · Notes v1",
            "Kestrel · 1",
            "Time and cost of an answer",
            "n 4",
        ):
            assert words in page
        assert "Nobody whose grades you may read" in page
        assert at(run) in as_analyst.get(f"/p/northport/runs/{run.number}/").content.decode()

    def test_sets_its_judges_beside_people_and_tests_them(self, as_analyst):
        run = over_a_round()

        as_analyst.get(at(run))
        worker.compute()
        page = as_analyst.get(at(run)).content.decode()

        for words in ("Beside people", "Plan, no plan, direct", "How far each judge goes"):
            assert words in page
        assert "AVG, LLMSel and CorrW" in page

    def test_says_that_it_is_too_early(self, as_analyst):
        round_ = rounds.graded(state="REVIEW", n_items=1)
        run = fused.ran(fused.wish(fused.version(), round_=round_))

        page = as_analyst.get(at(run))

        assert page.status_code == 409
        assert "once the round is final" in page.content.decode()
        assert as_analyst.get(at(run, ".csv")).headers["Location"] == at(run)

    def test_sends_every_mean_as_csv(self, as_analyst):
        batch = fused.scored()
        run = fused.ran(fused.wish(fused.version(), batch=batch))

        lines = as_analyst.get(at(run, ".csv")).getvalue().decode().splitlines()

        head = next(n for n, line in enumerate(lines) if "judge,variant,release" in line)
        assert len(lines[head + 1 :]) == 2 * 2
