from dataclasses import replace
from decimal import Decimal

import pytest

from annotation.common.scales import Scale
from scoring.kinds.fusion.tasks import FusionTask, Helper, TaskField
from scoring.kinds.fusion.templates import TEMPLATES
from scoring.protocols.task_asking_v1 import Assistant, Criterion

CLEAR = Criterion(
    "clear", "Clear", Scale(Decimal(1), Decimal(5), Decimal("0.5")), "Easy.", ("Read.",)
)
OVERLAP = Helper(Assistant("overlap", "Overlap", "how alike", "both", 0.0, None), 7, "overlap")
TASK = FusionTask(
    "Judge a note.",
    (TaskField("Letter", "field:letter"),),
    (CLEAR,),
    (OVERLAP,),
    overall=Scale(Decimal(0), Decimal(1)),
)


class TestTask:
    @pytest.mark.parametrize("task", [TASK, replace(TASK, overall=None), *TEMPLATES.values()])
    def test_is_the_same_after_it_was_stored(self, task):
        assert FusionTask.of(task.plain()) == task

    def test_hands_its_parts_to_the_procedure(self):
        design = TASK.design

        assert (design.task, design.criteria, design.overall) == (
            "Judge a note.",
            (CLEAR,),
            TASK.overall,
        )
        assert design.assistants == (OVERLAP.assistant,)


class TestFaults:
    def test_are_none_for_a_task_that_can_be_used(self):
        assert TASK.faults() == frozenset()

    @pytest.mark.parametrize(
        ("wrong", "code"),
        [
            ({"description": " "}, "no_description"),
            ({"description": "x" * 20_001}, "long_description"),
            ({"criteria": ()}, "no_criteria"),
            ({"criteria": (CLEAR,) * 21}, "many_criteria"),
            ({"criteria": (CLEAR, replace(CLEAR, key="other"))}, "same_criterion"),
            ({"criteria": (replace(CLEAR, key="overall"),)}, "same_criterion"),
            ({"criteria": (replace(CLEAR, name=" "),)}, "unnamed"),
            ({"fields": (TaskField("A", "somewhere"),)}, "unknown_field"),
            ({"fields": (TaskField("A", "field:"),)}, "unknown_field"),
            ({"fields": (TaskField("A", "question"), TaskField("a ", "reference"))}, "same_field"),
            ({"fields": tuple(TaskField(f"{n}", "question") for n in range(11))}, "many_fields"),
            ({"helpers": (OVERLAP, replace(OVERLAP, rater=8))}, "same_assistant"),
            ({"helpers": (OVERLAP,) * 31}, "many_assistants"),
            ({"language": "xx"}, "no_language"),
        ],
    )
    def test_name_what_is_wrong(self, wrong, code):
        assert code in replace(TASK, **wrong).faults()
