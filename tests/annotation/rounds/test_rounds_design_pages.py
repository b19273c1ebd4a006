import pytest

from annotation import models
from annotation.people import operations as people
from annotation.people.models import Role
from annotation.qualification import operations as qualifying
from tests import make
from tests.annotation import qualified
from tests.pages import url, words

pytestmark = pytest.mark.django_db


class TestSystems:
    def test_show_how_many_items_each_release_has_answered(self, client, curator):
        make.draft_round(n_items=2)

        page = words(client.get(url("round_systems", 1)))

        assert page.count('<td class="r num">2</td>') == 2

    def test_refuse_more_than_eight(self, client, curator):
        make.draft_round(n_releases=1)
        many = [make.release(f"S{n}").pk for n in range(9)]

        refused = client.post(url("round_systems", 1), {"releases": many})

        assert refused.status_code == 422
        assert "between one and eight" in words(refused)
        assert models.RoundSystem.objects.count() == 1


class TestDraw:
    def test_counts_what_fits_the_boxes_ticked_just_now(self, client, curator):
        make.draft_round(n_items=3)
        make.item("Q99")  # nobody answered it

        ticked = client.get(url("round_draw_count", 1), {"complete_only": "on"})
        other = client.get(url("round_draw_count", 1), {"n_items": "none"})

        assert "of 3 that fit" in words(ticked)
        assert "Correct the form" in words(other)

    def test_can_name_the_items(self, client, curator):
        round_ = make.draft_round(n_items=3)

        client.post(url("round_draw", 1), {"external_ids": "Q02\n Q01 \n", "complete_only": "on"})

        round_.refresh_from_db()
        assert round_.draw["external_ids"] == ["Q01", "Q02"]
        assert "Q01\nQ02" in client.get(url("round_draw", 1)).content.decode()

    def test_says_which_item_the_project_does_not_have(self, client, curator):
        make.draft_round()

        refused = client.post(url("round_draw", 1), {"external_ids": "Q01\nQ77"})

        assert refused.status_code == 422
        assert "no item Q77" in words(refused)

    def test_takes_the_preparation_back(self, client, curator):
        round_ = make.draft_round()

        client.post(url("round_draw", 1), {"n_items": 1, "complete_only": "on"})

        round_.refresh_from_db()
        assert round_.draw["n_items"] == 1
        assert "prepared" not in round_.draw


class TestRubrics:
    def test_offer_each_capabilitys_own_rubric_first(self, client, curator):
        capability = make.capability()
        make.item("Q1", capability_=capability)
        client.post(url("round_new"), {"name": "Spring"})

        page = words(client.get(url("round_rubrics", 1)))

        assert f'<option value="{make.rubric_version().pk}" selected>' in page


class TestAnnotators:
    def test_who_see_identities_need_an_owners_reason(self, client, curator):
        round_ = make.draft_round()
        people.grant(
            project=round_.project, user=curator, role=Role.ANNOTATOR, by=curator, now=make.NOW
        )
        wanted = [place.rater.user.public_id for place in round_.annotators.all()]
        body = {"annotators": [*wanted, curator.public_id], "override": "I say so."}

        refused = client.post(url("round_annotators", 1), body)
        owner = round_.created_by
        client.force_login(owner)
        allowed = client.post(url("round_annotators", 1), body)

        assert refused.status_code == 403
        assert "can see which system gave which answer" in words(refused)
        assert allowed.status_code == 302
        assert round_.annotators.get(rater__user=curator).override == "I say so."

    def test_can_be_added_while_a_round_runs(self, client, curator):
        round_ = make.open_round()
        fresh = make.member(Role.ANNOTATOR, username="fresh")
        wanted = [place.rater.user.public_id for place in round_.annotators.all()]

        client.post(url("round_annotators", 1), {"annotators": [*wanted, fresh.public_id]})

        assert round_.annotators.filter(ended_at=None).count() == 4

    def test_says_what_each_knows_about_and_has_not_qualified_in(self, client, curator):
        round_ = make.draft_round(n_items=1)
        models.Item.objects.update(capability=make.capability())
        one, two = make.annotators(round_)[:2]
        qualified.qualified(one)
        given = {"by": curator, "now": make.NOW, "project": round_.project}
        qualifying.set_tags(user=make.account(two), tags=["Reefers"], **given)
        before = words(client.get(url("round_annotators", 1)))

        client.post(
            url("round_settings", 1),
            {"name": "Asking", "n_seats": 3, "lease_minutes": 30, "asks_qualification": "on"},
        )
        after = words(client.get(url("round_annotators", 1)))

        assert "not qualified" not in before
        assert "ann-1</small>" in after
        assert "ann-2, Reefers; not qualified in Factuality" in after
        assert "qualified only" in words(client.get(url("round", 1)))


class TestSettings:
    def test_refuse_two_seats_to_a_curator(self, client, curator):
        make.draft_round()

        refused = client.post(
            url("round_settings", 1), {"name": "A", "n_seats": 2, "lease_minutes": 30}
        )

        assert refused.status_code == 403
        assert "Fewer than three annotators" in words(refused)

    def test_refuse_a_closing_time_that_has_passed(self, client, curator):
        make.draft_round()
        body = {"name": "A", "n_seats": 3, "lease_minutes": 30, "deadline": "2001-01-01T00:00"}

        refused = client.post(url("round_settings", 1), body)

        assert refused.status_code == 422

    @pytest.mark.parametrize("limits", [(100, 10_080), (21, 1)])
    def test_of_a_draft_set_by_a_program_can_be_saved_again_on_the_page(
        self, client, curator, limits
    ):
        round_ = make.draft_round()
        n_seats, minutes = limits
        address = "/api/v1/projects/northport/rounds/1/"
        body = {"n_seats": n_seats, "lease_minutes": minutes}
        assert client.post(address, body, content_type="application/json").status_code == 200

        saved = client.post(url("round_settings", 1), {"name": "Renamed", **body})

        round_.refresh_from_db()
        assert saved.status_code == 302
        assert (round_.name, round_.n_seats, round_.lease_minutes) == ("Renamed", *limits)

    def test_are_frozen_once_the_round_is_open(self, client, curator):
        make.open_round()

        assert client.get(url("round_settings", 1)).status_code == 404
