import csv

import pytest
from django.urls import reverse

from annotation import models
from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(client):
    make.project()
    user = make.user("northport-owner")
    client.force_login(user)
    return user


class TestWorkload:
    def test_shows_rounds_and_people_with_a_way_to_take_them_out(self, client, owner):
        round_ = make.open_round()
        user = make.account(make.annotators(round_)[0])

        page = client.get(reverse("workload", args=["northport"])).content.decode()

        assert round_.name in page
        assert reverse("workload_leave", args=["northport", user.public_id]) in page

    def test_says_that_only_rounds_under_way_are_counted(self, client, owner):
        make.open_round()

        page = client.get(reverse("workload", args=["northport"])).content.decode()

        assert '<th class="r">Open rounds</th>' in page

    def test_says_what_to_do_where_nobody_grades(self, client, owner):
        page = client.get(reverse("workload", args=["northport"])).content.decode()

        assert "No annotators yet" in page
        assert reverse("person_add", args=["northport"]) in page

    def test_hands_out_the_times(self, client, owner):
        round_ = make.open_round(n_items=1)
        make.submit(make.claim(round_), active_ms=1234)

        answer = client.get(reverse("workload_times", args=["northport"]))

        (row,) = csv.DictReader(answer.getvalue().decode().splitlines())
        assert row["active_ms"] == "1234"
        assert "northport-times.csv" in answer["Content-Disposition"]


class TestWorkloadLeave:
    def test_takes_somebody_out_and_says_what_became_of_it(self, client, owner):
        seat = make.claim(make.open_round())
        url = reverse(
            "workload_leave", args=["northport", make.account(make.holder(seat)).public_id]
        )
        asked = client.get(url).content.decode()

        answer = client.post(url, {"reason": "ill"}, follow=True)

        assert "1 round goes on without them" in asked
        said = answer.content.decode()
        assert "Ann-1 is out of 1 round. 1 question they held goes to the others." in said
        seat.refresh_from_db()
        assert seat.rater is None

    def test_warns_where_too_few_would_be_left(self, client, owner):
        round_ = make.open_round(n_annotators=3)
        user = make.account(make.annotators(round_)[0])

        page = client.get(reverse("workload_leave", args=["northport", user.public_id]))

        assert "1 round would lack annotators" in page.content.decode()

    def test_knows_nobody_of_another_project(self, client, owner):
        url = reverse("workload_leave", args=["northport", make.user("stranger").public_id])

        assert client.get(url).status_code == 404


class TestPersonErase:
    def test_erases_somebody_whose_account_one_made(self, client, owner):
        client.post(
            reverse("person_new", args=["northport"]),
            {"username": "lena", "name": "Lena", "password": make.PASSWORD, "roles": ["ANALYST"]},
        )
        user = models.User.objects.get(username="lena")
        url = reverse("person_erase", args=["northport", user.public_id])

        refused = client.post(url, {"name": "lenna", "password": make.PASSWORD})
        without = client.post(url, {"name": "lena", "password": "no"})
        assert without.status_code == 422
        assert models.Person.objects.filter(user=user).exists()
        answer = client.post(url, {"name": "lena", "password": make.PASSWORD})

        assert refused.status_code == 422
        assert "exactly as it stands" in refused.content.decode()
        assert answer.status_code == 302
        assert not models.Person.objects.filter(user=user).exists()

    def test_is_not_offered_for_an_account_of_somebody_else(self, client, owner):
        user = make.member(Role.ANALYST)
        url = reverse("person_erase", args=["northport", user.public_id])

        page = client.get(url).content.decode()

        assert "Erase for good" not in page
        given = {"name": user.username, "password": make.PASSWORD}
        assert client.post(url, given).status_code == 403
