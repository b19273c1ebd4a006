import pytest

from annotation import models
from annotation.rounds import manifests
from tests import make, tampering

pytestmark = pytest.mark.django_db


def found(round_) -> list[str]:
    round_.refresh_from_db()
    return [one.where for one in manifests.differences(round_) or []]


class TestBody:
    def test_holds_every_item_and_response_with_hashes_and_chances(self):
        round_ = make.open_round(n_items=3, n_releases=2)

        body = round_.frozen.body

        assert [one["place"] for one in body["items"]] == [0, 1, 2]
        assert {one["probability"] for one in body["items"]} == {1.0}
        assert {len(one["responses"]) for one in body["items"]} == {2}
        assert body["algorithms"] == {
            "sample": "strata-1",
            "orders": "williams-1",
            "renderer": "md-1",
        }
        assert [one["version"] for one in body["rubrics"]] == [1]
        assert body["strata"][0]["drawn"] == 3
        assert round_.manifest["entries_sha"] == round_.frozen.sha == manifests.digest(body)

    def test_is_the_same_whatever_the_ids(self):
        one, two = make.open_round(), make.open_round()

        bodies = [{**round_.frozen.body, "round": 0} for round_ in (one, two)]

        assert bodies[0] == bodies[1]


class TestDifferences:
    def test_are_none_while_nothing_was_touched(self):
        assert found(make.open_round()) == []

    def test_are_not_known_of_a_draft(self):
        assert manifests.differences(make.draft_round()) is None

    def test_name_the_answer_that_was_changed(self):
        round_ = make.open_round(n_items=2)
        row = models.RoundResponse.objects.filter(round_item__ordinal=1)[0]
        with tampering.unguarded():
            models.Response.objects.filter(pk=row.response_id).update(
                messages=[{"role": "assistant", "content": "Another answer."}]
            )

        name = row.round_item.item.external_id
        assert found(round_) == [f"items[1] {name}.responses"]

    def test_name_the_level_the_chance_and_the_display_that_were_changed(self):
        round_ = make.open_round(n_items=1)
        with tampering.unguarded():
            models.Level.objects.update(description="Something else.")
        models.RoundItem.objects.update(inclusion_probability=0.5)
        models.Display.objects.update(text="Something else.")

        assert found(round_) == [
            "items[0] Q01.probability",
            "items[0] Q01.responses",
            "rubrics",
        ]

    def test_notice_a_manifest_that_was_rewritten(self):
        round_ = make.open_round(n_items=1)
        kept = round_.frozen
        kept.body["seed"] = "another"
        kept.save()

        assert found(round_) == ["manifest", "seed"]
