from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from scoring.engine.models import Run
from scoring.kinds.interviews.models import Dialogue
from tests import make
from tests.scoring import connected, interviewed

pytestmark = pytest.mark.django_db


@pytest.fixture
def said():
    interviewed.questions(2)
    interviewed.candidates()
    connected.endpoint("Interactor", script={"seed": 5})
    interviewed.evaluator()

    def call(*args, **given):
        out = StringIO()
        usual = {"interactor": "Interactor", "evaluator": "Evaluator", "planned": 2, "seed": 7}
        call_command("run_kieval", "northport", *args, stdout=out, **{**usual, **given})
        return out.getvalue()

    return call


class TestRunKieval:
    def test_holds_interviews_and_ends_with_a_table(self, said):
        text = said(here=True)

        assert "2 questions, 0 without answer" in text
        assert f"Run 1 is {Run.objects.get().get_state_display()}." in text
        assert Run.objects.get().state == Run.State.DONE
        assert "scripted, not a measurement" in text
        assert "Kestrel · 1" in text.splitlines()[-2]
        assert Dialogue.objects.count() == 4

    def test_estimates_and_starts_nothing(self, said):
        assert "calls" in said(estimate=True)
        assert not Run.objects.exists()

    def test_makes_an_evaluator_of_an_endpoint(self, said):
        said(evaluator="Interactor", here=True)

        assert Run.objects.get().judge.endpoint.name == "Interactor"

    def test_interviews_the_systems_that_are_named(self, said):
        said(release=["Osprey · 1"], here=True)

        assert {str(one.release) for one in Dialogue.objects.all()} == {"Osprey · 1"}

    @pytest.mark.parametrize(
        ("given", "why"),
        [
            ({"interactor": "Nobody"}, "No endpoint called “Nobody”"),
            ({"release": ["Merlin · 1"]}, "No endpoint answers as Merlin"),
            ({"over": "round:9"}, "no such questions"),
        ],
    )
    def test_says_what_is_not_there(self, said, given, why):
        with pytest.raises(CommandError, match=why):
            said(**given)

    def test_knows_no_project_that_is_not_there(self):
        make.project()

        with pytest.raises(CommandError, match="no project nowhere"):
            call_command("run_kieval", "nowhere", interactor="a", evaluator="b")
