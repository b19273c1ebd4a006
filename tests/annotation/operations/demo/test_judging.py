import pytest

from annotation.models import ImportBatch, System
from evalsite import env
from scoring.models import Judgment, Machine
from tests.annotation.operations.demo import test_loading as demo

pytestmark = pytest.mark.django_db


class TestJudge:
    def test_brings_in_two_judges_and_two_metrics(self):
        demo.load()

        brought = Machine.objects.filter(rater__judgments__batch__isnull=False)
        kinds = dict(brought.values_list("rater__ref", "rater__kind"))
        assert kinds == {
            "Careful judge": "JUDGE",
            "Hasty judge": "JUDGE",
            "Shared words": "METRIC",
            "Length in words": "METRIC",
        }
        scored = Judgment.objects.seen().filter(batch__isnull=False)
        assert scored.count() == scored.filter(outcome="SCORED").count() == 4 * 48
        assert ImportBatch.objects.get(kind="SCORES").file_name == "demo-scores.csv"
        assert dict(System.objects.values_list("name", "family"))["Harbour 70B"] == "Harbour"
        assert not System.objects.filter(family="").exists()
        assert (env.BASE_DIR / "fixtures" / "demo" / "scores.csv").exists()
