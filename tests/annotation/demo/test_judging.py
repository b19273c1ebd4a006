import pytest

from annotation.demo import loading as judging
from annotation.files.models import ImportBatch
from annotation.systems.models import System
from evalsite import env
from scoring.engine.models import Judgment, Machine
from tests import loaded

pytestmark = pytest.mark.django_db


class TestJudge:
    def test_brings_in_two_judges_and_two_metrics(self):
        loaded.load()

        batch = ImportBatch.objects.get(file_name="demo-scores.csv")
        brought = Machine.objects.filter(rater__judgments__batch=batch)
        kinds = dict(brought.values_list("rater__ref", "rater__kind"))
        assert kinds == {
            "Careful judge": "JUDGE",
            "Hasty judge": "JUDGE",
            "Shared words": "METRIC",
            "Length in words": "METRIC",
        }
        scored = Judgment.objects.seen().filter(batch=batch)
        assert scored.count() == scored.filter(outcome="SCORED").count() == 4 * 48
        assert batch.kind == "SCORES"
        assert dict(System.objects.values_list("name", "family"))["Harbour 70B"] == "Harbour"
        assert not System.objects.filter(family="", name__in=judging.FAMILIES).exists()
        assert (env.BASE_DIR / "fixtures" / "demo" / "scores.csv").exists()
