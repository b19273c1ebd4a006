from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from scoring.engine.models import Run
from tests.scoring import interviewed, quizzed

pytestmark = pytest.mark.django_db


@pytest.fixture
def said():
    quizzed.questions(2)
    interviewed.candidates()

    def call(*args, **given):
        out = StringIO()
        call_command("run_accuracy", "northport", *args, stdout=out, **{"seed": 7, **given})
        return out.getvalue()

    return call


class TestRunAccuracy:
    def test_measures_and_ends_with_a_table(self, said):
        text = said(here=True, orders=2)

        assert "2 questions, 0 without options" in text
        assert Run.objects.get().state == Run.State.DONE
        assert "scripted, not a measurement" in text
        assert "Quay" in text
        assert "of 4 replies named no option" in text.splitlines()[-1]

    def test_estimates_and_starts_nothing(self, said):
        assert "4 calls" in said(estimate=True)
        assert not Run.objects.exists()

    @pytest.mark.parametrize(
        ("given", "why"),
        [
            ({"release": ["Merlin · 1"]}, "No endpoint answers as Merlin"),
            ({"over": "round:9"}, "no such questions"),
            ({"shots": 99}, "shots: A whole number from 0 to 10"),
        ],
    )
    def test_says_why_it_cannot(self, said, given, why):
        with pytest.raises(CommandError, match=why):
            said(**given)

    def test_knows_no_other_project(self):
        with pytest.raises(CommandError, match="no project nowhere"):
            call_command("run_accuracy", "nowhere")
