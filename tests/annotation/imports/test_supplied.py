import pytest

from annotation.files.models import ImportKind
from annotation.imports import uploading as supplied
from scoring.engine.models import Judgment
from tests import imports, make

pytestmark = pytest.mark.django_db


class TestSupplied:
    def test_takes_away_what_the_other_app_names_for_its_own_kind_only(self):
        batch = imports.apply(imports.answers())
        make.project()

        assert supplied.supplied_for(ImportKind.ANSWERS) is None
        assert list(supplied.layers(batch)) == []
        batch.kind = ImportKind.SCORES
        assert [layer.model for layer in supplied.layers(batch)] == [Judgment]
