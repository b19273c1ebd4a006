import json
from pathlib import Path

import pytest

from annotation.models import Project, Qualification, Round, TrainingExample
from annotation.operations.demo import loading
from annotation.queries import qualifications
from evalsite import env
from scoring.operations import demo_trials
from tests import make

pytestmark = pytest.mark.django_db
FILE = Path(__file__).parents[3] / "fixtures" / "demo" / "training.json"


class TestTheFile:
    def test_knows_what_is_right_for_every_answer_that_is_graded(self):
        plan = json.loads(FILE.read_text())["trial"]

        for given in plan["given"].values():
            assert given.keys() == plan["references"].keys() == set(plan["questions"])
            assert all(marks.keys() == set(plan["systems"]) for marks in given.values())


class TestPlay:
    def test_does_nothing_where_no_round_is_final(self):
        make.capability("Law and policy")

        demo_trials.play(project=make.project(), by=make.user(), now=make.NOW)

        assert not Qualification.objects.exists()


@pytest.mark.slow
class TestInTheDemo:
    def test_leaves_one_qualified_one_training_again_and_one_who_has_begun(self):
        loading.load(
            fixtures=env.BASE_DIR / "fixtures",
            password=make.PASSWORD,
            secrets=(b"first round's secret", b"other round's secret"),
            now=make.NOW,
        )
        demo = Project.objects.get()

        states = {
            member.name.split()[0]: {str(cell.state) for cell in member.cells} - {"NEW"}
            for member in qualifications.pool(demo)
        }

        assert states == {
            "Jonas": {"QUALIFIED"},
            "Mei": {"RETRAINING"},
            "Lena": {"TRAINING"},
            "Kofi": set(),
        }
        assert Round.objects.get(kind="TRIAL").state == "FINAL"
        assert {one.use for one in TrainingExample.objects.all()} == {"LEARN", "PRACTISE"}
