import asyncio

import pytest

from scoring.kinds.fusion import plans_v1 as plans
from scoring.llm.base import Role
from tests.scoring.kinds.fusion.notes import DESIGN
from tests.scoring.protocols.answering import Answering

WORDS = "Look at overlap for clear.\nFor true nothing helps."
ALIGNMENT = '{"alignment": {"clear": ["overlap"], "true": []}}'


class TestRead:
    @pytest.mark.parametrize("end", [ALIGNMENT, f"```json\n{ALIGNMENT}\n```"])
    def test_parts_words_from_alignment(self, end):
        found = plans.read(f"{WORDS}\n\n{end}", DESIGN)

        assert found.text == WORDS
        assert found.alignment == {"clear": ("overlap",), "true": ()}
        assert (found.unknown, found.problem) == ((), "")

    def test_knows_assistants_by_name_as_well_and_notes_what_it_does_not_know(self):
        end = '{"alignment": {"Clear": ["Entailment", "fit", "BLEU"], "short": ["fit"], "true": "overlap"}}'

        found = plans.read(WORDS + end, DESIGN)

        assert found.alignment == {"clear": ("fit",), "true": ("overlap",)}
        assert found.unknown == ("BLEU", "short")

    def test_says_that_there_is_no_alignment(self):
        found = plans.read("Just read.", DESIGN)

        assert (found.text, found.alignment) == ("Just read.", {})
        assert found.problem


class TestWrite:
    def test_asks_for_task_criteria_and_assistants_and_shows_no_answer(self):
        model = Answering(f"{WORDS}\n{ALIGNMENT}")

        found = asyncio.run(plans.write(model, DESIGN))

        (request,) = model.requests
        text = request.messages[1].content
        assert request.role is Role.PLANNER
        assert all(word in text for word in ("Judge a note", "Easy to read.", "share of words"))
        assert found.plain()["alignment"] == {"clear": ["overlap"], "true": []}

    def test_asks_once_more_for_the_alignment_alone(self):
        model = Answering(WORDS, ALIGNMENT)

        found = asyncio.run(plans.write(model, DESIGN))

        assert (found.text, found.alignment["clear"], found.problem) == (WORDS, ("overlap",), "")
        assert model.requests[1].messages[-1].content == DESIGN.words.plan_form

    def test_keeps_a_plan_without_alignment_and_says_so(self):
        found = asyncio.run(plans.write(Answering(WORDS), DESIGN))

        assert (found.text, bool(found.problem)) == (WORDS, True)
