import json

from scoring.kinds.fusion import plans_v1
from scoring.llm.base import Message
from scoring.llm.scripted import writing as planning
from scoring.llm.scripted.reading import SeenRequest
from scoring.llm.scripted.script import Script
from scoring.protocols import task_asking_v1 as asking
from tests.scoring.kinds.fusion.notes import DESIGN, NOTE

TOLD = "overlap: 0.900\nfit: 0.100\n"


def asked(*messages: Message) -> SeenRequest:
    return SeenRequest(tuple(messages))


class TestPlan:
    def test_names_assistants_in_the_form_that_is_asked_for(self):
        text = planning.plan_of(asked(*asking.planning(DESIGN)), Script(seed=2))

        found = plans_v1.read(text, DESIGN)
        assert (found.problem, found.unknown) == ("", ())
        assert set(found.alignment) == {"clear", "true"}

    def test_has_steps_alone_where_nobody_assists(self):
        text = planning.plan_of(asked(Message("user", "Write a plan.")), Script())

        assert text.startswith("1. ")
        assert "alignment" not in text

    def test_is_the_same_for_the_same_script_and_another_for_another(self):
        prompt = asked(*asking.planning(DESIGN))
        made = [planning.plan_of(prompt, Script(seed=seed)) for seed in range(8)]

        assert planning.plan_of(prompt, Script(seed=3)) == made[3]
        assert len({json.dumps(one) for one in made}) > 1


class TestFollowed:
    def test_takes_the_scores_that_the_plan_names(self):
        prompt = asking.judging(
            DESIGN, NOTE, plan="Go by overlap.", assistants=True, code="abcdef012345"
        )[1].content

        assert planning.followed(prompt) == [0.123]

    def test_takes_none_that_the_plan_does_not_name(self):
        text = f"# Plan of evaluation\nRead it.\n# What is to be evaluated\n{TOLD}"

        assert planning.followed(text) == []

    def test_takes_all_where_there_is_no_plan(self):
        assert planning.followed(TOLD) == [0.9, 0.1]
