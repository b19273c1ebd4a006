from dataclasses import replace

import pytest

from scoring.endpoints.models import Judge
from scoring.kinds.judging import settings as judge_settings
from scoring.kinds.judging.settings import GEvalSettings, Settings, SingleSettings
from tests.scoring import judged

KINDS = ("direct", "geval", "single")


class TestSettingsOf:
    @pytest.mark.django_db
    @pytest.mark.parametrize("kind", KINDS)
    def test_are_those_a_judge_was_made_with(self, kind):
        made = judged.judge(kind=kind, repeats=4)

        found = judge_settings.settings_of(made)

        assert found == replace(judge_settings.KINDS[kind].settings(), repeats=4, temperature=0.0)
        assert judge_settings.kind_of(found).key == kind

    def test_what_a_judge_was_made_without_has_its_usual_value(self):
        older = Judge(protocol="direct/v1", config={"repeats": 5, "prompts": "x"})

        assert judge_settings.settings_of(older) == Settings(repeats=5)


class TestProblems:
    @pytest.mark.parametrize("settings", [Settings(), GEvalSettings(), SingleSettings()])
    def test_the_usual_ones_have_none(self, settings):
        assert judge_settings.problems(settings) == {}

    @pytest.mark.parametrize(
        ("settings", "field"),
        [
            (Settings(repeats=0), "repeats"),
            (Settings(repeats=2, fewest_valid=3), "fewest_valid"),
            (Settings(temperature=2.5), "temperature"),
            (Settings(max_tokens=20), "max_tokens"),
            (GEvalSettings(max_tokens=3), "max_tokens"),
            (GEvalSettings(weights="luck"), "weights"),
            (SingleSettings(language="xx"), "language"),
            (Settings(repeats=1, turned=True), "turned"),
            (GEvalSettings(turned=True), "turned"),
        ],
    )
    def test_says_what_cannot_be_used(self, settings, field):
        assert field in judge_settings.problems(settings)


class TestPrompts:
    def test_of_each_kind_differ(self):
        said = {one.prompts("en") for one in judge_settings.KINDS.values()}

        assert len(said) == len(KINDS)
