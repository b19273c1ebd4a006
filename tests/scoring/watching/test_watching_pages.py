import pytest
from django.urls import reverse

from annotation.people.models import Role
from annotation.review.models import Look
from tests import make
from tests.scoring import rounds, watched
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db


def at(number=1, name="results_signals"):
    return reverse(name, args=["northport", number])


def computed(client, url):
    client.get(url)
    compute()
    return client.get(url)


class TestThePage:
    def test_lists_who_needs_a_look_with_the_chance_of_a_false_alarm(self, client, curator):
        watched.watched(careless=1)

        page = computed(client, at()).content.decode()

        assert "1 annotator to look at" in page
        assert "Annotator 2 <span" in page
        assert "by chance" in page
        assert "a careless one is caught with" in page

    def test_keeps_what_was_found_and_lets_them_go(self, client, curator):
        round_ = watched.watched(careless=1)
        computed(client, at())
        rater = round_.annotators.order_by("rater_id")[1].rater
        sent = {"rater": rater.pk, "because": "gold:24,retest:20,pace:50", "note": "Asked."}

        assert client.post(at(), sent).status_code == 302

        assert Look.objects.get().because == {"gold": 24, "retest": 20, "pace": 50}
        assert "No signals" in client.get(at()).content.decode()

    @pytest.mark.parametrize(
        "wrong",
        [{"note": ""}, {"because": "nonsense"}, {"because": "gold:1,"}, {"rater": "9" * 30}],
    )
    def test_says_what_is_wrong(self, client, curator, wrong):
        round_ = rounds.graded(n_items=1)
        rater = round_.annotators.first().rater
        sent = {"rater": rater.pk, "because": "gold:4", "note": "Asked.", **wrong}

        assert client.post(at(), sent).status_code == 422
        assert not Look.objects.exists()

    def test_keeps_what_was_typed_and_says_once_what_is_wrong(self, client, curator):
        round_ = watched.watched(careless=1)
        computed(client, at())
        rater = round_.annotators.order_by("rater_id")[1].rater
        long = {"rater": rater.pk, "because": "gold:24", "note": "x" * 1001}

        page = client.post(at(), long).content.decode()

        assert f'href="#note-{rater.pk}"' in page
        assert f'value="{"x" * 1001}" aria-invalid="true"' in page
        assert f'id="note-{rater.pk}_error"' in page
        assert '<p class="errors"' not in page

    def test_lets_analysts_look_and_not_write(self, client):
        rounds.graded(n_items=2)
        client.force_login(make.member(Role.ANALYST))

        assert "Annotator 1" in computed(client, at()).content.decode()
        assert client.post(at(), {}).status_code == 403

    def test_is_led_to_from_the_annotators(self, client, curator):
        rounds.graded(n_items=2)

        assert at() in computed(client, at(name="results_annotators")).content.decode()


class TestTheApi:
    def test_says_the_same(self, client, curator):
        rounds.graded(n_items=2)

        found = computed(client, at(name="api_signals")).json()

        first = found["annotators"][0]
        assert (first["annotator"], first["needs_look"]) == ("Annotator 1", False)
        assert first["gold"] is None
