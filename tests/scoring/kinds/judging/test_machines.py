import pytest

from annotation.imports import undoing
from scoring.kinds.judging import queries as reads
from tests import imports, make
from tests.scoring import machines

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _answers():
    imports.apply(imports.answers())


def lines():
    return {one.machine.rater.ref: one for one in reads.lines(reads.page(make.project()).rows)}


class TestLines:
    def test_count_scores_failures_and_where_they_came_from(self):
        machines.brought(machines.LONG)

        line = lines()["gpt-x"]

        assert line.is_judge
        assert (line.n_scored, line.n_failed) == (1, 2)
        assert [(one.number, one.file_name, one.n) for one in line.sources] == [
            (2, "scores.csv", 3)
        ]

    def test_tell_the_newest_range_of_each_criterion(self):
        machines.brought("item,system,judge_fluency\nQ1,Kestrel,4\nQ2,Kestrel,1\n")
        declared = [machines.Machine("judge", "JUDGE", "", "0", higher_is_better=False)]
        machines.brought("item,system,judge_coherence\nQ1,Kestrel,-4\n", declared=declared)

        line = lines()["judge"]

        assert line.ranges == [("between 1 and 5", "fluency"), ("up to 0", "coherence")]
        assert line.lower_is_better
        assert [one.name for one in line.criteria] == ["fluency", "coherence"]

    def test_keep_one_whose_import_was_undone(self):
        batch = machines.brought()
        undoing.undo(batch=batch, by=batch.created_by, clock=imports.clock)

        assert (lines()["rouge"].n_scored, lines()["rouge"].sources) == (0, [])

    def test_are_of_one_project(self):
        machines.brought()

        assert reads.page(make.project("southgate")).rows == []
