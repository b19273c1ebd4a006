from dataclasses import replace

import pytest

from scoring.endpoints.models import Judge
from scoring.kinds.judging import plugins
from scoring.kinds.judging import settings as judge_settings
from scoring.kinds.judging.direct.kind import Settings
from scoring.kinds.judging.geval.kind import GEvalSettings
from scoring.kinds.judging.single.kind import SingleSettings
from tests import make
from tests.scoring import judged

KINDS = ("direct", "geval", "single", "tuned")


class TestSettingsOf:
    @pytest.mark.django_db
    @pytest.mark.parametrize("kind", KINDS)
    def test_are_those_a_judge_was_made_with(self, kind):
        made = judged.judge(kind=kind, repeats=4)

        found = judge_settings.settings_of(made)

        assert found == replace(plugins.judge_kinds()[kind].settings(), repeats=4, temperature=0.0)
        assert plugins.of_settings(found).key == kind

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
        said = {one.prompts("en") for one in plugins.judge_kinds().values()}

        assert len(said) == len(KINDS)


@pytest.mark.django_db
class TestTopP:
    def test_is_sent_where_it_is_set_and_nowhere_else(self):
        round_ = make.open_round(n_items=1, n_releases=1)
        plain, narrow = judged.judge("Plain"), judged.judge("Narrow", top_p=0.5)

        sent = [judged.ran(round_, one, n).calls.get() for n, one in enumerate((plain, narrow), 1)]

        assert "top_p" not in sent[0].settings
        assert sent[1].settings["top_p"] == 0.5
        assert "top_p" not in plain.config
        assert judge_settings.settings_of(plain).top_p is None

    @pytest.mark.parametrize("given", [0, 1.1, -1])
    def test_lies_within_its_range(self, given):
        with pytest.raises(judge_settings.BadJudge) as refused:
            judged.judge(top_p=given)

        assert "top_p" in refused.value.fields
