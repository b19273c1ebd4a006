import pytest

from scoring.demo import files as demo_systems
from scoring.demo import interviews as demo_talks
from scoring.endpoints import testing as endpoint_scripts
from scoring.engine.models import Run
from scoring.kinds.interviews import results as interview_voices
from scoring.kinds.interviews.models import Dialogue
from tests import make
from tests.scoring import connected, interviewed

pytestmark = pytest.mark.django_db


def play():
    home = make.project()
    owner = connected.owner(home)
    demo_systems.play_systems(project=home, by=owner, now=make.NOW)
    demo_talks.play(project=home, by=owner, now=make.NOW)


class TestPlay:
    def test_leaves_dialogues_of_three_systems_with_two_evaluators(self):
        interviewed.questions(demo_talks.QUESTIONS)
        for name in (demo_systems.CONNECTED, *demo_talks.OTHERS):
            make.release(name)
        home = make.project()
        endpoint_scripts.add_scripted(project=home, by=connected.owner(home), now=make.NOW)

        play()

        run = Run.objects.get(kind="KIEVAL")
        assert (run.state, run.scripted, run.name) == ("DONE", True, demo_talks.NAME)
        dialogues = Dialogue.objects.filter(run=run)
        assert dialogues.count() == 3 * demo_talks.QUESTIONS >= 3 * 5
        assert Run.objects.get(kind="REJUDGE").state == "DONE"
        assert len(interview_voices.voices_of(run)) == 2

    def test_does_nothing_where_no_script_answers(self):
        interviewed.questions(1)

        play()

        assert not Run.objects.exists()
