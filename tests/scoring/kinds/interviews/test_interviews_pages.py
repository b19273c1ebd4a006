import re
from uuid import uuid4

import pytest

from scoring.endpoints.models import Judge
from scoring.engine.models import Run
from scoring.kinds.interviews.models import Dialogue
from tests import make
from tests.scoring import connected, interviewed, rounds

pytestmark = pytest.mark.django_db
PAGE = "/p/northport/interviews/new/"


def sent(deed, **given):
    releases = given.pop("releases", None) or [one.pk for one in interviewed.candidates()]
    usual = {
        "deed": deed,
        "key": str(uuid4()),
        "name": "In March",
        "over": "bank:",
        "questions": 3,
        "releases": releases,
        "interactor": connected.endpoint("Interactor", script={"seed": 5}).name,
        "evaluator": f"judge:{interviewed.evaluator().rater_id}",
        "planned": 3,
        "prior": "neutral",
        "decision": "text",
        "temperature": 0,
        "language": "auto",
        "seed": 7,
    }
    return {**usual, **given}


class TestInterviewsNew:
    def test_says_what_it_would_take_and_starts(self, as_curator):
        interviewed.questions(5)
        make.item("Q-none", reference="")
        releases = [one.pk for one in interviewed.candidates()]

        counted = as_curator.post(PAGE, sent("estimate", releases=releases)).content.decode()
        started = as_curator.post(PAGE, sent("start", releases=releases))

        assert "5 questions can be drawn" in counted
        assert "1 has no standard answer" in counted
        assert re.search(r"Calls</dt><dd>", counted)
        run = Run.objects.get()
        assert started.headers["Location"] == f"/p/northport/runs/{run.number}/"
        assert (run.kind, len(run.config["items"]), run.config["over"]) == ("KIEVAL", 3, "bank:")

    def test_makes_an_evaluator_of_an_endpoint_when_it_starts_and_not_before(self, as_curator):
        interviewed.questions(3)
        releases = [one.pk for one in interviewed.candidates()]
        by = connected.endpoint("Meridian", script={"seed": 3})
        form = sent("estimate", releases=releases, evaluator=f"endpoint:{by.name}")
        n_before = Judge.objects.count()

        as_curator.post(PAGE, form)
        n_estimated = Judge.objects.count()
        as_curator.post(PAGE, {**form, "deed": "start"})
        as_curator.post(PAGE, {**form, "deed": "start"})

        assert n_estimated == n_before
        assert Run.objects.get().judge.endpoint == by
        assert Judge.objects.count() == n_before + 1

    def test_asks_about_the_items_of_a_round_and_of_a_capability_and_all_below(self, as_curator):
        capability = make.capability()
        make.item("Q-own", reference="A rope.", capability_=capability)
        interviewed.questions(3)
        releases = [one.pk for one in interviewed.candidates()]
        form = sent("start", releases=releases, over=f"bank:{capability.pk}", questions=1)

        answer = as_curator.post(PAGE, form)

        assert answer.status_code == 302
        assert len(Run.objects.get().config["items"]) == 1

    def test_says_that_nothing_has_an_answer(self, as_curator):
        make.item("Q-none", reference="")

        answer = as_curator.post(PAGE, sent("start"))

        assert answer.status_code == 422
        assert "has a standard answer" in answer.content.decode()
        assert not Run.objects.exists()

    def test_begins_with_a_run_that_is_started_again(self, as_curator):
        run = interviewed.requested(planned=4, decision="none")

        page = as_curator.get(f"{PAGE}?from={run.number}").content.decode()

        assert re.search(r'name="planned" value="4"', page)
        assert re.search(r'value="none" selected', page)

    def test_offers_its_evaluators_and_no_round_does(self, as_curator):
        interviewed.candidates()
        made = interviewed.evaluator("Who listens")
        round_ = rounds.graded(state="REVIEW")

        assert made.name in as_curator.get(PAGE).content.decode()
        page = as_curator.get(f"/p/northport/rounds/{round_.number}/judge/").content.decode()
        assert made.name not in page

    def test_leads_on_where_nobody_is_connected(self, as_curator):
        make.project()

        assert "Nobody to interview yet" in as_curator.get(PAGE).content.decode()

    def test_is_found_from_the_runs_and_the_judges(self, as_curator):
        make.project()

        for page in ("runs/", "judges/"):
            assert PAGE in as_curator.get(f"/p/northport/{page}").content.decode()


def at(run, end="dialogues/"):
    return f"/p/northport/runs/{run.number}/{end}"


class TestRunDialogues:
    def test_lists_them_with_their_verdicts_and_says_that_they_are_scripted(self, as_analyst):
        run = interviewed.held(n=2)

        page = as_analyst.get(at(run)).content.decode()

        assert "4 dialogues" in page
        assert "Demo: made by a script" in page

    def test_filters_by_system_question_reason_and_words(self, as_analyst):
        run = interviewed.held(n=2)
        one = Dialogue.objects.earliest("pk")

        def listed(**query):
            page = as_analyst.get(at(run), query).content.decode()
            return set(map(int, re.findall(r"/dialogues/(\d+)/", page)))

        mine = set(Dialogue.objects.filter(release=one.release).values_list("pk", flat=True))
        assert listed(release=one.release_id) == mine
        about = set(Dialogue.objects.filter(item=one.item).values_list("pk", flat=True))
        assert listed(question=one.item.external_id) == about
        said = one.exchanges.first().answer
        assert one.pk in listed(text=said[:60])
        assert listed(text="nobody ever said this") == set()
        stopped = set(
            Dialogue.objects.filter(stopped_at__isnull=False).values_list("pk", flat=True)
        )
        assert listed(what="stopped") == stopped
        for what in ("flagged", "unscored", "wrong", "failed"):
            assert listed(what=what) <= set(Dialogue.objects.values_list("pk", flat=True))


class TestRunDialogue:
    def test_shows_every_verdict_beside_its_exchange_and_another_candidate(self, as_analyst):
        run = interviewed.held(n=1)
        one, other = Dialogue.objects.order_by("pk")

        alone = as_analyst.get(at(run, f"dialogues/{one.pk}/")).content.decode()
        both = as_analyst.get(at(run, f"dialogues/{one.pk}/?beside={other.pk}")).content.decode()

        assert alone.count("Exchange 1<") == 1
        assert both.count("Exchange 1<") == 2
        assert "Standard answer" in alone

    def test_knows_no_dialogue_of_another_run(self, as_analyst):
        run = interviewed.held(n=1)

        assert as_analyst.get(at(run, "dialogues/999999/")).status_code == 404

    def test_is_closed_before_the_round_is_final(self, as_analyst):
        run = interviewed.held(n=1)
        Run.objects.filter(pk=run.pk).update(round=rounds.graded(state="REVIEW"))

        answer = as_analyst.get(at(run))

        assert answer.status_code == 409
        assert "once the round is final" in answer.content.decode()
