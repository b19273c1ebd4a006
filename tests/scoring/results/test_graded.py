from decimal import Decimal

import pytest

from annotation.grading.models import Remark
from scoring.results import graded
from tests.scoring import reads
from tests.scoring.spread import spread

pytestmark = pytest.mark.django_db


@pytest.fixture
def world():
    return spread()


def cell_of(world, at=None, query=None):
    asked = {f"at_{name}": [str(value)] for name, value in (at or {}).items()}
    return graded.cell(reads.cut_of(world.round, query), asked)


def grades(cell):
    items = list(graded.items(cell).values_list("item_id", flat=True))
    return list(graded.counted(cell, items))


class TestACell:
    def test_opens_exactly_the_grades_that_its_figure_counts(self, world):
        chosen = reads.cut_of(world.round, {"difficulty": ["SIMPLE", "DIFFICULT"]})
        made = reads.breakdown_of(chosen)
        places = {pk: n for n, pk in enumerate(chosen.selection.ground.names, start=1)}
        for row in made.rows[::9]:
            if row.figure == "accuracy":
                continue
            at = {
                name: getattr(row, name) for name in ("node", "criterion", "difficulty", "domain")
            }
            at = {name: value for name, value in at.items() if value}
            query = {"difficulty": ["SIMPLE", "DIFFICULT"]}
            found = grades(cell_of(world, {**at, "release": places[row.release]}, query))
            assert len(found) == row.came, row
            assert sum(one.value is not None for one in found) == row.n_grades

    def test_of_a_mean_leaves_out_what_weighs_nothing(self, world):
        query = {"w.g-GENERAL": ["0"]}
        all_ = grades(cell_of(world, query=query))
        general = grades(cell_of(world, {"node": f"c-{world.coherence.pk}"}, query))

        assert {one.item.capability for one in all_} == {"Law", "Companies"}
        assert {one.item.capability for one in general} == {"Coherence"}

    def test_leaves_out_late_and_invalid_grades(self, world):
        before = len(grades(cell_of(world)))
        world.round.grades.filter(pk=world.round.grades.first().pk).update(is_current=False)

        assert len(grades(cell_of(world))) == before - 1

    def test_is_of_the_chosen_annotators_alone(self, world):
        rater = world.round.annotators.first().rater

        found = grades(cell_of(world, query={"annotator": [rater.pk]}))

        assert {one.rater.pk for one in found} == {rater.pk}
        assert len(found) == 48

    @pytest.mark.parametrize("name", ["node", "difficulty", "domain", "release", "criterion"])
    def test_that_the_round_does_not_have_is_refused(self, world, name):
        with pytest.raises(graded.BadCell, match=name) as refusal:
            cell_of(world, {name: "x"})

        assert list(refusal.value.fields) == [f"at_{name}"]

    def test_says_where_it_stands(self, world):
        at = {"node": f"c-{world.law.pk}", "difficulty": "SIMPLE", "domain": world.air.pk}

        assert cell_of(world, at).words == ["Law", "simple", "Air"]


class TestLines:
    def test_hold_grades_with_reasons_and_times(self, world):
        cell = cell_of(world, {"release": 1})
        places = graded.page(cell).rows
        slot = world.round.grades.filter(response__release=next(iter(cell.names))).first()
        Remark.objects.create(
            slot=slot.slot, rater=slot.rater, text="Too short.", kind="COMMENT", at=slot.given_at
        )

        lines = graded.lines(cell, places, with_people=False)

        answer = lines[0].answers[0]
        assert [one.annotator for one in answer.grades] == [f"Annotator {n}" for n in (1, 2, 3)]
        assert {one.person for one in answer.grades} == {""}
        assert answer.grades[0].seconds == 1
        said = [one.comment for line in lines for a in line.answers for one in a.grades]
        assert said.count("Too short.") == 1
        assert lines[0].question == "Question 0?"

    def test_stand_on_shorter_pages_the_more_answers_there_are(self, world, monkeypatch):
        one, all_ = cell_of(world, {"release": 1}), cell_of(world)
        monkeypatch.setattr(graded, "ANSWERS", 2 * len(all_.names))

        assert len(graded.page(all_).rows) == 2
        assert len(graded.page(one).rows) > 2

    def test_name_people_only_to_those_who_may_know(self, world):
        cell = cell_of(world)
        places = graded.page(cell).rows

        lines = graded.lines(cell, places, with_people=True)

        assert lines[0].answers[0].grades[0].person == "northport-annotator-0"

    def test_say_how_many_grades_are_missing(self):
        world = spread(n_items=3, state="OPEN")
        world.round.grades.filter(rater=world.round.annotators.first().rater).delete()
        cell = cell_of(world)

        answer = graded.lines(cell, graded.page(cell).rows, with_people=False)[0].answers[0]

        assert (answer.n_wanted, answer.n_missing) == (3, 1)

    def test_say_why_somebody_could_not_grade(self):
        world = spread(n_items=3, marks=lambda system, item, rater: None if rater == 0 else 1)
        cell = cell_of(world)

        found = graded.lines(cell, graded.page(cell).rows, with_people=False)[0].answers[0]

        assert (found.grades[0].mark, found.grades[0].reason) == (
            "cannot grade",
            "The answer is empty.",
        )

    def test_know_where_annotators_differ(self, world):
        cell = cell_of(world)
        lines = graded.lines(cell, graded.page(cell).rows, with_people=False)
        first = lines[0].place.item_id
        world.round.grades.filter(response__item=first).update(value=Decimal(1))

        again = graded.lines(cell, graded.page(cell).rows, with_people=False)

        assert any(line.is_divided for line in lines)
        assert not again[0].is_divided
