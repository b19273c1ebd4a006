"""A judge grades a round while people do; both stand beside each other once the round is final."""

import json

import pytest
from django.test import Client

from annotation.people.models import Role
from annotation.people.permissions import Scope
from annotation.rounds.models import Round
from scoring.engine.models import Judgment, Run
from scoring.figures import snapshots as ratings
from scoring.figures.labels import ReadRound
from scoring.kinds.judging import queries as machines
from scoring.results import exports as rating_files
from tests import make
from tests.scoring import judged, rounds, worker

pytestmark = pytest.mark.django_db


def page(client, url):
    """Ask for a page, let the worker compute, ask again."""
    client.get(url)
    worker.compute()
    answer = client.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


def closed(round_):
    Round.objects.filter(pk=round_.pk).update(state="FINAL", revision=1, final_at=make.NOW)
    round_.refresh_from_db()


class TestLiveJudge:
    def test_is_seen_beside_people_once_the_round_is_final_and_not_before(self):
        analyst = Client()
        analyst.force_login(make.member(Role.ANALYST))
        round_ = rounds.graded(n_items=8, state="REVIEW", systems=("Kestrel", "Harbour", "Tern"))
        judge = judged.judge(repeats=2, temperature=0.5)

        run = judged.ran(round_, judge)

        assert run.state == Run.State.DONE
        assert run.judgments.filter(outcome=Judgment.Outcome.SCORED).count() == 24 * 3
        assert b"Nothing to compare yet" in analyst.get("/p/northport/judges/people/").content
        [line] = machines.lines(machines.page(round_.project).rows)
        assert (line.n_scored, line.n_hidden) == (0, 1)
        assert (
            ratings.table([round_], judged_by=[judge.rater_id])["rater_kind"].eq("JUDGE").sum() == 0
        )

        closed(round_)

        text = page(analyst, "/p/northport/judges/people/")
        assert ">Live judge</a>" in text
        one = page(analyst, f"/p/northport/judges/{judge.rater_id}/people/")
        assert "Live judge" in one
        [line] = machines.lines(machines.page(round_.project).rows)
        assert (line.n_scored, line.n_hidden, line.is_scripted) == (24, 0, True)

    def test_stands_in_the_table_of_ratings_with_its_samples_and_their_mean(self):
        round_ = rounds.graded(n_items=4)
        judge = judged.judge(repeats=3)
        judged.ran(round_, judge)

        table = ratings.table([round_], judged_by=[judge.rater_id])

        mine = table[table["rater"] == judge.rater_id]
        assert sorted(set(mine["repeat"])) == [0, 1, 2, 3]
        assert set(mine["criterion"]) == {"grade"}
        assert (mine["scale_min"].min(), mine["scale_max"].max()) == (0.0, 2.0)

    def test_another_run_changes_the_version_of_what_figures_read(self):
        round_, judge = rounds.graded(), judged.judge()
        judged.ran(round_, judge, 1)
        before = ratings.version([round_], judged_by=[judge.rater_id])

        judged.ran(round_, judge, 2)

        assert ratings.version([round_], judged_by=[judge.rater_id]) != before

    def test_is_in_the_files_of_a_final_round_with_its_reasons(self):
        round_ = rounds.graded()
        judged.ran(round_, judged.judge(repeats=2))

        lines = "".join(rating_files.rating_jsonl_lines(round_, _names(round_))).splitlines()

        mine = [one for one in map(json.loads, lines) if one["rater_kind"] == "JUDGE"]
        assert len(mine) == 8
        assert all(one["comment"] for one in mine)


def _names(round_):
    owner = round_.project.memberships.get(role=Role.OWNER).user
    return ReadRound(Scope(round_.project, owner, frozenset({Role.OWNER})), round_).names
