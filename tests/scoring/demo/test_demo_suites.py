import pytest

from annotation.systems.models import SystemRelease
from scoring.demo import files as demo_suites
from scoring.engine.models import Run
from scoring.kinds.suites import figure
from scoring.kinds.suites import labels as suite_labels
from scoring.kinds.suites import queries as suite_frame
from scoring.kinds.suites.models import Conversation
from tests import make
from tests.scoring import connected

pytestmark = pytest.mark.django_db


@pytest.fixture
def runs():
    home = make.project()
    demo_suites.play(project=home, by=connected.owner(home), now=make.NOW)
    return Run.objects.order_by("number")


class TestPlay:
    def test_leaves_two_finished_runs_that_say_they_are_scripted(self, runs):
        assert [(one.kind, one.state, one.scripted) for one in runs] == [
            ("SUITE", "DONE", True),
            ("SUITE", "DONE", True),
        ]
        assert Conversation.objects.seen().count() == 3 * 12 + 6

    def test_has_a_candidate_that_passes_and_two_that_fail_for_opposite_faults(self, runs):
        found = figure.verdicts(suite_frame.Frame(runs[0]))

        failed = [(one.release, one.gate.split()[2]) for one in found if not one.passed]
        assert sorted(failed) == [("Lantern · 2", "yeasayer"), ("Lantern · 3", "is_refusal")]
        assert sum(one.passed for one in found) == 4

    def test_holds_the_tutors_judge_against_labels_by_people(self, runs):
        (choice,) = suite_labels.choices(runs[1])

        found = figure.compute_labels(runs[1], choice, "label")

        assert (found["n"], found["n_clusters"], found["n_silent"]) == (35, 6, 1)

    def test_brings_in_three_releases_of_one_system(self, runs):
        rows = SystemRelease.objects.filter(system__name=demo_suites.CANDIDATES)

        assert sorted(rows.values_list("label", flat=True)) == ["1", "2", "3"]
