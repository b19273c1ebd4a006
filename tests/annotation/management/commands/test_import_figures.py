import io

import pytest
from django.core.management import call_command

from scoring.kinds.contamination.models import BenchmarkFigure
from tests import make

pytestmark = pytest.mark.django_db


class TestImportFigures:
    def test_brings_in_a_figure_named_for_the_whole_file(self, tmp_path):
        make.release("Kestrel")
        make.member("OWNER")
        path = tmp_path / "bench.csv"
        path.write_text("model,score\nKestrel,7.2\n")
        out = io.StringIO()

        call_command(
            "import_figures", path, "--figure", "MT-Bench", project="northport", stdout=out
        )

        assert "1 figures" in out.getvalue()
        assert BenchmarkFigure.objects.get().name == "MT-Bench"
