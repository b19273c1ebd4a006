import pytest

from annotation.home import queries as notices
from annotation.people.models import Role
from scoring.engine.models import Run
from scoring.kinds.suites import schedules as operations
from scoring.kinds.suites.models import ScheduledRun, SuiteSchedule
from tests import make
from tests.scoring import running, suites

pytestmark = pytest.mark.django_db
PAGE = "/p/northport/suites/1/schedule/"
GATED = suites.SUITE + "gates: [{metric: string_length, max: 1}]\n"


def set_up(as_curator, text=suites.SUITE, **given):
    suites.brought()
    suites.saved(text)
    return as_curator.post(
        PAGE, {"every": "HOURLY", "sets": ["Talks"], "from_beginning": "on", **given}
    )


def ran():
    """Have the schedule run an hour later, and its gates looked at."""
    operations.run_due(make.NOW.replace(year=2100))
    suites.done(Run.objects.latest("number"))
    operations.look_at_gates(make.NOW)
    return ScheduledRun.objects.latest("pk")


class TestSuiteSchedule:
    def test_is_reached_from_the_suite_and_set_on_its_page(self, as_curator):
        answer = set_up(as_curator, budget="")

        schedule = SuiteSchedule.objects.get()
        assert answer.headers["Location"] == PAGE
        assert (schedule.every, schedule.seen) == ("HOURLY", 0)
        assert PAGE in as_curator.get("/p/northport/suites/1/").content.decode()
        page = as_curator.get(PAGE).content.decode()
        assert "Running by itself" in page
        assert "Run now" in page
        assert "No runs yet" in page

    def test_says_what_is_missing(self, as_curator):
        suites.brought()
        suites.saved()

        answer = as_curator.post(PAGE, {"every": "HOURLY"})

        assert answer.status_code == 422
        assert not SuiteSchedule.objects.exists()

    def test_leads_on_where_there_are_no_conversations(self, as_curator):
        suites.saved()

        assert "/p/northport/conversations/new/" in as_curator.get(PAGE).content.decode()

    def test_pauses_goes_on_and_runs_now(self, as_curator):
        set_up(as_curator)

        paused = as_curator.post(PAGE, {"deed": "pause"}, follow=True).content.decode()
        again = as_curator.post(PAGE, {"deed": "pause"}, follow=True).content.decode()
        on = as_curator.post(PAGE, {"deed": "resume"}, follow=True).content.decode()
        as_curator.post(PAGE, {"deed": "now"})

        assert "Go on" in paused
        assert "has moved on" in again
        assert "Running by itself" in on
        assert Run.objects.count() == 1
        assert (
            "The run before it is not over."
            in as_curator.post(PAGE, {"deed": "now"}, follow=True).content.decode()
        )

    def test_shows_runs_and_gates_in_as_many_queries_however_many_there_are(
        self, as_curator, django_assert_max_num_queries
    ):
        set_up(as_curator, GATED)
        for number in range(4):
            suites.brought(
                suites.lines([{**suites.TALKS[0], "id": f"talk {number}"}]),
                file_name=f"{number}.jsonl",
            )
            ran()
            SuiteSchedule.objects.update(next_at=make.NOW)

        with django_assert_max_num_queries(20):
            page = as_curator.get(PAGE).content.decode()

        assert page.count("I know of it") == 4
        assert "is above 1" in page

    def test_shows_those_who_may_not_set_it_that_there_is_none(self, client):
        suites.saved()
        client.force_login(make.member(Role.ANALYST))

        page = client.get(PAGE).content.decode()

        assert "Curators schedule suites" in page
        assert "<form" not in page.partition("<main")[2]


class TestNotice:
    def test_stands_on_the_home_and_in_the_mail_until_somebody_knows(self, as_curator):
        set_up(as_curator, GATED)
        one = ran()
        Run.objects.update(finished_at=running.clock())

        home = as_curator.get("/p/northport/").content.decode()
        mail = notices.digest(suites.owner(), None, "", make.NOW)
        as_curator.post(PAGE, {"deed": "note", "run": one.run.number})

        assert "Failed gates" in home
        assert "is above 1" in home
        told = [each for _project, some in mail.projects for each in some]
        assert any(each.path == f"/p/northport/runs/{one.run.number}/suite/" for each in told)
        one.refresh_from_db()
        assert one.noted_at is not None
        assert "Failed gates" not in as_curator.get("/p/northport/").content.decode()

    def test_knows_no_run_of_another_schedule(self, as_curator):
        set_up(as_curator)

        assert as_curator.post(PAGE, {"deed": "note", "run": "77"}).status_code == 404
        assert as_curator.post(PAGE, {"deed": "note", "run": "x"}).status_code == 404
