import pytest

from annotation.people.models import RaterKind
from scoring.kinds.fusion import queries as evaluation_tasks
from tests import make
from tests.scoring import fused, machines, rounds

pytestmark = pytest.mark.django_db


class TestAssistants:
    def test_are_every_machines_criteria_with_keys_of_their_own(self):
        fused.scored()
        rows = "item,system,judge_coherence,judge_fluency,Over Lap\nQ1,Kestrel,4,5,0.5\n"
        machines.brought(rows, told={"same:overlap": "apart"})

        found = {one.label: one.helper for one in evaluation_tasks.assistants(make.project())}

        assert {"overlap", "entailment"} < set(found)
        keys = [one.assistant.key for one in found.values()]
        assert len(set(keys)) == len(keys)
        assert (found["overlap"].assistant.low, found["overlap"].assistant.high) == (0.0, 1.0)

    def test_count_for_nothing_in_another_project(self):
        fused.scored()

        assert evaluation_tasks.assistants(make.project("elsewhere")) == []


class TestFromRubric:
    def test_keeps_keys_ranges_and_what_levels_mean(self):
        rubric = rounds.graded().items.first().rubric_version

        task = evaluation_tasks.from_rubric(rubric)

        assert task.faults() == frozenset()
        rows = list(rubric.criteria.order_by("position"))
        assert [one.key for one in task.criteria] == [row.key for row in rows]
        assert all(level.label in task.criteria[0].definition for level in rows[0].levels.all())


class TestFreeName:
    def test_counts_on_where_a_name_is_taken(self):
        fused.version(name="Notes")
        fused.version(name="Notes (2)")

        assert evaluation_tasks.free_name(make.project(), "Notes") == "Notes (3)"
        assert evaluation_tasks.free_name(make.project(), "Others") == "Others"


class TestAlignment:
    def test_is_a_tick_for_each_criterion_and_assistant(self):
        fused.scored()
        content = fused.content("overlap", "entailment")

        found = evaluation_tasks.alignment(content, {"right": ["entailment"]})

        assert found == [("Clear", [False, False]), ("Right", [False, True])]


class TestRubricsOfRound:
    def test_are_none_of_a_round_that_is_not_there(self):
        assert evaluation_tasks.rubrics_of_round(make.project(), 9) == []
        assert RaterKind.DERIVED in evaluation_tasks.ASSIST

    def test_are_those_its_answers_are_graded_by(self):
        round_ = rounds.graded()

        (found,) = evaluation_tasks.rubrics_of_round(make.project(), round_.number)

        assert found == round_.items.first().rubric_version
