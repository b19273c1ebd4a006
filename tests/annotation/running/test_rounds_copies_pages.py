import pytest

from annotation.rounds.models import Round
from tests import make
from tests.pages import url, words

pytestmark = pytest.mark.django_db


class TestRoundCopy:
    def test_leads_to_the_draft_that_it_made(self, client, curator):
        make.open_round()

        page = words(client.get(url("round_copy", 1)))
        done = client.post(url("round_copy", 1), {"name": "Spring", "questions": "SAME"})

        assert 'value="Copy of A round"' in page
        assert done.url == url("round", 2)
        assert Round.objects.get(number=2).name == "Spring"

    @pytest.mark.parametrize("state", ["DRAFT", "OPEN", "REVIEW", "FINAL"])
    def test_is_offered_on_the_page_of_a_round(self, client, curator, state):
        make.open_round() if state != "DRAFT" else make.draft_round()
        Round.objects.update(state=state)

        assert url("round_copy", 1) in words(client.get(url("round", 1)))

    @pytest.mark.parametrize("state", ["DRAFT", "OPEN", "REVIEW", "FINAL"])
    def test_is_refused_with_the_reason_for_what_was_published_from_a_run(
        self, client, curator, state
    ):
        round_ = make.open_round() if state != "DRAFT" else make.draft_round()
        draw = {**round_.draw, "published": {"1": {"chance": 0.5}}}
        Round.objects.update(state=state, draw=draw)

        page = words(client.get(url("round", 1)))
        asked = words(client.get(url("round_copy", 1)))
        refused = client.post(url("round_copy", 1), {"name": "Spring", "questions": "SAME"})
        by_program = client.post(
            "/api/v1/projects/northport/rounds/1/copy/", {}, content_type="application/json"
        )

        assert url("round_copy", 1) not in page
        assert "Publish the run again" in page
        assert "Publish the run again" in asked
        assert "Copy the round" not in asked
        assert (refused.status_code, by_program.status_code) == (409, 409)
        assert by_program.json()["code"] == "cannot_copy"
        assert Round.objects.count() == 1

    def test_names_what_an_older_round_had_and_a_new_one_cannot(self, client, curator):
        make.open_round()
        Round.objects.update(lease_minutes=0)

        sent = {"name": "Spring", "questions": "SAME"}
        done = client.post(url("round_copy", 1), sent, follow=True)

        assert "Set to their defaults: minutes a seat is held." in words(done)
        assert Round.objects.get(number=2).lease_minutes == 30

    def test_says_what_is_wrong(self, client, curator):
        make.draft_round()

        refused = client.post(url("round_copy", 1), {"name": "x" * 201, "questions": "SAME"})

        assert refused.status_code == 422
        assert Round.objects.count() == 1


class TestRoundDiscard:
    def test_deletes_a_draft_without_a_reason(self, client, curator):
        make.draft_round()
        assert url("round_discard", 1) in words(client.get(url("round", 1)))

        page = words(client.get(url("round_discard", 1)))
        done = client.post(url("round_discard", 1), follow=True)

        assert "Delete draft" in page
        assert 'name="reason"' not in page
        assert "“A round” is deleted." in words(done)
        assert not Round.objects.exists()
        assert client.get(url("round", 1)).status_code == 404

    def test_discards_an_open_round_with_a_reason(self, client, curator):
        round_ = make.open_round()
        make.claim(round_)

        page = words(client.get(url("round_discard", 1)))
        refused = client.post(url("round_discard", 1))
        done = client.post(url("round_discard", 1), {"reason": "Too few."}, follow=True)

        assert "<b>1 seat</b> is held:" in page
        assert refused.status_code == 422
        assert "“A round” is discarded." in words(done)

    def test_says_how_much_was_graded_instead_of_offering_it(self, client, curator):
        round_ = make.open_round(n_releases=2)
        make.submit(make.claim(round_))

        page = words(client.get(url("round_discard", 1)))
        refused = client.post(url("round_discard", 1), {"reason": "All the same."})

        assert "2 grades were given in this round" in page
        assert "<form" not in page.split("This round stays")[1].split("</main>")[0]
        assert refused.status_code == 409
        assert url("round_discard", 1) not in words(client.get(url("round", 1)))
        assert Round.objects.exists()
