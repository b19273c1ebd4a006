from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction

from annotation.people.models import AuditEvent
from annotation.rubrics import measures
from annotation.rubrics import queries as rubrics
from annotation.rubrics.models import Criterion, Rubric
from annotation.rubrics.rules import Measure
from tests import make

pytestmark = pytest.mark.django_db


def declared(rubric, *wanted):
    return measures.declare(rubric=rubric, measures=wanted, by=make.user("ines"), now=make.NOW)


def rubric(name="ROUGE 1"):
    return measures.create(project=make.project(), name=name, now=make.NOW)


class TestCreate:
    def test_gives_each_a_key_of_its_own(self):
        keys = [rubric(name).key for name in ("ROUGE 1", "rouge-1", "评委", "裁判")]

        assert len(set(keys)) == 4

    def test_stays_out_of_the_rubrics_of_people(self):
        declared(rubric(), Measure("score"))

        assert rubrics.list_rubrics(make.project()) == []
        assert list(Rubric.objects.for_people()) == []
        assert rubrics.newest_of(make.project(), "of-rouge-1") is None


class TestDeclare:
    def test_writes_a_frozen_version_once(self):
        mine = rubric()
        wanted = Measure("score", Decimal(0), Decimal(1), labels=((Decimal(0), "no"),))

        first, again = declared(mine, wanted), declared(mine, wanted)

        assert first.pk == again.pk
        assert again.frozen_at == make.NOW
        assert AuditEvent.objects.get(verb="machine.declared").data == {
            "ranges": {"score": "between 0 and 1"}
        }
        with pytest.raises(IntegrityError, match="stays as it is"), transaction.atomic():
            Criterion.objects.update(maximum=2)

    def test_another_direction_is_another_version(self):
        mine = rubric()
        declared(mine, Measure("score"))

        assert declared(mine, Measure("score", higher_is_better=False)).number == 2

    def test_keeps_names_apart_that_look_alike(self):
        version = declared(rubric(), Measure("R 1"), Measure("r-1"), Measure("一"))

        keys = list(version.criteria.values_list("key", flat=True))
        assert keys[0] == "r-1"
        assert len(set(keys)) == 3
