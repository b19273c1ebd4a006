import pytest
from django.db import IntegrityError, transaction

from annotation.imports import undoing
from scoring.kinds.contamination.models import BenchmarkFigure
from tests import imports, make

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _systems():
    make.release("Kestrel")
    make.release("Osprey")


def stored():
    rows = BenchmarkFigure.objects.order_by("line")
    return list(rows.values_list("release__system__name", "name", "dataset", "value", "line"))


class TestWriter:
    def test_brings_figures_and_takes_them_away_again(self):
        batch = imports.apply(imports.figures())

        assert batch.counts == {"figures": 3, "known": 0}
        assert stored() == [
            ("Kestrel", "accuracy", "Quay", 71.5, 2),
            ("Osprey", "accuracy", "Quay", 55.0, 3),
            ("Kestrel", "MT-Bench", "", 7.2, 4),
        ]
        undoing.undo(batch=batch, by=batch.created_by, clock=imports.clock)
        assert stored() == []

    def test_adds_only_what_is_new(self):
        imports.apply(imports.figures())

        more = imports.apply(imports.figures(imports.FIGURES + "Osprey,,MT-Bench,6\n", "more.csv"))

        assert more.counts == {"figures": 1, "known": 3}


class TestGuards:
    def test_keep_figures_as_they_were_brought(self):
        imports.apply(imports.figures())

        with pytest.raises(IntegrityError, match="stays"), transaction.atomic():
            BenchmarkFigure.objects.update(value=100)
        with pytest.raises(IntegrityError, match="goes only with"), transaction.atomic():
            BenchmarkFigure.objects.all().delete()
