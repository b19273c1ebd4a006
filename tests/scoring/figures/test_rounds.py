import pytest

from annotation.grading import facts as grade_table
from annotation.grading.models import Grade, Invalidation
from annotation.people.models import Role
from annotation.people.permissions import Scope
from annotation.rounds import readiness as anchors
from scoring.figures import labels as rounds
from scoring.results import pages as slots
from tests import make
from tests.annotation import qualified

pytestmark = pytest.mark.django_db


class TestWithResults:
    def test_leave_trials_out(self):
        shown = make.open_round(n_items=1)
        trial = qualified.open_trial(("ann-1",), n_items=1)
        curator = Scope(shown.project, make.member(Role.CURATOR), frozenset({Role.CURATOR}))

        assert list(rounds.with_results(shown.project)) == [shown]
        assert list(anchors.earlier(trial)) == [shown]
        assert slots.of_round(scope=curator, round=trial) is None
        assert slots.of_round(scope=curator, round=shown) is not None


@pytest.fixture
def graded():
    """Return a round of four questions, all graded by two people."""
    round_ = make.open_round(n_items=4, n_annotators=2, n_seats=2)
    for rater in make.annotators(round_):
        for _item in range(4):
            make.submit(make.claim(round_, rater))
    return round_


def counted(round_):
    rows = grade_table.rows(grade_table.facts([round_]))
    return sum(row.counts and row.outcome == Grade.Outcome.VALUE for row in rows)


class TestLines:
    def test_count_the_grades_that_results_count(self, graded):
        first, second, *_others = graded.items.order_by("pk")
        graded.items.filter(pk=first.pk).update(purpose="GOLD")
        graded.items.filter(pk=second.pk).update(occasion=2, purpose="REPEAT")

        (line,) = rounds.lines([graded])

        assert (line.n_grades, line.n_releases) == (8, 2)
        assert line.n_grades == counted(graded)

    @pytest.mark.parametrize("what", ["grade", "item", "rater", "capability"])
    def test_leave_out_what_is_invalid_until_it_is_taken_back(self, graded, what):
        grade = Grade.objects.filter(round=graded).earliest("pk")
        about = {
            "grade": {"kind": "GRADE", "grade": grade},
            "item": {"kind": "QUESTION", "item": grade.response.item},
            "rater": {"kind": "RATER", "rater": grade.rater},
            "capability": {
                "kind": "RATER",
                "rater": grade.rater,
                "capability": grade.response.item.capability,
            },
        }[what]
        said = {"round": graded, "reason": "A slip.", "by": graded.created_by, "at": make.NOW}
        ended = Invalidation.objects.create(**said, **about)

        (line,) = rounds.lines([graded])
        assert line.n_grades == counted(graded) < 16

        Invalidation.objects.create(**said, **about, reverses=ended)
        (line,) = rounds.lines([graded])
        assert line.n_grades == counted(graded) == 16

    def test_are_counted_anew_in_large_rounds_only_when_grades_change(self, graded, monkeypatch):
        monkeypatch.setattr(rounds, "LARGE", 1)
        monkeypatch.setattr(rounds, "_KEPT", {})
        (first,) = rounds.lines([graded])
        version = grade_table.version(graded)
        assert {version: first.n_grades} == rounds._KEPT
        said = {"round": graded, "reason": "A slip.", "by": graded.created_by, "at": make.NOW}

        assert rounds.lines([graded]) == [first]
        Invalidation.objects.create(
            **said, kind="GRADE", grade=Grade.objects.filter(round=graded).earliest("pk")
        )

        (line,) = rounds.lines([graded])
        assert line.n_grades == first.n_grades - 1

    def test_may_be_asked_for_by_many_at_once(self, graded, monkeypatch):
        class Emptied(dict[str, int]):
            """Of which another thread takes away what was found there just now."""

            def __contains__(self, version):
                return True

            def __delitem__(self, version):
                raise KeyError(version)

        monkeypatch.setattr(rounds, "LARGE", 1)
        monkeypatch.setattr(rounds, "MOST_KEPT", 1)
        kept = Emptied(old=1)
        monkeypatch.setattr(rounds, "_KEPT", kept)

        (line,) = rounds.lines([graded])

        assert kept == {grade_table.version(graded): line.n_grades}

    def test_of_no_round_ask_for_little(self, db):
        assert rounds.lines([]) == []
