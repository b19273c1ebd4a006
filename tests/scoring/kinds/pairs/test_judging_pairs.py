import pytest

from annotation.rubrics.models import Criterion
from scoring.endpoints.queries import EndpointRetired, NoEndpoint
from scoring.engine import kinds
from scoring.engine.models import LLMCall, Run, Step
from scoring.kinds.metrics.operations import NothingToMeasure
from scoring.kinds.pairs import queries
from scoring.kinds.pairs.operations import KIND, NoPairToJudge
from tests import imports, make
from tests.scoring import connected, paired, preferred, rounds

pytestmark = pytest.mark.django_db
FIRST = {"replies": [{"contains": ["Answer A"], "reply": '{"choice": "A"}'}]}


class TestJudgingPairs:
    def test_asks_every_pair_of_a_round_of_grades_in_both_orders(self):
        round_ = rounds.graded(systems=("Kestrel", "Harbour", "Tern"), n_items=4, state="FINAL")

        run = paired.done(round_)

        assert (run.state, run.scripted) == (Run.State.DONE, True)
        assert Step.objects.filter(run=run).count() == 4 * 3
        assert LLMCall.objects.filter(run=run, role="judge").count() == 4 * 3 * 2
        for step in Step.objects.filter(run=run):
            assert [one["turned"] for one in step.result["orders"]] == [False, True]

    def test_asks_the_pairs_that_people_were_shown(self):
        run = paired.done(preferred.chosen(n_items=2))

        steps = Step.objects.filter(run=run)
        assert steps.count() == 2 * 3
        assert len({tuple(one.spec["responses"]) for one in steps}) == 6
        assert run.config["criterion"]["name"] == "preference/better"
        assert set(run.config["criterion"]["choices"]) == set("123456")

    def test_has_all_others_meet_one(self):
        round_ = rounds.graded(systems=("Kestrel", "Harbour", "Tern"), n_items=2, state="FINAL")
        one = make.release("Harbour")

        run = paired.done(round_, against=one.pk)

        assert {step.spec["releases"][1] for step in run.steps.all()} == {one.pk}
        assert run.steps.count() == 2 * 2

    def test_compares_what_an_import_brought(self):
        batch = _imported()

        run = paired.done(batch=batch)

        assert run.steps.filter(outcome=Step.Outcome.OK).count() == run.steps.count() == 3

    def test_says_at_the_step_why_there_is_no_choice(self):
        script = {"replies": [{"contains": ["JSON object"], "reply": "Both are fine."}]}

        run = paired.done(preferred.chosen(n_items=1), judge={"script": script})

        for step in run.steps.all():
            assert (step.outcome, step.result["chosen"]) == (Step.Outcome.NO_READING, None)
            assert step.problem == "The reply makes no choice."

    def test_is_found_inconsistent_where_the_first_always_wins(self):
        run = paired.done(preferred.chosen(n_items=1), judge={"script": FIRST})

        assert {step.result["chosen"] for step in run.steps.all()} == {"INCONSISTENT"}

    def test_shows_nobody_whose_answers_they_are(self):
        run = paired.done(preferred.chosen(n_items=1))

        for call in LLMCall.objects.filter(run=run):
            said = " ".join(text for _role, text in call.messages)
            for name in ("Kestrel", "Harbour", "Tern"):
                assert f"{name} ·" not in said

    def test_is_estimated_with_both_orders(self):
        round_ = preferred.chosen(n_items=3)
        connected.endpoint("Judge", in_=round_.project)

        found, asked = connected.reckoned(
            KIND, round_.project, paired.wish(round=round_.number, estimate=True)
        )

        assert found.as_dict()["calls"] == 2 * 9
        assert asked.told == {"pairs": 9}

    def test_can_be_begun_again_as_it_was(self):
        round_ = preferred.chosen(n_items=1)
        run = paired.requested(round_, reasons=False, temperature=None)

        again = KIND.again(run)

        assert again["over"] == f"round:{round_.number}"
        assert (again["endpoint"], again["criterion"]) == ("Judge", "preference/better")
        assert (again["reasons"], again["temperature"]) == (False, None)


class TestRefuses:
    def test_what_no_two_systems_answered(self):
        with pytest.raises(NoPairToJudge, match="No two systems"):
            paired.requested(rounds.graded(systems=("Kestrel",), n_items=1, state="FINAL"))

    def test_a_criterion_that_asks_for_something_else(self):
        with pytest.raises(NoPairToJudge, match="which of two"):
            paired.requested(preferred.chosen(n_items=1), criterion="default/accuracy")

    def test_to_guess_by_which_of_several_criteria(self):
        round_ = preferred.chosen(n_items=1, criteria=("better", "kinder"))

        with pytest.raises(NoPairToJudge, match="several"):
            paired.requested(round_)

        run = paired.requested(round_, criterion="preference/kinder")
        assert run.config["criterion"]["asks"] == "Kinder"

    def test_nobody_and_nothing(self):
        round_ = preferred.chosen(n_items=1)
        home = round_.project
        with pytest.raises(NoEndpoint):
            connected.begun(KIND, home, paired.wish(endpoint="Nobody", round=round_.number))
        connected.endpoint("Judge", in_=home)
        with pytest.raises(NothingToMeasure):
            connected.begun(KIND, home, paired.wish())

    def test_an_endpoint_that_was_retired(self):
        run = paired.requested(preferred.chosen(n_items=1))
        endpoint = connected.endpoint("Judge")
        endpoint.__class__.objects.filter(pk=endpoint.pk).update(retired_at=make.NOW)

        with pytest.raises(EndpointRetired):
            kinds.kind_called(run.kind).check(run)


class TestCriteria:
    def test_are_those_of_the_newest_version(self):
        version = preferred.choice_rubric()

        (found,) = queries.criteria(version.rubric.project)

        assert queries.name_of(found) == "preference/better"
        assert found.mark == Criterion.Mark.CHOICE


def _imported() -> int:
    rows = [f"Q1,Which?,{name},Says {name} at length" for name in ("Kestrel", "Harbour", "Tern")]
    batch = imports.answers("\n".join(["item,question,system,answer", *rows]) + "\n")
    return imports.apply(batch).number
