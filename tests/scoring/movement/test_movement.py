import pytest

from annotation import models
from annotation.rounds import sameness
from scoring.movement import queries as movement
from scoring.movement.queries import ChosenMovement, ShownMovement
from tests import make
from tests.scoring import moved, worked

pytestmark = pytest.mark.django_db


@pytest.fixture
def chosen():
    before, after = worked.two_rounds()
    return ChosenMovement(before, after, before.systems.get().release.system)


class TestParams:
    def test_change_with_the_grades_of_the_earlier_round_and_with_every_tag(self, chosen):
        first = movement.params(chosen)
        grade = chosen.before.grades.first()
        models.Grade.objects.filter(pk=grade.pk).update(is_current=False)
        grade.pk, grade.revision = None, 2
        grade.save(force_insert=True)
        second = movement.params(chosen)
        pair = [
            one.items.get(item__external_id="Q2").responses.get().response
            for one in (chosen.before, chosen.after)
        ]
        sameness.tag(
            project=chosen.before.project,
            left=pair[0],
            right=pair[1],
            verdict="SAME",
            by=chosen.before.created_by,
            now=make.NOW,
        )

        assert len({str(one) for one in (first, second, movement.params(chosen))}) == 3


class TestSystems:
    def test_are_those_of_both_rounds(self, chosen):
        assert movement.systems(chosen.before, chosen.after) == [chosen.system]
        met = sameness.movement(chosen.before, chosen.after, chosen.system.pk)
        assert met.n_open == 1
        assert [one.number for one in movement.choices(chosen.before.project)] == [2, 1]


class TestShown:
    def test_puts_what_cannot_be_told_apart_into_one_line(self):
        found = moved.figure(
            intervals={"questions": (0.1, 0.4)},
            questions=0.25,
            responses=None,
            same_raters=None,
            together=0.0,
            reason="not_connected",
        )
        shown = ShownMovement(moved.whole(found), "score", None)

        assert [one.points[0] for one in shown.causes] == [25, None, None, 0, 0]
        assert (shown.causes[0].low, shown.causes[0].high) == (10, 40)
        assert "anchor" in shown.why_together
        assert (shown.before, shown.change, shown.drift) == (50, 25, None)
        assert shown.scenarios == []

    def test_of_what_was_not_graded_says_so(self):
        assert ShownMovement(moved.whole(), "score", 7).problem
