import json

import pytest
from django.urls import reverse

from annotation import models
from annotation.rounds import drafting, drawing, opening
from tests import make

pytestmark = pytest.mark.django_db


def page(client, name="round_manifest"):
    return client.get(reverse(name, args=["northport", 1]))


class TestRoundManifest:
    def test_says_that_everything_is_as_it_was(self, client, analyst):
        make.open_round()

        assert "Nothing has changed" in page(client).content.decode()

    def test_names_what_differs(self, client, analyst):
        make.open_round(n_items=1)
        models.RoundItem.objects.update(stratum="moved")

        assert "items[0] Q01.stratum" in page(client).content.decode()

    def test_says_where_nothing_was_kept(self, client, analyst):
        make.open_round()
        models.Manifest.objects.all().delete()

        assert "before manifests were kept" in page(client).content.decode()
        assert page(client, "round_manifest_file").status_code == 404


class TestRoundManifestFile:
    def test_is_the_whole_with_its_digest(self, client, analyst):
        round_ = make.open_round()

        kept = json.loads(page(client, "round_manifest_file").content)

        assert kept.pop("sha") == round_.manifest["entries_sha"]
        assert kept == round_.frozen.body


class TestStrata:
    def test_are_shown_as_they_were_drawn(self, client, analyst):
        round_ = make.draft_round(n_items=3)
        models.Item.objects.update(capability=make.capability(), difficulty="SIMPLE")
        made = {"round_": round_, "by": round_.created_by, "now": make.NOW}
        drafting.choose_draw(draw=drafting.Draw(how="SHARES", n_items=2), **made)
        drawing.prepare(round_=round_, now=make.NOW)
        opening.request_opening(**made)
        opening.open_round(round_=round_, now=make.NOW)

        shown = page(client).content.decode()

        assert "Factuality · simple" in shown
        assert "strata-1" in shown
