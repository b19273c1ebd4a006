import numpy as np
import pytest
from django.db import IntegrityError

from annotation.grading.models import Grade
from annotation.people.models import Role
from annotation.systems.models import Item
from scoring.engine.models import Judgment
from scoring.kinds.suites import exchange as suite_files
from scoring.kinds.suites import queries as suite_frame
from scoring.kinds.suites.models import ConversationSet, PublishedPart, SuiteVersion
from scoring.publishing import suites as publishing_suites
from tests import make
from tests.pages import squeezed
from tests.scoring import suites, suites_published, worker
from tests.scoring.interviews_published import graded
from tests.scoring.suites_published import published

pytestmark = pytest.mark.django_db


def said(response, **where):
    rows = Judgment.objects.filter(response=response, **where)
    return {(one.run_id, one.rater_id, one.criterion_id): one.value for one in rows}


class TestPublishedTurns:
    def test_carry_what_judges_and_metrics_found_of_them(self):
        run = suites_published.judged(n=2)

        round_ = published(run)

        assert PublishedPart.objects.count() == round_.items.count() == 4
        for one in PublishedPart.objects.all():
            found = said(one.response_id, target_level="RESPONSE", target_index=None)
            assert len(found) == 3  # two judges, and the function they wait for
            assert found == said(one.source_id, target_level="TURN", target_index=one.turn)

    def test_are_taken_by_lot_and_keep_their_chance(self):
        round_ = published(suites_published.judged(), n=2)

        assert round_.items.count() == 2
        chances = round_.items.values_list("inclusion_probability", flat=True)
        assert set(chances) == {2 / suites_published.N_TURNS}

    def test_leave_the_figures_and_files_of_the_run_as_they_were(self):
        run = suites_published.judged(n=2)
        before = list(suite_files.records(run)), list(suite_frame.Frame(run).rows())

        published(run)

        assert (list(suite_files.records(run)), list(suite_frame.Frame(run).rows())) == before

    def test_are_written_once_however_often_they_are_asked_for(self):
        run = suites_published.judged(n=1)
        published(run)
        before = (Item.objects.count(), Judgment.objects.count())

        published(run)
        publishing_suites.readdress(run=run, now=make.NOW)

        assert (Item.objects.count(), Judgment.objects.count()) == before

    def test_get_what_a_later_run_finds(self):
        run = suites_published.judged(n=1)
        published(run)

        version = suites.saved(suites.SUITE)
        later = suites.done(suites.requested(version, *ConversationSet.objects.all(), number=2))

        for one in PublishedPart.objects.all():
            found = Judgment.objects.filter(run=later, response=one.response_id)
            assert {each.criterion.name for each in found} == {"string_length", "assistant"}

    def test_may_have_nothing_before_them(self, client):
        said = [{"role": "assistant", "content": "How can I help?"}]
        home = suites.brought(suites.lines([{"id": "a", "messages": said}]), name="Other")
        suites_published.judged(n=1)
        version = SuiteVersion.objects.get()
        round_ = published(suites.done(suites.requested(version, home, number=2)))
        client.force_login(make.member(Role.CURATOR))

        page = client.get(f"/p/northport/rounds/{round_.number}/preview/1/")

        assert page.status_code == 200
        assert "How can I help?" in page.content.decode()

    def test_show_what_tools_said_before_and_what_is_asked_of_people(self, client):
        said = [
            {"role": "user", "content": "How windy is it?"},
            {"role": "tool", "content": "31 knots"},
            {"role": "user", "content": "And now?"},
            {"role": "assistant", "content": "Calm."},
        ]
        home = suites.brought(suites.lines([{"id": "b", "messages": said}]), name="Other")
        suites_published.judged(n=1)
        run = suites.done(suites.requested(SuiteVersion.objects.get(), home, number=2))
        round_ = published(run)
        client.force_login(make.member(Role.CURATOR))

        pages = [
            squeezed(
                client.get(f"/p/northport/rounds/{round_.number}/preview/{place}/").content.decode()
            )
            for place in (1, 2)
        ]

        later = next(page for page in pages if "Calm." in page)
        before = later[: later.index("31 knots")]
        assert before.rindex('data-role="tool"') > before.rindex('data-role="user"')
        assert "Is the answer kind?" in later

    def test_stay_what_they_were_published_as(self):
        published(suites_published.judged(n=1))

        with pytest.raises(IntegrityError, match="a published part of a conversation stays"):
            PublishedPart.objects.update(turn=7)


class TestPublishedConversations:
    def test_carry_what_was_found_of_the_whole(self):
        text = suites_published.SUITE.replace("metric_level: Turn", "metric_level: Thread")
        text = text.replace(text[text.index("      depends_on") :], "")
        run = suites_published.judged(text, n=3)

        published(run, "conversations")

        assert PublishedPart.objects.filter(turn=None).count() == 3
        for one in PublishedPart.objects.all():
            assert len(said(one.response_id)) == 2
            assert said(one.response_id) == said(one.source_id)


class TestJudgesAndPeople:
    def test_stand_beside_each_other_once_people_have_rated(self, client):
        run = suites_published.judged(n=6)
        round_ = graded(published(run))
        client.force_login(make.member(Role.ANALYST))
        (by_endpoint,) = run.config["judges"].values()
        _judge, rater, _criterion = next(iter(by_endpoint.values()))
        url = f"/api/v1/projects/northport/judges/people/?round={round_.number}&judge={rater}"
        client.get(url)
        worker.compute()

        found = client.get(url).json()

        (one,) = [
            each
            for each in found["coefficients"]
            if (each["coefficient"], each["own_criterion"]) == ("pearson", "kind")
        ]
        machine, human = [], []
        for part in PublishedPart.objects.all():
            judgment = Judgment.objects.get(response=part.response_id, rater=rater)
            if judgment.value is not None:
                machine.append(judgment.value)
                grades = Grade.objects.filter(response=part.response_id)
                human.append(float(np.mean([float(g.value) for g in grades])))
        assert one["n"] == len(machine) == 12
        assert one["value"] == pytest.approx(np.corrcoef(machine, human)[0, 1])
