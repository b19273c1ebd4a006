from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from annotation.grading.models import Grade
from annotation.people.permissions import scope_of
from annotation.systems.models import Response
from scoring.beside import asked, columns
from scoring.beside.columns import PeopleChoice
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine.models import CallText, Judgment, LLMCall, Run
from scoring.kinds.judging import plugin
from scoring.kinds.judging import queries as judging
from scoring.kinds.judging import settings as judges
from scoring.kinds.judging.models import Tuning, TuningQuestion
from scoring.tuning import figure as figures
from scoring.tuning import operations
from scoring.tuning import queries as reads
from tests import make
from tests.scoring import connected, judged, rounds, tuned

pytestmark = pytest.mark.django_db


class TestBegin:
    def test_splits_the_questions_by_the_seed_into_two_sides_that_share_none(self):
        round_ = tuned.round_of(n_items=20)
        first, again = tuned.begun(round_), tuned.begun(round_, name="Another")
        other = tuned.begun(round_, name="By another seed", seed=8)

        def sides(tuning):
            rows = TuningQuestion.objects.filter(tuning=tuning)
            return {
                held: set(rows.filter(is_held_out=held).values_list("group", flat=True))
                for held in (True, False)
            }

        assert len(sides(first)[True]) == 8  # 40 %
        assert len(sides(first)[False]) == 12
        assert sides(first) == sides(again) != sides(other)
        assert not set(reads.items(first, held_out=True)) & set(reads.items(first, held_out=False))

    @given(
        sizes=st.lists(st.integers(1, 9), min_size=2, max_size=6).filter(lambda x: sum(x) >= 12),
        share=st.integers(35, 65),
        seed=st.integers(0, 2**31),
    )
    def test_sets_the_same_share_of_every_stratum_aside(self, sizes, share, seed):
        groups = {f"{s}-{n}": str(s) for s, size in enumerate(sizes) for n in range(size)}

        apart = operations.held_out(groups, seed=seed, share=share)

        assert len(apart) == round(len(groups) * share / 100)
        for stratum, size in enumerate(sizes):
            mine = sum(groups[one] == str(stratum) for one in apart)
            assert abs(mine - size * len(apart) / len(groups)) < 1 + 1e-9

    def test_refuses_a_round_that_is_not_final_and_one_with_too_few_questions(self):
        with pytest.raises(operations.BadTuning, match="final round"):
            tuned.begun(tuned.round_of(state="REVIEW"))
        with pytest.raises(operations.TooFewQuestions, match="of the 7 of this round 3 would be"):
            tuned.begun(tuned.round_of(n_items=7, number=2, in_=make.project("other")))

    def test_refuses_an_endpoint_and_a_criterion_that_are_not_there(self):
        round_ = tuned.round_of()
        with pytest.raises(operations.BadTuning, match="No endpoint in use here is called “Gone”"):
            tuned.begun(round_, endpoint="Gone")
        with pytest.raises(operations.BadTuning, match="no criterion “style”"):
            tuned.begun(round_, criteria=("style",))

    def test_refuses_a_name_that_is_tuned_already(self):
        round_ = tuned.round_of()
        tuned.begun(round_)
        with pytest.raises(operations.BadTuning, match="is tuned already"):
            tuned.begun(round_)


class TestTryVersion:
    def test_grades_the_practice_answers_and_no_others(self):
        tuning = tuned.begun()

        version = tuned.tried(tuning, "Grade by what is right.")

        seen = set(Judgment.objects.filter(run=version.run).values_list("response", flat=True))
        assert seen == set(tuned.responses(tuning, held_out=False))
        assert not seen & set(tuned.responses(tuning, held_out=True))

    def test_counts_nowhere_and_its_judge_stands_in_no_list(self):
        tuning = tuned.begun()

        version = tuned.tried(tuning)

        assert version.run.is_practice
        assert not Judgment.objects.counted().filter(run=version.run).exists()
        assert not judging.of_machines(tuning.project).exists()
        assert not judging.judges_of(tuning.project).exists()

    def test_leads_from_its_run_to_the_judge_that_is_tuned(self):
        tuning = tuned.begun()
        run = tuned.tried(tuning).run

        (action,) = plugin.links(run)

        assert action.url == "/p/northport/judges/tune/1/"
        assert plugin.form(run) == ""

    def test_is_the_same_version_for_the_same_key_and_another_for_other_instructions(self):
        tuning = tuned.begun()
        first = tuned.requested(tuning, 1)

        assert tuned.requested(tuning, 1) == first
        tuned.kept(tuning, "Be kind.")
        second = tuned.requested(tuning, 2)

        assert (first.number, second.number) == (1, 2)
        assert second.judge.name == "Careful reader v2"

    def test_refuses_instructions_that_were_tried_already(self):
        tuning = tuned.begun()
        tuned.requested(tuning, 1)

        with pytest.raises(
            judges.JudgeAlreadyThere, match="“Careful reader v1” is configured in exact"
        ):
            tuned.requested(tuning, 2)

    def test_takes_what_another_tuning_tried_too(self):
        round_ = tuned.round_of()
        first, other = tuned.begun(round_), tuned.begun(round_, name="Another")
        tuned.requested(first, 1)

        assert tuned.requested(other, 2).judge.name == "Another v1"


class TestKeep:
    def test_refuses_what_somebody_else_changed_meanwhile(self):
        tuning = tuned.begun()
        tuned.kept(tuning, "First.")

        with pytest.raises(operations.TuningMoved):
            operations.keep(
                tuning=tuning, instructions="Second.", examples=[], rev=0,
                by=connected.owner(tuning.project), now=make.NOW,
            )  # fmt: skip

        tuning.refresh_from_db()
        assert tuning.instructions == "First."

    def test_takes_lines_as_browsers_send_them_for_the_same(self):
        tuning = tuned.begun()
        tuned.tried(tuning, "One.\nTwo.")

        tuned.kept(tuning, "One.\r\nTwo. ")

        with pytest.raises(judges.JudgeAlreadyThere):
            tuned.requested(tuning, 2)

    def test_refuses_an_example_of_a_question_that_is_set_aside(self):
        tuning = tuned.begun()
        held = tuned.responses(tuning, held_out=True)[0]

        with pytest.raises(operations.NoPracticeAnswer):
            tuned.kept(tuning, "Grade.", held)

    def test_shows_the_judge_examples_with_the_level_nearest_to_peoples_mean(self):
        tuning = tuned.begun()
        response = tuned.responses(tuning, held_out=False)[0]
        tuned.kept(tuning, "Grade.", response)

        (example,) = tuned.requested(tuning).judge.config["examples"]

        said = Response.objects.get(pk=response).messages[0]["content"]
        assert example["answer"] == said
        assert example["reason"] == "People said why."
        assert [one["criterion"] for one in example["grades"]] == ["grade"]
        assert example["grades"][0]["value"] in {"0", "1", "2"}


class TestNothingLeaks:
    def test_no_call_before_the_lock_holds_a_text_of_what_is_set_aside(self):
        """Every question and every answer of the round has a text that no other one has."""
        tuning = tuned.begun()
        held, practised = (
            {
                text
                for one in Response.objects.filter(
                    pk__in=tuned.responses(tuning, held_out=side)
                ).select_related("item")
                for text in (one.item.question, one.messages[0]["content"])
            }
            for side in (True, False)
        )
        tuned.kept(tuning, "Grade as shown.", tuned.responses(tuning, held_out=False)[0])

        version = tuned.tried(tuning)

        calls = LLMCall.objects.filter(run=version.run)
        said = "\n".join(CallText.objects.filter(run=version.run).values_list("text", flat=True))
        assert len(calls) == len(tuned.responses(tuning, held_out=False))
        assert all(text in said for text in practised)
        assert not any(text in said or text in str(version.judge.config) for text in held)

        run = tuned.measured(tuning)

        said = "\n".join(CallText.objects.filter(run=run).values_list("text", flat=True))
        assert all(text in said for text in held)


class TestMeasure:
    def test_locks_the_version_and_grades_what_was_set_aside_once(self):
        tuning = tuned.begun()
        version = tuned.tried(tuning)

        run = tuned.measured(tuning)

        tuning.refresh_from_db()
        assert tuning.locked == version
        assert run.state == Run.State.DONE
        assert set(
            Judgment.objects.counted().filter(run=run).values_list("response", flat=True)
        ) == set(tuned.responses(tuning, held_out=True))
        assert [one.name for one in judging.judges_of(tuning.project)] == ["Careful reader v1"]
        assert reads.split(tuning).n_opened == 1

    def test_the_same_key_is_the_same_measurement_and_another_is_refused(self):
        tuning = tuned.begun()
        tuned.tried(tuning)
        run = tuned.measured(tuning)

        assert tuned.measured(tuning) == run
        with pytest.raises(operations.TuningLocked):
            tuned.measured(tuning, key=901)
        with pytest.raises(operations.TuningLocked):
            tuned.requested(tuning, 5)

    def test_refuses_a_version_that_was_not_tried_to_its_end(self):
        tuning = tuned.begun()
        tuned.requested(tuning)

        with pytest.raises(operations.NotTried):
            tuned.measured(tuning)

    def test_opens_nothing_where_the_budget_would_not_do(self):
        tuning = tuned.begun()
        Endpoint.objects.update(prompt_price=10, completion_price=10, currency="EUR")
        tuned.tried(tuning)

        with pytest.raises(operations.MeasureOverBudget, match="EUR") as refused:
            tuned.measured(tuning, budget=Decimal("0.000001"))

        assert set(refused.value.fields) == {"budget"}
        tuning.refresh_from_db()
        assert (tuning.locked, reads.split(tuning).n_opened) == (None, 0)
        assert Run.objects.count() == 1  # the try alone
        assert tuned.measured(tuning, budget=Decimal(100)).budget == 100


class TestGoOn:
    def test_keeps_the_split_and_says_that_it_was_looked_at(self):
        tuning = tuned.begun()
        tuned.tried(tuning, "Grade well.")
        tuned.measured(tuning)
        tuning.refresh_from_db()

        more = operations.go_on(
            tuning=tuning, name="Second", by=connected.owner(tuning.project), now=make.NOW
        )

        assert reads.items(more, held_out=True) == reads.items(tuning, held_out=True)
        assert more.instructions == "Grade well."
        assert reads.split(more).n_opened == 1
        assert reads.split(more).n_practised == 0

    def test_counts_questions_set_aside_that_were_practised_on_elsewhere(self):
        round_ = tuned.round_of(n_items=20)
        tuned.tried(tuned.begun(round_, seed=1))

        other = tuned.begun(round_, name="Another", seed=2)

        assert reads.split(other).n_practised > 0


def of_run(tuning: Tuning, run: Run) -> dict[str, Any]:
    """Return what a run came to on the one criterion there is."""
    stored: Any = figures.tuning_of(tuning.round, {"run": run.pk})
    (found,) = stored["criteria"]
    return found


class TestFigure:
    def test_is_pearsons_r_of_scores_and_means_on_the_practice_answers_alone(self):
        """Recomputed from the rows of grades and judgments, without the columns."""
        tuning = tuned.begun(tuned.round_of(n_items=20))
        version = tuned.tried(tuning)

        found = of_run(tuning, version.run)

        scores = dict(
            Judgment.objects.filter(run=version.run, repeat=0).values_list("response", "value")
        )
        means = {
            one: np.mean(
                [
                    float(v)
                    for v in Grade.objects.filter(response=one).values_list("value", flat=True)
                ]
            )
            for one in scores
        }
        expected = np.corrcoef(list(scores.values()), [means[one] for one in scores])[0, 1]
        assert found["agreement"]["value"] == pytest.approx(expected, abs=1e-12)
        assert found["agreement"]["low"] < expected < found["agreement"]["high"], found["agreement"]
        gaps = {one["response"]: one["gap"] for one in found["apart"]}
        assert found["n_apart"] == len(gaps)
        assert gaps == {
            one: pytest.approx(value - means[one])
            for one, value in scores.items()
            if abs(value - means[one]) >= 0.5
        }

    def test_says_why_there_is_no_coefficient_or_no_interval(self):
        """A judge that gives everything the same grade; three questions."""
        tuning = tuned.begun(rounds.graded(n_items=8), share=50)
        version = tuned.tried(tuning)

        found = of_run(tuning, version.run)

        assert found["agreement"]["value"] is None
        assert found["agreement"]["reason"] == "constant_judge"


class TestBesidePeople:
    def test_no_score_on_a_question_that_the_judge_was_tuned_on_counts_beside_people(self):
        tuning = tuned.begun()
        version = tuned.tried(tuning)
        tuned.measured(tuning)
        judged.ran(tuning.round, version.judge, number=50)  # over the whole round, afterwards

        found = columns.columns(PeopleChoice((tuning.round,)), [version.judge.rater_id])

        ((_key, judged_),) = found.judges.items()
        scored = {
            response
            for response, value in zip(found.response, judged_.values, strict=True)
            if value == value
        }
        assert scored == set(tuned.responses(tuning, held_out=True))

    def test_is_mixed_with_other_judges_only_where_somebody_wishes_it(self):
        """It has scores of part of the answers: with it, the others would count on no more."""
        tuning = tuned.begun()
        version = tuned.tried(tuning)
        judged.ran(tuning.round, judged.judge("Whole"), number=40)
        tuned.measured(tuning)
        scope = scope_of(connected.owner(tuning.project), tuning.project.slug)
        whole = Judge.objects.get(name="Whole").rater_id

        usual = asked.options("judge_mixes", scope, QueryDict("round=1")).choice
        both = QueryDict(f"round=1&judge={whole}&judge={version.judge.rater_id}")

        assert usual.judges == (whole,)
        assert set(asked.options("judge_mixes", scope, both).choice.judges) == {
            whole,
            version.judge.rater_id,
        }
