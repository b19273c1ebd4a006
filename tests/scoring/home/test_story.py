import pytest
from django.urls import reverse

from annotation import models
from annotation.people.models import Role
from scoring.demo import files, interviews, rated
from scoring.endpoints import testing as endpoint_scripts
from scoring.home import story
from tests import make
from tests.scoring import beside_people, connected, interviewed, machines, rounds

pytestmark = pytest.mark.django_db


def titles() -> list[str]:
    return [one.title for one in story.chapters(make.project())]


class TestChapters:
    def test_tell_nothing_of_an_empty_project(self):
        make.project()

        assert titles() == []

    def test_tell_of_a_round_once_it_is_final(self):
        rounds.graded()

        [round_] = [one for one in story.chapters(make.project()) if one.page == "results"]

        assert round_.args == (1,)

    def test_tell_of_no_round_that_is_open(self):
        rounds.graded(state="OPEN")

        assert "A round, graded blind" not in titles()

    def test_compare_no_round_in_which_nobody_has_graded(self):
        rounds.graded()
        rounds.graded(number=2)
        nobody = rounds.graded(number=3, state="REVIEW")
        models.Grade.objects.filter(round=nobody).delete()

        [moved] = [one for one in story.chapters(make.project()) if one.page == "movement"]

        assert "after=2" in moved.query

    def test_tell_of_interviews_and_of_people_who_rate_the_same(self):
        home, owner = make.project(), connected.owner(make.project())
        interviewed.questions(interviews.QUESTIONS)
        for name in (files.CONNECTED, *interviews.OTHERS):
            make.release(name)
        for name in rated.ANNOTATORS:
            make.member(Role.ANNOTATOR, username=name)
        endpoint_scripts.add_scripted(project=home, by=owner, now=make.NOW)
        for play in (files.play_systems, interviews.play, rated.play):
            play(project=home, by=owner, now=make.NOW)

        found = {one.title: one for one in story.chapters(home)}

        assert found["Systems, interviewed"].text == f"{interviews.NAME} (scripted)"
        assert found["People rate the same"].args == (1,)
        # What people rated for a run is not told of as a round of the comparison.
        assert "A round, graded blind" not in found

    def test_tell_of_the_suite_with_the_most_gates(self):
        home = make.project()
        files.play(project=home, by=connected.owner(home), now=make.NOW)

        [suite] = [one for one in story.chapters(home) if one.page == "run_suite"]

        assert suite.text.startswith("Yeasayer")

    def test_lead_to_the_final_round_that_most_machines_scored(self):
        most = beside_people.world()
        few = rounds.graded(number=9)
        machines.scored(few)

        [judges] = [one for one in story.chapters(make.project()) if one.page == "judges_people"]

        assert (most.state, few.state) == ("FINAL", "FINAL")
        assert judges.query == f"round={most.number}"


class TestOnTheFirstPage:
    def test_an_analyst_is_told_with_links(self, client):
        rounds.graded()
        client.force_login(make.member(Role.ANALYST))

        page = client.get("/p/northport/").content.decode()

        assert "Done already" in page
        assert reverse("results", args=["northport", 1]) in page

    @pytest.mark.parametrize("role", [Role.DESIGNER, Role.INSPECTOR, Role.ANNOTATOR])
    def test_those_who_may_not_see_results_are_not(self, client, role):
        rounds.graded()
        client.force_login(make.member(role))

        for path in ("/p/northport/", "/p/northport/first-steps/"):
            page = client.get(path, follow=True).content.decode()
            assert "Done already" not in page
