from dataclasses import replace

import pytest

from annotation.people.models import AuditEvent, RaterKind
from annotation.rubrics.models import Criterion
from evalsite import errors
from scoring.endpoints.models import Judge
from scoring.endpoints.queries import EndpointRetired
from scoring.kinds.judging import prompts_v1, settings
from scoring.kinds.judging.direct.kind import Settings
from tests import make
from tests.scoring import connected, judged, machines

pytestmark = pytest.mark.django_db


class TestCreate:
    def test_makes_a_rater_with_an_empty_rubric_and_the_family_of_its_endpoint(self):
        judge = judged.judge("Strict", endpoint=connected.endpoint(family="Tern"))

        assert (judge.rater.kind, judge.rater.ref) == (RaterKind.JUDGE, "Strict")
        assert judge.rater.machine.family == "Tern"
        assert judge.rater.machine.rubric.versions.count() == 0
        assert AuditEvent.objects.filter(verb="judge.made").count() == 1

    def test_keeps_the_settings_and_the_hash_of_the_prompts(self):
        judge = judged.judge(repeats=4, fewest_valid=2, language="zh")

        assert settings.settings_of(judge) == Settings(
            repeats=4, temperature=0.0, fewest_valid=2, language="zh"
        )
        assert judge.config["prompts"] == prompts_v1.sha("zh")

    def test_there_is_one_judge_of_a_configuration(self):
        judged.judge("First")

        with pytest.raises(settings.JudgeAlreadyThere, match="First"):
            judged.judge("Second")
        assert Judge.objects.count() == 1

    def test_any_other_setting_makes_another_judge(self):
        judged.judge("First")

        judged.judge("Second", reference=False)
        judged.judge("Third", endpoint=connected.endpoint("Other"))
        assert Judge.objects.values("config_sha").distinct().count() == 3

    def test_refuses_the_name_of_a_judge_that_was_imported(self):
        machines.judge("Live judge")

        with pytest.raises(errors.NameTaken):
            judged.judge("Live judge")

    @pytest.mark.parametrize(
        "wrong",
        [
            {"name": " "},
            {"repeats": 0},
            {"repeats": 33},
            {"repeats": 2, "fewest_valid": 3},
            {"fewest_valid": 0},
            {"temperature": 2.5},
            {"temperature": -0.1},
            {"max_tokens": 10},
            {"language": "xx"},
        ],
        ids=str,
    )
    def test_refuses_what_cannot_be_used_and_names_the_field(self, wrong):
        with pytest.raises(settings.BadJudge) as refused:
            judged.judge(**wrong)

        assert set(refused.value.fields) & set(wrong)

    def test_refuses_an_endpoint_that_is_retired_or_of_another_project(self):
        gone = connected.endpoint("Gone", retired_at=make.NOW)
        other = connected.endpoint(in_=make.project("southport"))

        for endpoint in (gone, other):
            with pytest.raises(EndpointRetired):
                judged.judge(endpoint=endpoint)


class TestDeclare:
    def declared(self, judge, *versions, keys=()):
        return settings.declare(
            judge=judge, versions=[one.pk for one in versions], keys=keys, by=None, now=make.NOW
        )

    def test_says_nothing_twice(self):
        judge, version = judged.judge(), make.rubric_version(criteria=("facts", "style"))

        first = self.declared(judge, version)

        assert self.declared(judge, version) == first
        assert self.declared(judge, version, keys=["style"])[version.pk] == {
            "style": first[version.pk]["style"]
        }
        assert judge.rater.machine.rubric.versions.count() == 1

    def test_finds_what_an_earlier_version_says(self):
        judge = judged.judge()
        low = make.rubric_version("low", criteria=("facts",))
        high = make.rubric_version("high", criteria=("facts",), maximum=5)
        first = self.declared(judge, low)
        self.declared(judge, high)

        assert self.declared(judge, low) == first
        assert judge.rater.machine.rubric.versions.count() == 2

    def test_tells_two_criteria_of_one_name_apart(self):
        judge, version = judged.judge(), make.rubric_version(criteria=("facts", "style"))
        Criterion.objects.filter(rubric_version=version).update(name="Quality")

        found = self.declared(judge, version)[version.pk]

        assert len(set(found.values())) == 2

    def test_leaves_out_a_rubric_without_the_criteria(self):
        assert self.declared(judged.judge(), make.rubric_version(), keys=["charm"]) == {}


class TestConfigSha:
    def test_covers_protocol_endpoint_and_settings(self):
        endpoint = connected.endpoint()
        other = replace(Settings(), repeats=5)
        config = Settings().__dict__

        found = {
            settings.config_sha("direct/v1", endpoint, config),
            settings.config_sha("direct/v2", endpoint, config),
            settings.config_sha("direct/v1", connected.endpoint("Other"), config),
            settings.config_sha("direct/v1", endpoint, other.__dict__),
        }

        assert len(found) == 4
