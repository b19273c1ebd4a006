import pytest
from django.db import IntegrityError, transaction

from annotation import models
from tests import make

pytestmark = pytest.mark.django_db


class TestSourceVersion:
    @pytest.mark.parametrize("same", ["sha", "number"])
    def test_says_something_new_under_a_number_of_its_own(self, same):
        first = make.source_version()
        given = {"sha": "f" * 64, "number": 2, same: getattr(first, same)}

        with pytest.raises(IntegrityError), transaction.atomic():
            models.SourceVersion.objects.create(
                source=first.source,
                created_by=first.created_by,
                created_at=make.NOW,
                **given,
            )


class TestCitation:
    def test_names_a_place_once(self):
        version = make.question_version("DRAFT")
        cited = version.citations.get()

        with pytest.raises(IntegrityError), transaction.atomic():
            models.Citation.objects.create(
                version=version, source_version=cited.source_version, locator=cited.locator
            )
