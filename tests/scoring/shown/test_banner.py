import pytest

from annotation.rounds.models import Round
from scoring.beside import asked as beside_asked
from scoring.shown import names as banner
from tests import make
from tests.scoring import judged, machines, run_rows

pytestmark = pytest.mark.django_db


class TestBanner:
    def test_is_for_runs_of_a_script(self):
        assert banner.of_run(run_rows.run(scripted=True)) == "scripted, not a measurement"
        assert banner.of_run(run_rows.run()) == ""

    def test_is_for_judges_whose_scores_come_from_a_script(self):
        run = judged.ran(make.open_round())
        Round.objects.update(state="FINAL")

        assert beside_asked.of_judges([run.judge.rater_id]) == banner.BANNER
        assert beside_asked.of_judges([machines.judge().rater_id]) == ""
        assert beside_asked.of_judges([]) == ""


class TestNamed:
    def test_marks_the_name_of_a_file(self):
        assert banner.named("levels.csv", "") == "levels.csv"
        assert banner.named("levels.csv", banner.BANNER).startswith("scripted-not-a-measurement")
