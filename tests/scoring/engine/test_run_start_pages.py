import pytest
from django.urls import reverse

from annotation.people.models import Role
from annotation.people.permissions import Scope
from scoring.engine import starting as run_start
from scoring.engine.models import Run
from tests import make
from tests.scoring import judged, run_rows

pytestmark = pytest.mark.django_db


def scope():
    return Scope(make.project(), make.user(), frozenset({Role.CURATOR}))


class TestAnswer:
    def test_shows_the_estimate_before_the_start(self, as_curator):
        judge, round_ = judged.judge(), make.open_round()
        url = reverse("round_judge", args=["northport", round_.number])
        form = as_curator.get(url).context["form"]
        sent = {
            "key": form.initial["key"],
            "name": "First",
            "judge": judge.rater_id,
            "criteria": ["grade"],
            "seed": 5,
        }

        shown = as_curator.post(url, {**sent, "deed": "estimate"})
        assert shown.context["estimate"].calls > 0
        assert "Start the run" in shown.content.decode()
        assert not Run.objects.exists()

        begun = [as_curator.post(url, {**sent, "deed": "start"}) for _ in range(2)]
        assert {one.url for one in begun} == {reverse("run", args=["northport", 1])}
        assert Run.objects.count() == 1


class TestCloned:
    def test_is_a_run_of_the_kind_in_the_project(self):
        run = run_rows.run()

        assert run_start.cloned(scope(), str(run.number), Run.Kind.JUDGE) == run
        assert run_start.cloned(scope(), str(run.number), Run.Kind.COLLECT) is None
        assert run_start.cloned(scope(), "١", Run.Kind.JUDGE) is None
        assert run_start.cloned(scope(), "", Run.Kind.JUDGE) is None


class TestCloneUrl:
    def test_leads_to_the_form_of_its_round(self):
        round_ = make.open_round()
        run = run_rows.run(round=round_)

        there = reverse("round_judge", args=["northport", round_.number])
        assert run_start.clone_url(run) == f"{there}?from={run.number}"

    def test_is_nowhere_without_a_round(self):
        assert run_start.clone_url(run_rows.run()) == ""
