import pytest

from annotation import jobs, models
from annotation.rounds import drafting, drawing
from annotation.rounds import opening as starting
from evalsite import queue
from tests import make
from tests.pages import url, words

pytestmark = pytest.mark.django_db


def named_draft():
    """Return a draft in which one response of Kestrel names Kestrel."""
    round_ = make.draft_round()
    item = make.item("Q90", question="Who are you?")
    make.response(item, make.release("Kestrel"), "Kestrel is my name.")
    make.response(item, make.release("Heron"), "I do not tell.")
    round_.draw = {**round_.draw, "n_items": None}
    round_.save(update_fields=["draw"])
    drawing.prepare(round_=round_, now=make.NOW)
    return round_


class TestPrepare:
    def test_says_what_came_of_it(self, client, curator):
        make.draft_round()

        page = words(client.post(url("round_prepare", 1), follow=True))

        assert "Items drawn: 2. Names of systems in responses: 0." in page

    def test_says_what_is_missing_on_the_page_of_the_round(self, client, curator):
        client.post(url("round_new"), {"name": "Spring"})

        refused = client.post(url("round_prepare", 1))

        assert refused.status_code == 422
        assert "Choose the releases to compare first." in words(refused)

    def test_leaves_much_to_a_worker_and_shows_how_far_it_is(
        self, client, curator, monkeypatch, django_capture_on_commit_callbacks
    ):
        round_ = make.draft_round()
        monkeypatch.setattr(starting, "MOST_RESPONSES", 0)

        with django_capture_on_commit_callbacks(execute=True):
            page = words(client.post(url("round_prepare", 1), follow=True))
        waiting = queue.waiting()
        queue.burst()
        done = client.get(url("round_standing", 1))

        assert "It waits for a worker." in page
        assert waiting == [("annotation.jobs.prepare_round", {"round_id": round_.pk})]
        assert done["HX-Refresh"] == "true"
        round_.refresh_from_db()
        assert round_.draw["prepared"]["items"] == 2
        assert "preparing" not in round_.draw

    def test_says_why_a_worker_could_not(self, client, curator):
        round_ = make.draft_round()
        drafting.touch(round_)
        models.Round.objects.update(draw={**round_.draw, "stopped": "No item fits this draw."})

        page = words(client.get(url("round", 1)))

        assert "No item fits this draw.</span>" in page


class TestIdentity:
    def test_shows_the_place_with_the_name_marked(self, client, curator):
        named_draft()

        page = words(client.get(url("round_identity", 1)))

        assert "<mark>Kestrel</mark> is my name." in page

    @pytest.mark.parametrize(
        "body",
        [{"which": "all"}, {"which": "term", "term": "Kestrel"}, {"which": "hits"}],
    )
    def test_decides_all_or_a_name_or_single_places(self, client, curator, body):
        round_ = named_draft()
        if body["which"] == "hits":
            body = {**body, "hit": round_.identity_hits.get().pk}

        client.post(url("round_identity", 1), {**body, "decision": "MASK"})

        assert round_.identity_hits.get().decision == "MASK"

    def test_lists_every_place_of_one_name(self, client, curator):
        named_draft()

        page = words(client.get(url("round_identity", 1), {"term": "Kestrel"}))

        assert "<mark>Kestrel</mark>" in page
        assert client.get(url("round_identity", 1), {"term": "Nobody"}).status_code == 404

    def test_refuses_once_the_round_is_open(self, client, curator):
        make.open_round()

        refused = client.post(url("round_identity", 1), {"which": "all", "decision": "MASK"})

        assert refused.status_code == 409


class TestPreview:
    def test_shows_names_masked_and_no_system(self, client, curator):
        round_ = named_draft()
        round_.identity_hits.update(decision="MASK")
        place = models.RoundItem.objects.get(round=round_, item__external_id="Q90").ordinal + 1

        page = words(client.get(url("round_preview", 1, place)))

        assert "▇▇▇▇ is my name." in page
        assert "Kestrel" not in page
        assert client.get(url("round_preview", 1, 99)).status_code == 404


class TestOpen:
    def test_opens_a_small_round_at_once(self, client, curator):
        round_ = make.draft_round()

        page = words(client.post(url("round_open", 1), follow=True))

        round_.refresh_from_db()
        assert round_.state == "OPEN"
        assert "The round is open." in page

    def test_says_what_is_missing(self, client, curator):
        named_draft()

        refused = client.post(url("round_open", 1))

        assert refused.status_code == 409
        assert "Names of systems in responses to mask or keep: 1" in words(refused)

    def test_leaves_a_large_round_to_a_worker(
        self, client, curator, monkeypatch, django_capture_on_commit_callbacks
    ):
        round_ = make.draft_round()
        monkeypatch.setattr(starting, "MOST_SEATS", 0)

        with django_capture_on_commit_callbacks(execute=True):
            page = words(client.post(url("round_open", 1), follow=True))
        queue.burst()

        assert "Opening" in page
        round_.refresh_from_db()
        assert round_.state == "OPEN"
        assert round_.assignments.count() == 6


class TestTheJobs:
    def test_do_nothing_when_they_come_twice(self):
        round_ = make.open_round()

        jobs.open_round(round_.pk)
        jobs.prepare_round(round_.pk)
        jobs.open_round(0)

        assert round_.assignments.count() == 6
