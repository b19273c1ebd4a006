import re

import pytest

from annotation import models
from annotation.people.models import Role
from annotation.rounds import drawing, opening
from tests import make
from tests.pages import squeezed, url

pytestmark = pytest.mark.django_db


def words(response):
    return squeezed(response.content.decode())


def stratified():
    """Return a draft over four simple questions and two difficult ones, and the two strata."""
    round_ = make.draft_round(n_items=6)
    capability = make.capability()
    models.Item.objects.update(capability=capability, difficulty="SIMPLE")
    models.Item.objects.filter(external_id__in=["Q05", "Q06"]).update(difficulty="DIFFICULT")
    return round_, f"{capability.pk}|SIMPLE", f"{capability.pk}|DIFFICULT"


class TestRoundDraw:
    def test_shows_every_stratum_with_what_is_missing_and_where_to_mend_it(self, client, curator):
        _round, simple, hard = stratified()

        page = words(
            client.post(
                url("round_draw", 1),
                {
                    "how": "QUOTAS",
                    "strata": ["capability", "difficulty"],
                    f"quota-{simple}": "2",
                    f"quota-{hard}": "5",
                    "complete_only": "on",
                    "show": "1",
                },
            )
        )

        assert f'name="quota-{hard}" value="5"' in page
        assert "Factuality · difficult: 3 missing." in page
        assert "Plan questions" in page
        assert "prepared" in models.Round.objects.get().draw  # nothing was saved

    def test_says_that_answers_are_missing_where_that_is_why(self, client, curator):
        _round, _simple, hard = stratified()
        models.RoundItem.objects.all().delete()
        models.Response.objects.filter(item__external_id="Q05").delete()

        page = words(
            client.post(
                url("round_draw_count", 1),
                {
                    "how": "QUOTAS",
                    "strata": ["capability", "difficulty"],
                    f"quota-{hard}": "2",
                    "complete_only": "on",
                },
            )
        )

        assert "+ 1 unanswered" in page
        assert "Collect answers" in page

    def test_saves_numbers_for_strata(self, client, curator):
        round_, simple, _hard = stratified()

        client.post(
            url("round_draw", 1),
            {
                "how": "QUOTAS",
                "strata": ["capability", "difficulty"],
                f"quota-{simple}": "2",
                "repeats": "10",
                "avoid_rounds": "1",
                "preference": "FIRST",
            },
        )

        round_.refresh_from_db()
        assert round_.draw["quotas"] == {simple: 2}
        assert (round_.draw["how"], round_.draw["repeats"]) == ("QUOTAS", 10)

    @pytest.mark.parametrize(
        ("sent", "why"),
        [
            ({"how": "QUOTAS", "strata": "capability"}, "at least one stratum"),
            ({"how": "SHARES"}, "stratified"),
            ({"how": "QUOTAS", "strata": "capability", "quota-1": "some"}, "no number from 0"),
            ({"how": "QUOTAS", "strata": "capability", "quota-1": "1.5"}, "no number from 0"),
            ({"repeats": "90"}, "50"),
        ],
    )
    def test_says_what_cannot_be_drawn(self, client, curator, sent, why):
        make.draft_round()

        refused = client.post(url("round_draw", 1), sent)

        assert refused.status_code == 422
        assert why in words(refused)

    def test_offers_anchors_of_earlier_rounds(self, client, curator):
        make.open_round(n_items=4)
        make.draft_round(n_items=8)

        page = words(
            client.post(url("round_draw_count", 2), {"anchors_from": "1", "complete_only": "on"})
        )

        assert "anchors: 4" in page

    def test_says_of_a_prepared_round_how_many_are_repeats(self, client, curator):
        round_ = make.draft_round(n_items=12)
        round_.draw.update(repeats=20)
        round_.save(update_fields=["draw"])
        drawing.prepare(round_=round_, now=make.NOW)

        page = words(client.get(url("round", 1)))

        items = r"<dt>Items</dt><dd>\s*12<small>\s*of 12 that fit, 2 repeated</small></dd>"
        assert re.search(items, page)

    def test_says_of_a_prepared_round_what_came_of_it(self, client, curator):
        make.open_round(n_items=12)
        round_ = make.draft_round(n_items=12)
        round_.draw.update(n_items=10, anchors_from=1)
        round_.save(update_fields=["draw"])

        count = words(client.post(url("round_draw_count", 2), {"n_items": 10, "anchors_from": "1"}))
        drawing.prepare(round_=round_, now=make.NOW)
        page = words(client.get(url("round", 2)))

        assert '<b class="num">6</b> of 12 that fit, anchors: 6.' in count
        assert "10 items by lot (6 drawn)" in page
        assert "anchors from round 1 (6)" in page


class TestRoundOwn:
    def test_lets_people_grade_their_own_if_an_owner_says_why(self, client):
        home = make.project()
        round_ = make.draft_round(n_items=1)
        author = make.member(Role.DESIGNER, username="ann-1")
        version = make.question_version(author=author)
        for row in round_.systems.all():
            make.response(version.item, row.release, f"Answer of {row.release_id}.")
        drawing.prepare(round_=round_, now=make.NOW)
        round_.identity_hits.update(decision="KEEP")
        client.force_login(home.memberships.get(role=Role.OWNER).user)
        with pytest.raises(opening.RoundNotReady, match="neither wrote nor inspected"):
            opening.request_opening(round_=round_, by=round_.created_by, now=make.NOW)
        assert "Own questions are not given" in words(client.get(url("round_annotators", 1)))

        client.post(url("round_own", 1), {"reason": "Nobody else knows."})

        place = round_.annotators.get(rater__user=author)
        assert place.own_override == "Nobody else knows."
        opening.request_opening(round_=round_, by=round_.created_by, now=make.NOW)
        assert models.AuditEvent.objects.filter(verb="round.own_allowed").count() == 1

    def test_is_not_for_curators(self, client, curator):
        make.draft_round()

        refused = client.post(url("round_own", 1), {"reason": "Because."})

        assert refused.status_code == 403
