import pytest
from django.urls import reverse

from annotation.qualification import queries as qualifications
from annotation.qualification.models import Qualification
from annotation.qualification.rules import PoolState
from scoring.figures.models import Figure
from tests import make
from tests.annotation import qualified
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db


def url(name="trial_report", number=1):
    return reverse(name, args=["northport", number])


def shown(client, number=1):
    client.get(url(number=number))
    compute()
    return client.get(url(number=number)).content.decode()


def taken(values, n_items=6, **given):
    """Return a trial that everybody has finished: what each gave, question by question."""
    names = tuple(f"ann-{n + 1}" for n in range(len(values)))
    round_ = qualified.open_trial(names, n_items=n_items)
    for rater, mine in zip(make.annotators(round_), values, strict=True):
        qualified.take(round_, rater, mine)
    return round_


GOOD, WEAK = [2] * 6, [0, 0, 0, 0, 2, 0]


class TestReport:
    def test_waits_for_the_worker(self, client, curator):
        taken([GOOD])

        assert f'hx-get="{url()}"' in client.get(url()).content.decode()

    def test_says_who_reaches_the_threshold_and_who_does_not(self, client, curator):
        taken([GOOD, GOOD, GOOD, WEAK])

        page = shown(client)

        assert page.count("state ok") == 3
        assert page.count("not passed yet") == 1
        assert "Grade: 0 for 2, 10 ×" in page
        assert "A few annotators" in page
        assert "Close for review" in page

    def test_names_the_wording_where_the_best_err_like_everybody_else(self, client, curator):
        round_ = qualified.open_trial(("ann-1", "ann-2", "ann-3", "ann-4"), n_items=6)
        for rater in make.annotators(round_):
            for n in range(6):
                seat = make.claim(round_, rater, now=make.at(n))
                make.submit(seat, 0 if seat.round_item.ordinal < 2 else 2)

        page = shown(client)

        assert "The rubric or a reference" in page
        assert "Refine this rubric" in page
        assert page.count("0 (4 ×)") == 4

    def test_judges_nobody_on_too_few_grades(self, client, curator):
        round_ = qualified.open_trial(("ann-1",), n_items=2)
        qualified.take(round_, make.annotators(round_)[0], [2, 2])

        assert "too few grades to tell" in shown(client)


class TestDecide:
    def send(self, client, number=1):
        figure = Figure.objects.filter(name="trial", round__number=number).latest("pk")
        return client.post(url("trial_decide", number), {"figure": figure.pk}, follow=True)

    def test_records_what_the_page_showed_and_each_sees_their_own(self, client, curator):
        round_ = qualified.close(taken([GOOD, WEAK]))
        assert "Record these verdicts" in shown(client)

        page = self.send(client).content.decode()

        one, two = make.annotators(round_)
        assert "1 qualified, 1 not passed" in page
        assert qualifications.is_qualified(one, make.capability())
        assert qualifications.states_of(two)[make.capability().pk] is PoolState.RETRAINING
        kept = Qualification.objects.get(rater=two, event="FAILED").figures
        assert (kept["n"], kept["at"]) == (12, 0.75)
        client.force_login(make.account(two))
        mine = client.get(reverse("training_trial", args=["northport", round_.number]))
        assert "Not yet in Factuality" in mine.content.decode()

    def test_waits_until_the_trial_is_closed(self, client, curator):
        taken([GOOD])
        shown(client)

        page = self.send(client).content.decode()

        assert "Close the trial for review first" in page
        assert not Qualification.objects.filter(event="PASSED").exists()

    def test_refuses_figures_that_nobody_saw(self, client, curator):
        qualified.close(taken([GOOD]))
        shown(client)

        page = client.post(url("trial_decide"), {"figure": "999"}, follow=True).content.decode()

        assert "The grades have changed since" in page
        assert not Qualification.objects.filter(event="PASSED").exists()

    def test_is_done_once(self, client, curator):
        qualified.close(taken([GOOD]))
        shown(client)
        self.send(client)

        assert "This trial is decided" in self.send(client).content.decode()
        assert Qualification.objects.filter(event="PASSED").count() == 1
