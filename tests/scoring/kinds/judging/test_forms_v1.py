from dataclasses import replace

import pytest

from scoring.kinds.judging.geval import forms_v1
from scoring.kinds.judging.geval import v1 as v1
from scoring.llm.base import Message
from tests.scoring.kinds.judging import tasks


class TestDesign:
    def test_has_the_criteria_with_their_levels_and_steps(self):
        found = forms_v1.design(tasks.task(principle="Facts first."), {"accuracy": ("Read.",)})

        accuracy, fluency = found.criteria
        assert "Principle of grading: Facts first." in found.task
        assert accuracy.definition.splitlines() == [
            "Whether the facts are right.",
            "Steps of the scale:",
            "- 0 Wrong: No fact is right.",
            "- 3 Right: All are.",
        ]
        assert (accuracy.steps, fluency.steps, fluency.definition) == (("Read.",), (), "")

    def test_speaks_the_language_of_the_task(self):
        assert forms_v1.design(tasks.task(language="zh"), {}).task == forms_v1.SAID["zh"]["task"]


class TestExample:
    def test_names_what_stands_beside_the_answer(self):
        found = forms_v1.example(tasks.task(reference="Four.", key_points=("The sum", "No more")))

        assert [name for name, _text in found.fields] == [
            "Question",
            "Reference answer",
            "Points that a good answer should make",
        ]
        assert found.fields[2][1] == "- The sum\n- No more"
        assert found.answer[0].content == "It is four."

    def test_writes_a_conversation_turn_by_turn(self):
        turns = (Message("user", "Two and two?"), Message("assistant", "Hm."))

        found = forms_v1.example(replace(tasks.task(), question=turns))

        assert found.fields[0][1] == "USER: Two and two?\n\nASSISTANT: Hm."


class TestSha:
    @pytest.mark.parametrize("language", list(forms_v1.SAID))
    def test_covers_the_forms_too(self, language):
        assert forms_v1.sha() != v1.sha()
        assert forms_v1.SAID[language].keys() == forms_v1.SAID["en"].keys()
