from types import SimpleNamespace

import pytest

from scoring.kinds.fusion import outcome
from scoring.kinds.fusion.v1 import Variant
from scoring.outcomes.values import Contender, Estimate, Ranking
from tests.scoring import connected, fused, rounds, worker
from tests.scoring.outcomes import outcomes_world
from tests.scoring.outcomes.outcomes_world import api_at, page_at

pytestmark = pytest.mark.django_db


def told(client, run, query=""):
    client.get(f"{api_at(run, 'fusion')}{query}")
    worker.compute()
    return client.get(f"{api_at(run, 'fusion')}{query}").json()


def rows_of(found, table):
    return next(one["rows"] for one in found["tables"] if one["name"] == table)


class TestFusionOutcome:
    def test_tells_what_every_judge_scored_and_what_an_answer_took(self, as_analyst):
        batch = fused.scored()
        by = connected.endpoint(prompt_price=1, completion_price=2)
        run = fused.ran(fused.wish(fused.version(), Variant.DE, by=by, batch=batch))

        found = told(as_analyst, run)

        (judge,) = rows_of(found, "spent")
        assert judge["judge"] == "DE · Scripted · Notes v1"
        assert (judge["predictions"], judge["answers"]) == (4 * 2 * 2, 4)
        assert judge["cost"] > 0
        scores = rows_of(found, "scores")
        assert len(scores) == 3 * 2  # all answers, and those of either release
        assert {one["n"] for one in scores} == {4, 2}
        assert found["ranking"] == []
        assert "Needs people’s grades" in found["hints"][0]

    def test_counts_why_scores_lack(self, as_analyst):
        by = connected.endpoint(script={"refused": 1.0})
        run = fused.ran(fused.wish(fused.version(), by=by, batch=fused.scored()))

        found = told(as_analyst, run)

        assert rows_of(found, "without_score") == [{"reason": "The judge declined.", "n": 8}]

    def test_sets_its_judges_beside_people_and_tests_them(self, as_analyst):
        run = outcomes_world.fusion()

        found = told(as_analyst, run)

        assert {one["system"] for one in found["ranking"]} == {"FE", "FE-NoPlan", "DE"}
        judges = [one["judge"] for one in rows_of(found, "people")]
        assert set(judges) > {"FE", "FE-NoPlan", "DE", "People with each other"}
        assert len(rows_of(found, "tests")) == 3
        assert {one["value"] for one in found["ranking"]} == {None}
        assert found["verdict"] == ""
        named = {one["mark"] for one in rows_of(found, "assistants")}
        assert named == {"named"}
        page = as_analyst.get(page_at(run, "fusion")).content.decode()
        assert "AVG, LLMSel and CorrW within folds" in page

    def test_takes_another_coefficient_and_refuses_what_is_none(self, as_analyst):
        run = outcomes_world.fusion()

        usual, other = (told(as_analyst, run, query) for query in ("", "?coefficient=pearson"))
        refused = as_analyst.get(f"{api_at(run, 'fusion')}?criterion=beauty")

        assert usual["chosen"]["coefficient"] == "kendall_b"
        assert other["chosen"]["coefficient"] == "pearson"
        assert rows_of(usual, "people") != rows_of(other, "people")
        assert refused.status_code == 400
        assert as_analyst.get(page_at(run, "fusion", "?criterion=beauty")).status_code == 200

    def test_says_that_it_is_too_early(self, as_analyst):
        round_ = rounds.graded(state="REVIEW", n_items=1)
        run = fused.ran(fused.wish(fused.version(), round_=round_))

        page = as_analyst.get(page_at(run, "fusion"))
        refused = as_analyst.get(api_at(run, "fusion"))
        file = as_analyst.get(page_at(run, "fusion", "scores.csv"))

        assert page.status_code == 409
        assert "once the round is final" in page.content.decode()
        assert refused.json()["code"] == "still_hidden"
        assert file.headers["Location"] == page_at(run, "fusion")


class TestVerdict:
    @pytest.mark.parametrize(
        ("p", "said"),
        [
            (0.01, "DE agrees with people better than FE."),
            (0.2, "DE agrees best, but its lead over FE could be chance."),
            (None, "DE agrees best, but its lead over FE could be chance."),
        ],
    )
    def test_names_the_judge_that_goes_with_people_best_and_how_sure_that_is(self, p, said):
        rows = [(Contender("FE"), Estimate(0.2)), (Contender("DE"), Estimate(0.4))]
        lines = [SimpleNamespace(name=f"{one} · Notes", short=one) for one in ("FE", "DE")]
        tested = SimpleNamespace(
            left_name="FE · Notes", right_name="DE · Notes", permutation={"p_holm": p}
        )

        found = outcome._verdict(
            SimpleNamespace(lines=lines),
            Ranking(title="", unit="", rows=rows, bounds=(-1, 1), digits=3, at=0.0),
            SimpleNamespace(tests=[tested]),
        )

        assert found == said
