import pytest

from annotation.files.models import ImportKind
from annotation.imports import uploading as supplied
from annotation.people.models import Rater
from tests import imports, make

pytestmark = pytest.mark.django_db


class TestSupplied:
    def test_takes_away_what_the_other_app_names_for_its_own_kind_only(self, monkeypatch):
        monkeypatch.setattr(supplied, "_KINDS", {})
        how = supplied.Supplied(
            begin=lambda **_given: None,
            writer=lambda _batch, _mapping: None,  # type: ignore[arg-type, return-value]
            layers=lambda _batch: [Rater.objects.none()],
        )
        batch = imports.apply(imports.answers())
        make.project()

        supplied.supply(ImportKind.SCORES, how)
        assert supplied.of(ImportKind.ANSWERS) is None
        assert list(supplied.layers(batch)) == []
        batch.kind = ImportKind.SCORES
        assert [layer.model for layer in supplied.layers(batch)] == [Rater]
