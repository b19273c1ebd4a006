import pytest

from scoring.kinds.fusion.templates import TEMPLATES


class TestTemplates:
    @pytest.mark.parametrize("name", TEMPLATES)
    def test_can_be_used_as_they_are(self, name):
        assert TEMPLATES[name].faults() == frozenset()

    def test_have_the_criteria_and_ranges_of_the_papers(self):
        ends = {
            name: {
                one.key: (int(one.scale.minimum), int(one.scale.maximum)) for one in task.criteria
            }
            for name, task in TEMPLATES.items()
        }

        assert set(ends["summary"].values()) == {(1, 5)}
        assert list(ends["summary"]) == ["coherence", "consistency", "fluency", "relevance"]
        assert ends["dialogue"] == {
            "naturalness": (1, 3),
            "coherence": (1, 3),
            "engagingness": (1, 3),
            "groundedness": (0, 1),
            "understandability": (0, 1),
        }

    def test_a_dialogue_turn_has_an_overall_score_of_the_judges_own(self):
        overall = TEMPLATES["dialogue"].overall

        assert (int(overall.minimum), int(overall.maximum)) == (1, 5)
        assert TEMPLATES["summary"].overall is None
