from urllib.parse import urlencode

import pytest
from django.urls import reverse

from annotation import models
from annotation.rounds import drafting as unblinding
from tests import counting, make
from tests.scoring import worked
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db
HERE = reverse("movement", args=["northport"])
TAGS = reverse("movement_tags", args=["northport"])


@pytest.fixture
def rounds(curator):
    """The worked example, with the names shown to the curator."""
    made = worked.two_rounds()
    for one in made:
        unblinding.show_names(round_=one, by=curator, now=make.NOW)
    return made


def of(rounds, **more):
    return {"before": 1, "after": 2, "system": rounds[0].systems.get().release.system_id} | more


def page(client, data, url=HERE):
    return client.get(url, data).content.decode()


class TestMovement:
    def test_without_two_rounds_says_what_it_is_for(self, client, curator):
        assert "Two rounds are needed" in page(client, {})

    def test_begins_with_two_rounds_that_share_questions(self, client, rounds):
        make.open_round(in_=rounds[0].project, n_items=1, seed="of other questions")

        assert client.get(HERE).url == f"{HERE}?before=1&after=2"

    def test_begins_with_closed_rounds_before_open_ones(self, client, rounds):
        last = rounds[1]
        third = worked.round_of(last.project, 3)
        models.Round.objects.filter(pk=third.pk).update(state="OPEN")

        assert client.get(HERE).url == f"{HERE}?before=1&after=2"

    def test_begins_with_no_rounds_of_pairs(self, client, rounds):
        third = worked.round_of(rounds[1].project, 3)
        models.Round.objects.filter(pk=third.pk).update(of_pairs=True)

        assert client.get(HERE).url == f"{HERE}?before=1&after=2"

    def test_has_rounds_chosen_that_share_nothing(self, client, rounds):
        of_others = make.open_round(in_=rounds[0].project, n_items=1, seed="of other questions")
        models.Round.objects.filter(pk=rounds[0].pk).update(state="DRAFT")

        shown = page(client, {})

        assert "Choose two rounds" in shown
        assert f'<option value="{of_others.number}">' in shown

    def test_asks_for_names_first(self, client, curator):
        worked.two_rounds()

        shown = page(client, {"before": 1, "after": 2})

        assert "Names are hidden" in shown
        assert "Kestrel" not in shown

    def test_goes_to_the_first_system_where_none_is_named(self, client, rounds):
        answer = client.get(HERE, {"before": 1, "after": 2})

        assert (answer.status_code, answer["Location"]) == (302, f"{HERE}?{urlencode(of(rounds))}")

    def test_waits_and_then_shows_causes_that_add_up(self, client, rounds):
        waiting = page(client, of(rounds))
        compute()
        shown = page(client, of(rounds))

        assert "hx-get" in waiting
        for value in ("−10.4", "18.8", "−13.9", "5.6", "−12.5", "16.7", "−8.3", "4.2"):
            assert f">{value}<" in shown
        assert "1 undecided pair" in shown

    def test_reloads_once_the_figures_are_there(self, client, rounds):
        client.get(HERE, of(rounds))
        compute()

        answer = client.get(HERE, of(rounds), headers={"HX-Request": "true"})

        assert answer.headers["HX-Refresh"] == "true"

    def test_turns_rounds_into_their_order(self, client, rounds):
        client.get(HERE, of(rounds, before=2, after=1))
        compute()

        assert ">18.8<" in page(client, of(rounds, before=2, after=1))

    @pytest.mark.parametrize("chosen", [{"figure": "accuracy"}, {"capability": "7"}])
    def test_shows_accuracy_and_parts(self, client, rounds, chosen):
        client.get(HERE, of(rounds))
        compute()

        assert client.get(HERE, of(rounds, **chosen)).status_code == 200

    def test_of_a_system_that_was_in_one_round_is_not_there(self, client, rounds):
        assert client.get(HERE, of(rounds, system=10**6)).status_code == 404

    def test_is_come_back_to_once_names_are_shown(self, client, curator):
        worked.two_rounds()

        asked = page(client, {"before": 1, "after": 2})
        url = reverse("results_names", args=["northport", 1])
        answer = client.post(url, {"next": f"{HERE}?before=1&after=2"})

        assert f'name="next" value="{HERE}?before=1&amp;after=2"' in asked
        assert answer.url == f"{HERE}?before=1&after=2"

    @pytest.mark.parametrize("data", [{"before": "x"}, {"before": 1, "after": 1}])
    def test_of_nothing_asks_to_choose(self, client, rounds, data):
        assert client.get(HERE, data).status_code == 200


class TestTags:
    def test_show_what_differs_and_take_a_decision(self, client, rounds):
        shown = page(client, of(rounds), TAGS)
        assert (
            "Another answer." in shown.replace("</ins>", "").replace("<ins>", "")
            or "Another" in shown
        )
        pair = [one.items.get(item__external_id="Q2").responses.get().response_id for one in rounds]

        client.post(
            f"{TAGS}?before=1&after=2&system={of(rounds)['system']}",
            {"kind": "RESPONSE", "left": pair[0], "right": pair[1], "verdict": "SAME"},
        )

        assert models.SamenessTag.objects.get().verdict == "SAME"
        assert "Nothing is open" in page(client, of(rounds), TAGS)
        assert "Decided: the same." in page(client, of(rounds, all=1), TAGS)

    def test_refuse_what_is_no_pair(self, client, rounds):
        items = models.Item.objects.order_by("pk")[:2]

        client.post(
            f"{TAGS}?before=1&after=2&system={of(rounds)['system']}",
            {"kind": "QUESTION", "left": items[0].pk, "right": items[1].pk, "verdict": "SAME"},
        )

        assert not models.SamenessTag.objects.exists()

    def test_of_another_project_are_not_there(self, client, rounds):
        strange = make.item("Q1", in_=make.project("southgate"))

        answer = client.post(
            f"{TAGS}?before=1&after=2&system={of(rounds)['system']}",
            {"kind": "QUESTION", "left": strange.pk, "right": "x", "verdict": "SAME"},
        )

        assert answer.status_code == 404

    def test_ask_as_often_for_many_pairs(self, client, rounds):
        place = rounds[1].items.get(item__external_id="Q2")

        def grow(n):
            item = make.item(f"More {n}", question=f"More {n}?")
            for round_ in rounds:
                release = round_.systems.order_by("-release_id").first().release
                row = models.RoundItem.objects.create(
                    round=round_,
                    item=item,
                    ordinal=100 + n,
                    n_seats=3,
                    rubric_version=place.rubric_version,
                )
                models.RoundResponse.objects.create(
                    round_item=row,
                    release=release,
                    response=make.response(item, release, f"Answer {n} in {round_.number}."),
                )

        assert counting.growth(client, f"{TAGS}?{urlencode(of(rounds))}", grow) == 0
