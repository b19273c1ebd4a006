import pytest

from annotation import models
from annotation.imports import undoing
from annotation.people.models import Rater
from annotation.systems.models import Response
from scoring.engine.models import Machine
from scoring.figures import operations as judgments
from scoring.figures import snapshots as ratings
from scoring.stats import frame
from tests import imports
from tests.scoring import machines

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _answers():
    imports.apply(imports.answers())


def raters():
    return dict(Rater.objects.filter(machine__isnull=False).values_list("ref", "pk"))


class TestColumns:
    def test_are_rows_of_the_one_table(self):
        open_below = machines.Machine("rouge", maximum="1")
        machines.brought(declared=[open_below])
        keys = raters()

        table = ratings.table((), judged_by=[keys["rouge"]])

        assert frame.default_filter(table)["value"].tolist() == [0.41894, 0.1831, 0.3927]
        first = table.iloc[0]
        kestrel = Response.objects.get(item__external_id="Q1", release__system__name="Kestrel")
        assert (first["response"], first["system"], first["group"]) == (kestrel.pk, "Kestrel", "Q1")
        assert (first["rater_kind"], first["criterion"]) == ("METRIC", "score")
        assert (first["outcome"], first["target_level"]) == ("SCORED", "RESPONSE")
        assert (first["scale_min"] != first["scale_min"], first["scale_max"]) == (True, 1.0)

    def test_keep_failures_without_a_value(self):
        machines.brought(machines.LONG)

        table = ratings.table((), judged_by=list(raters().values()))

        assert table["outcome"].tolist() == ["SCORED", "REFUSED", "UNSCORED"]
        assert table["value"].notna().tolist() == [True, False, False]
        assert table["text"].tolist() == ["Reads well.", None, None]

    def test_stand_below_the_grades_and_only_where_they_are_asked_for(self):
        imports.apply(imports.grades())
        machines.brought()
        grades_round = models.Round.objects.get()

        alone = ratings.table([grades_round])
        both = ratings.table([grades_round], judged_by=list(raters().values()))

        assert set(alone["rater_kind"]) == {"IMPORTED"}
        assert len(both) == len(alone) + 9
        assert both["value"].tolist()[: len(alone)] == alone["value"].tolist()

    def test_are_read_page_by_page(self, monkeypatch):
        machines.brought()
        monkeypatch.setattr(judgments, "PAGE", 4)

        assert len(judgments.columns(list(raters().values()))["value"]) == 9

    def test_do_not_hold_what_was_undone(self):
        batch = machines.brought()
        undoing.undo(batch=batch, by=batch.created_by, clock=imports.clock)

        assert judgments.columns(list(raters().values()))["value"] == []


class TestVersion:
    def test_changes_with_every_import_undo_and_family(self):
        seen = set()

        def note():
            seen.add(ratings.version((), judged_by=list(raters().values())))
            return len(seen)

        batch = machines.brought()
        assert note() == 1
        assert note() == 1
        undoing.undo(batch=batch, by=batch.created_by, clock=imports.clock)
        assert note() == 2
        machines.brought()
        assert note() == 3
        Machine.objects.filter(rater__ref="judge").update(family="Kestrel")
        assert note() == 4
        models.System.objects.filter(name="Kestrel").update(family="Kestrel")
        assert note() == 5

    def test_is_that_of_the_grades_alone_where_no_machine_is_asked_for(self):
        imports.apply(imports.grades())
        grades_round = models.Round.objects.get()
        before = ratings.version([grades_round])
        machines.brought()

        assert ratings.version([grades_round]) == before
        assert ratings.version([grades_round], judged_by=[1]) != before
