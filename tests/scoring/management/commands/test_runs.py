import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.people.models import Role
from scoring.engine.models import Run
from scoring.management import starting
from tests import make
from tests.scoring import judged, run_rows

pytestmark = pytest.mark.django_db


def said(*args):
    out = StringIO()
    call_command("runs", *map(str, args), stdout=out)
    return out.getvalue()


class TestRuns:
    def test_lists_them(self):
        run = run_rows.run(name="In March", scripted=True)
        run_rows.step(run)
        run_rows.free(run)
        run_rows.step(run, state="FAILED", outcome="MACHINE", problem="The server failed.")

        text = said("list", "northport")

        assert "In March  (scripted, not a measurement)" in text
        assert "2/3, 1 failed" in text

    def test_shows_one(self):
        run = run_rows.run()
        run_rows.call(run_rows.step(run))
        run_rows.step(run, outcome="SYSTEM", problem="It said nothing.")

        text = said("show", "northport", run.number)

        assert "system failed 1" in text
        assert "judge by Meridian: 1 calls (0 failed)" in text
        assert "1 × SYSTEM: It said nothing." in text

    def test_pauses_goes_on_and_calls_off(self):
        run = run_rows.run()

        for deed, state in (("pause", "PAUSED"), ("resume", "RUNNING"), ("cancel", "CANCELLED")):
            said(deed, "northport", run.number)
            assert Run.objects.get().state == state

    def test_says_why_something_cannot_be_done(self):
        run_rows.run(state=Run.State.DONE)

        with pytest.raises(CommandError, match="has moved on"):
            said("pause", "northport", 1)

    def test_knows_no_run_that_is_not_there(self):
        make.project()

        with pytest.raises(CommandError, match="no run 7"):
            said("show", "northport", 7)

    def test_watches_until_a_run_is_over(self):
        run = run_rows.run(state=Run.State.DONE)
        run_rows.step(run)

        assert f"[{'#' * 30}] 1/1 steps" in said("watch", "northport", 1)

    def test_takes_the_budget_away(self):
        run_rows.run(budget="2.5")

        said("budget", "northport", 1, "none")

        assert Run.objects.get().budget is None
        with pytest.raises(CommandError, match="no amount of money"):
            said("budget", "northport", 1, "much")

    def test_starts_a_judge(self):
        judge, round_ = judged.judge(), make.open_round()
        asked = ("start", "northport", "--judge", judge.name, "--round", round_.number)

        estimated = said(*asked, "--estimate")
        assert "calls" in estimated
        assert not Run.objects.exists()

        assert "Run 1 has been asked for." in said(*asked, "--seed", 5)
        assert Run.objects.get().seed == 5


class TestBar:
    def test_is_as_full_as_it_should(self):
        assert starting.bar(0) == f"[{'.' * 30}]"
        assert starting.bar(50) == f"[{'#' * 15}{'.' * 15}]"


class TestBegin:
    def test_begins_a_run_of_any_kind_by_what_its_api_takes(self):
        make.member(Role.OWNER)
        round_ = make.open_round()
        given = json.dumps({"round": round_.number, "metrics": ["words"]})

        text = said("begin", "northport", "metrics_new", "--with", given)

        run = Run.objects.get()
        assert (run.kind, run.name) == ("METRICS", "Metrics")
        assert "Run 1 has been asked for." in text

    def test_begins_one_of_what_a_number_names(self):
        judge, round_ = judged.judge(), make.open_round()
        given = json.dumps({"judge": judge.rater_id})

        said("begin", "northport", "round_judge", "--of", round_.number, "--with", given)

        assert Run.objects.get().judge == judge

    def test_only_estimates_where_it_is_asked_to(self):
        make.member(Role.OWNER)
        round_ = make.open_round()
        given = json.dumps({"round": round_.number, "metrics": ["words"]})

        text = said("begin", "northport", "metrics_new", "--with", given, "--estimate")

        assert text.startswith("0 calls")
        assert not Run.objects.exists()

    @pytest.mark.parametrize(
        ("given", "why"),
        [("[", "no object of JSON"), ("[]", "no object"), ('{"metrics": 3}', "metrics")],
    )
    def test_says_what_it_cannot_use(self, given, why):
        make.member(Role.OWNER)

        with pytest.raises(CommandError, match=why):
            said("begin", "northport", "metrics_new", "--with", given)

    def test_knows_no_round_that_is_not_there(self):
        make.member(Role.OWNER)

        with pytest.raises(CommandError, match="nothing of that number"):
            said("begin", "northport", "round_judge", "--of", 7)
