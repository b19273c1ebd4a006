import pytest

from annotation.rounds.models import Round
from scoring.demo import fusion
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine.models import Judgment, Run
from scoring.kinds.fusion.models import EvaluationTask, Plan
from tests import make
from tests.scoring import connected

pytestmark = [pytest.mark.django_db, pytest.mark.nightly]


@pytest.fixture
def played():
    home = make.project()
    for name, label in (
        ("Kestrel 4", "4.1"),
        ("Harbour 70B", "2026-02"),
        ("Dock RAG", "0.9"),
        ("Meridian L", "1.3"),
    ):
        make.release(name, label)
    fusion.play(project=home, by=connected.owner(home), now=make.NOW)
    return home


class TestPlay:
    def test_leaves_every_way_of_judging_beside_three_people(self, played):
        runs = Run.objects.filter(project=played)

        assert set(runs.values_list("state", flat=True)) == {"DONE"}
        assert sorted(runs.values_list("kind", flat=True)) == [
            "ASSIST", "COMBINE", "FUSION", "FUSION", "JUDGE", "PLAN",
        ]  # fmt: skip
        assert all(run.scripted for run in runs.filter(kind__in=["FUSION", "JUDGE", "ASSIST"]))
        people = Round.objects.get(name=fusion.ROUND)
        assert (people.state, people.items.count()) == ("FINAL", 5)
        judged = Judgment.objects.filter(rater__kind="JUDGE", repeat=0, outcome="SCORED")
        assert judged.values("rater", "response").distinct().count() == 5 * 20

    def test_has_a_plan_of_a_person_and_one_of_the_script_with_their_ticks(self, played):
        task = EvaluationTask.objects.get()

        assert task.versions.get().rubric_version.rubric.name == fusion.ROUND
        ours, theirs = Plan.objects.order_by("number")
        assert (ours.source, theirs.source) == ("PERSON", "ENDPOINT")
        assert ours.alignment["consistency"] == ["entailment", "supported-share"]
        assert ours.alignment["fluency"] == []
        assert theirs.problem == ""
        assert any(theirs.alignment.values())

    def test_scores_differ_by_the_plan_that_the_judge_obeys(self, played):
        ours, theirs = (
            Judgment.objects.filter(rater=judge.rater, repeat=0)
            .order_by("response", "criterion__position")
            .values_list("value", flat=True)
            for judge in Judge.objects.filter(config__variant="FE").order_by("config__plan")
        )

        assert list(ours) != list(theirs)

    def test_combined_scores_are_shares_though_some_assistants_go_against_people(self, played):
        combined = Judgment.objects.filter(rater__kind="DERIVED")
        weights = combined.filter(rater__ref__startswith="CorrW").values_list(
            "step__result__weights", flat=True
        )

        scored = combined.filter(outcome="SCORED").values_list("value", flat=True)
        values = [one for one in scored if one is not None]
        assert min(values) >= 0
        assert max(values) <= 1
        told = [one["by_assistant"] for found in weights for one in found]
        assert any(weight < 0 for by in told for weight in by.values())

    def test_tells_a_judge_that_a_score_is_not_available(self, played):
        step = Run.objects.get(name=fusion.NAME).steps.filter(
            item__external_id="NB-04", release__system__name="Dock RAG", key__startswith="FE "
        )

        assert "supported-share" not in step.get().spec["scores"]

    def test_does_nothing_where_there_are_no_systems(self):
        home = make.project()

        fusion.play(project=home, by=connected.owner(home), now=make.NOW)

        assert not Endpoint.objects.exists()
