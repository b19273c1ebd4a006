import pytest
from django.db import IntegrityError, transaction

from annotation import models
from tests import make

pytestmark = pytest.mark.django_db


class TestSamenessTag:
    @pytest.mark.parametrize("kind", ["QUESTION", "RESPONSE"])
    def test_is_of_two_of_a_kind_in_their_order(self, kind):
        one, other = make.item("Q1"), make.item("Q2")
        given = {"project": one.project, "by": make.user(), "at": make.NOW, "verdict": "SAME"}

        if kind == "QUESTION":
            models.SamenessTag.objects.create(kind=kind, left_item=one, right_item=other, **given)
        for left, right in ((other, one), (one, one), (one, None)):
            with pytest.raises(IntegrityError), transaction.atomic():
                models.SamenessTag.objects.create(
                    kind=kind, left_item=left, right_item=right, revision=2, **given
                )
