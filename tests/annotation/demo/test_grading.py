import json

import pytest

from annotation import models
from annotation.demo import grading
from evalsite import env
from tests import loaded


@pytest.mark.django_db
class TestPlay:
    def test_enters_exactly_the_marks_of_the_plan(self):
        plan = json.loads((env.BASE_DIR / "fixtures/demo/grades_plan.json").read_text())
        loaded.load()

        entered = {
            (question, system, criterion, user, None if value is None else int(value))
            for question, system, criterion, user, value in models.Grade.objects.filter(
                round__number=1
            ).values_list(
                "response__item__external_id",
                "response__release__system__name",
                "criterion__key",
                "rater__user__username",
                "value",
            )
        }

        assert entered == {
            (g["external_id"], g["system"], g["criterion"], g["annotator"], g.get("value"))
            for g in plan["final"]["grades"]
        }
        flags = models.Remark.objects.flags().filter(slot__assignment__round__number=2)
        assert [one.answers.count() for one in flags.order_by("pk")] == [1, 0]
        assert grading.CANNOT in set(
            models.Grade.objects.filter(value__isnull=True).values_list("reason", flat=True)
        )
