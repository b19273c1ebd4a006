import pytest

from annotation.files.mappings import ColumnTarget
from annotation.files.models import ImportBatch, ImportKind
from annotation.files.scores import FigureMapping
from evalsite import errors
from scoring.demo import files as demo_files
from scoring.kinds.contamination.models import BenchmarkFigure
from tests import make
from tests.scoring import connected

pytestmark = pytest.mark.django_db


def bring():
    columns = ("system", "dataset", "figure", "value")
    return demo_files.bring(
        project=make.project(),
        kind=ImportKind.FIGURES,
        name="figures.csv",
        mapping=FigureMapping(tuple(ColumnTarget(one, one) for one in columns)),
        by=connected.owner(make.project()),
        now=make.NOW,
    )


class TestBring:
    def test_leaves_an_import_as_a_person_would(self):
        for name in ("Kestrel 4", "Harbour 70B", "Dock RAG", "Meridian L"):
            make.release(name)

        batch = ImportBatch.objects.get(pk=bring().pk)

        assert (batch.file_name, batch.state) == ("demo-figures.csv", ImportBatch.State.APPLIED)
        assert BenchmarkFigure.objects.filter(batch=batch).count() == 12

    def test_refuses_what_names_a_system_that_there_is_not(self):
        with pytest.raises(errors.Refusal):
            bring()

        assert not ImportBatch.objects.exists()
