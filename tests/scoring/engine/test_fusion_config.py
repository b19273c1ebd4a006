import pytest

from scoring.engine import told as run_config
from scoring.kinds.fusion.v1 import Variant
from tests.scoring import fused

pytestmark = pytest.mark.django_db


class TestTold:
    def test_names_task_plan_and_settings_and_no_key_of_the_database(self):
        batch = fused.scored()
        task = fused.version("overlap")
        plan = fused.plan(task)
        run = fused.requested(fused.wish(task, Variant.FE, Variant.DE, plan=plan, batch=batch))

        told = dict(run_config.facts(run))

        assert told["Evaluation task"] == "Notes, version 1"
        assert (told["Plan"], told["Answers"]) == ("1", "import 1")
        assert (told["Ways"], told["Predictions"]) == ("FE, DE", "2")
        assert told["endpoint"] == "Scripted"
        assert not {"judges", "version", "version_sha"} & set(told)
