import numpy as np
import pytest

from annotation.files.mappings import FileRubric
from annotation.grading import facts as grade_facts
from annotation.people.models import Rater
from annotation.rounds.models import Round, RoundItem
from annotation.systems.models import Response
from scoring.beside import columns as judge_human
from scoring.beside.columns import PeopleChoice
from scoring.stats.judges import levels
from scoring.stats.resampled import exact
from tests import imports
from tests.scoring import machines

pytestmark = pytest.mark.django_db

GRADES = """item,system,e0_coh,e1_coh,t0_coh
Q1,Kestrel,5,4,1
Q1,Harbour,2,,1
Q2,Harbour,4,5,5
"""


@pytest.fixture(autouse=True)
def _answers():
    imports.apply(imports.answers())


def columns(*patterns, judges=("rouge", "judge"), grades=GRADES, **options):
    imports.apply(imports.grades(grades, **options))
    machines.brought()
    keys = [Rater.objects.get(ref=name, machine__isnull=False).pk for name in judges]
    return judge_human.columns(PeopleChoice((Round.objects.get(),), patterns), keys)


def at(made, question, system):
    response = Response.objects.get(item__external_id=question, release__system__name=system)
    return made.response.index(response.pk)


class TestColumns:
    def test_join_people_and_machines_by_response(self):
        made = columns()

        coh = made.people["coh"]
        assert len(made.response) == 4
        assert (coh.total[at(made, "Q1", "Kestrel")], coh.count[at(made, "Q1", "Kestrel")]) == (
            10,
            3,
        )
        assert (coh.total[at(made, "Q1", "Harbour")], coh.count[at(made, "Q1", "Harbour")]) == (
            3,
            2,
        )
        assert coh.count[at(made, "Q2", "Kestrel")] == 0  # judged, and graded by nobody
        assert (coh.scale_min, coh.scale_max) == (1, 5)
        rouge = next(one for key, one in made.judges.items() if key[1] == "score")
        assert rouge.values[at(made, "Q2", "Kestrel")] == 0.3927
        assert np.isnan(rouge.values[at(made, "Q2", "Harbour")])

    def test_hold_every_mark_by_its_rater(self):
        made = columns()

        coh = made.people["coh"]
        assert coh.marks.shape == (3, 4)
        assert np.nansum(coh.marks) == coh.total.sum() == 27
        assert np.isnan(coh.marks[1, at(made, "Q1", "Harbour")])

    def test_take_the_raters_whose_names_fit(self):
        assert columns("e*").people["coh"].count.sum() == 5

    def test_sum_decimals_exactly(self):
        text = "item,system,criterion,rater,value\nQ1,Kestrel,c,a,0.1\nQ1,Kestrel,c,b,0.2\n"
        text += "Q1,Harbour,c,a,0.3\nQ1,Harbour,c,b,0\n"
        made = columns(grades=text, new_rubric=FileRubric("Shares", "0", "1", ""))

        total = made.people["c"].total
        assert total[at(made, "Q1", "Kestrel")] == total[at(made, "Q1", "Harbour")] == 0.3

    def test_are_what_the_statistics_take(self):
        made = columns()
        coh = made.people["coh"]
        (judged,) = (one for key, one in made.judges.items() if key[1] == "coherence")

        pairs = levels.pairs(
            made.rows, exact.values(judged.values), exact.means(coh.total, coh.count)
        )

        assert (pairs.n, pairs.n_judge_only, pairs.n_human_only) == (3, 0, 0)
        assert pairs.exact

    def test_say_direction_family_and_open_ends(self):
        imports.apply(imports.grades(GRADES))
        declared = [
            machines.Machine("rouge", higher_is_better=False, minimum="0"),
            machines.Machine("judge", "JUDGE", "1", "5", family="Kestrel"),
        ]
        machines.brought(declared=declared)
        keys = list(Rater.objects.filter(machine__isnull=False).values_list("pk", flat=True))

        made = judge_human.columns(PeopleChoice((Round.objects.get(),)), keys)

        found = {one.criterion: one for one in made.judges.values()}
        assert not found["score"].higher_is_better
        assert found["coherence"].higher_is_better
        assert (found["coherence"].family, found["score"].family) == ("Kestrel", "")
        assert np.isnan(found["score"].scale_max)

    def test_count_failures(self):
        imports.apply(imports.grades(GRADES))
        machines.brought(machines.LONG)
        key = Rater.objects.get(machine__isnull=False).pk

        made = judge_human.columns(PeopleChoice((Round.objects.get(),)), [key])

        assert made.judges[key, "coherence"].n_failed == 2

    def test_hand_the_share_of_the_draw_on(self, monkeypatch):
        imports.apply(imports.grades(GRADES))
        monkeypatch.setattr(grade_facts, "UNSEATED", grade_facts.SeatFacts("NORMAL", 1, 0.25))

        made = judge_human.columns(PeopleChoice((Round.objects.get(),)), [])

        assert RoundItem.objects.count() == 2
        assert made.inclusion_p.tolist() == [0.25] * 3


class TestLengths:
    def test_counts_signs(self):
        response = Response.objects.get(item__external_id="Q1", release__system__name="Harbour")

        assert judge_human.lengths([response.pk]) == {response.pk: len("A ship.")}
