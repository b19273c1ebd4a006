import pytest

from scoring.endpoints.models import Judge
from scoring.kinds.fusion import operations as fusion_judges
from scoring.kinds.fusion.operations import FusionSettings, WantedJudge
from scoring.kinds.fusion.v1 import Variant
from scoring.kinds.judging import settings as judges
from tests import make
from tests.scoring import connected, fused

pytestmark = pytest.mark.django_db


def met(version, variant=Variant.DE, plan=None, endpoint=None, **settings):
    home = make.project()
    wanted = WantedJudge(
        version, variant, endpoint or connected.endpoint(), FusionSettings(**settings), plan
    )
    return fusion_judges.meet(project=home, wanted=wanted, by=connected.owner(home), now=make.NOW)


class TestMeet:
    def test_makes_a_judge_once(self):
        version = fused.version()

        assert met(version) == met(version)
        judge = Judge.objects.get()
        assert judge.name == "DE · Scripted · Notes v1"
        assert set(fusion_judges.criteria_of(judge, fused.content())) == {"clear", "right"}

    def test_tells_two_apart_that_differ_in_a_setting_or_a_plan_alone(self):
        fused.scored()
        version = fused.version("overlap")
        one, other = fused.plan(version, "One."), fused.plan(version, "Other.")

        made = [
            met(version, Variant.FE, one),
            met(version, Variant.FE, other),
            met(version, Variant.FE, other, predictions=3),
        ]

        assert len({judge.name for judge in made}) == 3
        assert len({judge.config_sha for judge in made}) == 3

    def test_turns_the_order_only_where_it_is_told_to_and_is_known_by_that(self):
        version = fused.version()

        usual, turned = met(version), met(version, turned=True)

        assert usual != turned
        assert "turned" not in usual.config
        assert fusion_judges.config_of(Variant.DE, turned.config, "").turned
        assert not fusion_judges.config_of(Variant.DE, usual.config, "").turned

    def test_asks_for_each_criterion_by_itself_only_where_it_is_told_to_and_is_known_by_that(self):
        version = fused.version()

        usual, apart = met(version), met(version, apart=True)

        assert (usual.protocol, apart.protocol) == ("fusion_eval/v1", "fusion_eval/v2")
        assert "apart" not in usual.config
        assert ("by criterion" in usual.name, "by criterion" in apart.name) == (False, True)


class TestCheck:
    def test_refuses_a_plan_of_another_version(self):
        fused.scored()
        plan = fused.plan(fused.version("overlap"))

        with pytest.raises(fusion_judges.NoPlan):
            met(fused.version("overlap", name="Other"), Variant.FE, plan)

    def test_refuses_to_fuse_nothing(self):
        with pytest.raises(fusion_judges.NothingToFuse):
            met(fused.version(), Variant.FE_NO_PLAN)

    @pytest.mark.parametrize(
        ("settings", "field"),
        [
            ({"fewest_valid": 9}, "fewest_valid"),
            ({"predictions": 1, "turned": True}, "turned"),
        ],
    )
    def test_refuses_a_setting_that_cannot_be_used(self, settings, field):
        with pytest.raises(judges.BadJudge) as refusal:
            met(fused.version(), **settings)

        assert field in refusal.value.fields
