import json

import pytest
from django.urls import reverse

from annotation import models
from annotation.models import Role
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def analyst(client):
    person = make.member(Role.ANALYST)
    client.force_login(person)
    return person


def page(client, name="round_manifest"):
    return client.get(reverse(name, args=["northport", 1]))


class TestRoundManifest:
    def test_says_that_everything_is_as_it_was(self, client, analyst):
        make.open_round()

        assert "Everything is as it was" in page(client).content.decode()

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
