import json

import pytest

from annotation.files.models import ImportBatch
from annotation.systems.models import Item, SystemRelease
from scoring.demo import files as demo_files
from scoring.demo import interviews as demo_yardsticks
from scoring.endpoints import testing as endpoint_scripts
from scoring.endpoints.models import Endpoint, SystemConnection
from scoring.engine.models import Run
from scoring.kinds.accuracy import figure as quiz_figures
from scoring.kinds.accuracy.outcome import AccuracyOptions
from scoring.kinds.contamination import figure as contamination
from scoring.kinds.contamination import queries as contamination_options
from tests import make
from tests.scoring import connected

pytestmark = pytest.mark.django_db

PLAN = json.loads((demo_files.FOLDER / "choices_plan.json").read_text())["stand_ins"]
N_QUESTIONS = 12


def play(*names, scripted=True):
    home = make.project()
    owner = connected.owner(home)
    for name in names:
        make.release(name)
    if scripted:
        endpoint_scripts.add_scripted(project=home, by=owner, now=make.NOW)
    demo_yardsticks.play_yardsticks(project=home, by=owner, now=make.NOW)
    return home


@pytest.fixture
def home():
    return play(*PLAN)


def named():
    return dict(SystemRelease.objects.values_list("pk", "system__name"))


def right_of(run):
    """Return how many questions each system answered right, in both orders."""
    held = quiz_figures.AccuracyReplies(run)
    found = dict.fromkeys(PLAN, 0)
    names = named()
    for (_item, release), value in held.values(AccuracyOptions()).items():
        found[names[release]] += value == 1
    return found


class TestPlay:
    def test_has_each_system_answer_as_its_plan_says(self, home):
        run = Run.objects.get(project=home, kind="QUIZ")

        assert (run.state, run.scripted) == ("DONE", True)
        assert Item.objects.filter(extra__dataset="Freight basics").count() == N_QUESTIONS
        assert right_of(run) == {
            name: N_QUESTIONS - len(one["wrong"]) for name, one in PLAN.items()
        }
        current = SystemConnection.objects.filter(ended_at=None)
        assert set(current.values_list("endpoint__name", flat=True)) == {
            f"Stand-in for {name}" for name in PLAN
        }
        assert set(Endpoint.objects.values_list("kind", flat=True)) == {Endpoint.Kind.SCRIPTED}

    def test_shows_who_has_learnt_the_test_far_below_the_line_of_the_others(self, home):
        run = Run.objects.get(project=home, kind="KIEVAL")
        axis = contamination_options.usual_axis(run)

        found = contamination.compute(run, {"axis": axis})

        part = found["parts"][0]
        lost = {one["release"]: one["difference"] for one in found["losses"]}
        names = named()
        distance = {
            names[release]: one["studentised"]
            for release, one in zip(part["releases"], part["distances"], strict=True)
        }
        assert axis == "first"
        assert min(distance, key=distance.__getitem__) == "Meridian L"
        assert distance["Meridian L"] < -5
        assert all(one > -2 for name, one in distance.items() if name != "Meridian L")
        assert names[min(lost, key=lost.__getitem__)] == "Meridian L"
        kinds = ImportBatch.objects.values_list("kind", "state")
        assert set(kinds) == {("CHOICES", "APPLIED"), ("FIGURES", "APPLIED")}

    @pytest.mark.parametrize(
        ("names", "scripted"), [(list(PLAN)[1:], True), (PLAN, False)], ids=["system", "script"]
    )
    def test_does_nothing_where_something_is_missing(self, names, scripted):
        play(*names, scripted=scripted)

        assert not Run.objects.exists()
        assert not ImportBatch.objects.exists()
