import json
from pathlib import Path

import pytest

from annotation.demo import loading
from annotation.people.models import Project
from annotation.qualification import queries as qualifications
from annotation.qualification.models import Qualification, TrainingExample
from annotation.rounds.models import Round
from evalsite import env
from scoring.demo import trials as demo_trials
from scoring.trials import figure as trial_figures
from scoring.trials import queries as trial_reports
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


@pytest.mark.nightly
class TestInTheDemo:
    def test_leaves_people_in_several_states_and_a_trial_that_says_why(self):
        loading.load(
            fixtures=env.BASE_DIR / "fixtures",
            password=make.PASSWORD,
            secrets=(b"first round's secret", b"other round's secret"),
            now=make.NOW,
        )

        states = {
            member.name.split()[0]: {
                cell.capability.name.split()[0]: str(cell.state)
                for cell in member.cells
                if cell.state != "NEW"
            }
            for member in qualifications.pool(Project.objects.get())
        }
        trial = Round.objects.get(kind="TRIAL").trial
        figure = trial_figures.trial_of(trial.round, trial_reports.params(trial))
        assert isinstance(figure, dict)
        report = trial_reports.TrialReport(trial, figure)

        assert states == {
            "Jonas": {"Law": "QUALIFIED", "Concepts": "SUSPENDED"},
            "Kofi": {"Law": "QUALIFIED", "Concepts": "QUALIFIED"},
            "Lena": {"Law": "TRAINED", "Concepts": "TRAINING"},
            "Mei": {"Law": "RETRAINING", "Concepts": "RETRAINING"},
        }
        assert report.cause == "BOTH"
        assert [one.criterion for one in report.suspects] == ["Correctness"] * 2
        assert not any("**" in one.question + one.response for one in report.suspects)
        assert {one.use for one in TrainingExample.objects.all()} == {"LEARN", "PRACTISE"}
        assert not Round.objects.filter(qualified_only_since__isnull=False).exists()
