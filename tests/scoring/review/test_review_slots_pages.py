import pytest
from django.urls import reverse

from annotation.people.models import Role
from scoring.figures.models import Figure
from tests import make
from tests.annotation import reviewed
from tests.scoring import rounds
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db


class TestHome:
    def test_tells_a_second_reviewer_what_waits(self, client):
        round_ = rounds.graded(n_items=1)
        reviewed.two_reviewers(round_)
        reviewed.decide("STRIKE_GRADE", round_)
        home = reverse("project_home", args=["northport"])
        shown = {}
        for role, name in ((Role.CURATOR, "second"), (Role.ANALYST, "analyst")):
            client.force_login(make.member(role, username=name))
            shown[role] = "Waiting for a second reviewer" in client.get(home).content.decode()
        client.force_login(reviewed.reviewer(round_))
        own = client.get(home).content.decode()

        assert shown == {Role.CURATOR: True, Role.ANALYST: False}
        assert "Waiting for a second reviewer" not in own


class TestFinish:
    def page(self, client) -> str:
        return client.get(reverse("round_finish", args=["northport", 1])).content.decode()

    def test_says_how_many_questions_are_not_decided_and_leads_to_them(self, client):
        rounds.graded(
            n_items=3, marks=lambda system, item, rater: 2 * bool(item or rater), state="REVIEW"
        )
        client.force_login(make.member(Role.CURATOR))

        before = self.page(client)
        compute()
        after = self.page(client)

        assert "Counting disputes" in before
        assert "1 question is undecided." in after
        assert reverse("results_review", args=["northport", 1]) in after

    def test_says_that_nothing_waits(self, client):
        rounds.graded(n_items=2, marks=lambda *_: 2, state="REVIEW")
        client.force_login(make.member(Role.CURATOR))

        self.page(client)
        compute()

        assert "Nothing waits for review." in self.page(client)

    def test_says_nothing_of_it_to_who_grades_in_the_round(self, client):
        round_ = rounds.graded(n_items=2, state="REVIEW")
        person = make.account(make.annotators(round_)[0])
        make.member(Role.CURATOR, username=person.username)
        client.force_login(person)

        page = self.page(client)

        assert "Later decisions make further revisions." in page
        assert "review desk" not in page.lower()

    @pytest.mark.parametrize(
        ("state", "said"), [("EMPTY", "Nothing was graded"), ("FAILED", "could not be counted")]
    )
    def test_lets_a_round_be_finished_where_there_is_no_figure(self, client, state, said):
        rounds.graded(n_items=1, state="REVIEW")
        client.force_login(make.member(Role.CURATOR))
        self.page(client)
        Figure.objects.update(state=state, problem="No.", ready_at=make.NOW)

        page = self.page(client)

        assert said in page
        assert "Make final" in page
