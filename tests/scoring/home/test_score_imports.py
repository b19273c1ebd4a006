import pytest
from django.db import IntegrityError, connection, transaction

from annotation import models
from annotation.files.models import ImportBatch
from annotation.imports import operations as applying
from annotation.imports import undoing
from annotation.people.models import RaterKind
from annotation.rubrics.models import RubricVersion
from evalsite import errors
from scoring.engine.models import Judgment, Machine
from tests import imports, make
from tests.scoring import machines

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _answers():
    imports.apply(imports.answers())


class TestWide:
    def test_brings_a_judgment_for_each_cell_that_holds_one(self):
        batch = machines.brought()

        assert batch.state == "APPLIED"
        assert batch.counts == {"scores": 9, "unscored": 0, "known": 0}
        assert machines.stored()[:3] == [
            ("Q1", "Kestrel", "judge", "coherence", 4.0),
            ("Q1", "Kestrel", "judge", "fluency", 5.0),
            ("Q1", "Kestrel", "rouge", "score", 0.41894),
        ]

    def test_makes_each_machine_a_rater_with_a_range_of_its_own(self):
        machines.brought()

        found = {one.rater.ref: one for one in Machine.objects.select_related("rater")}
        assert {name: one.rater.kind for name, one in found.items()} == {
            "judge": RaterKind.JUDGE,
            "rouge": RaterKind.METRIC,
        }
        version = found["judge"].rubric.versions.get()
        assert (version.kind, version.frozen_at) == (RubricVersion.Kind.METRIC, make.NOW)
        assert [(one.key, one.minimum, one.maximum) for one in version.criteria.all()] == [
            ("coherence", 1, 5),
            ("fluency", 1, 5),
        ]

    def test_joins_by_key_whatever_the_order_of_the_rows(self):
        head, *rows = machines.WIDE.splitlines()
        machines.brought("\n".join([head, *reversed(rows)]) + "\n")

        assert sorted(machines.stored())[0] == ("Q1", "Harbour", "judge", "coherence", 2.0)
        assert len(machines.stored()) == 9


class TestLong:
    def test_keeps_failures_with_their_reasons_and_never_as_zero(self):
        batch = machines.brought(machines.LONG)

        assert batch.counts == {"scores": 1, "unscored": 2, "known": 0}
        rows = Judgment.objects.order_by("pk").values_list("outcome", "value", "reason", "text")
        assert list(rows) == [
            ("SCORED", 4.0, "", "Reads well."),
            ("REFUSED", None, "Against the rules.", ""),
            ("UNSCORED", None, "error", ""),
        ]

    def test_keeps_words_as_labels_of_their_numbers(self):
        text = "item,system,judge,score\nQ1,Kestrel,duel,A better\nQ1,Harbour,duel,Tie\n"
        words = {"A better": "1", "tie": "0", "B better": "-1"}
        machines.brought(text, words=words)

        rows = Judgment.objects.order_by("pk").values_list("value", "label")
        assert list(rows) == [(1.0, "A better"), (0.0, "tie")]
        levels = models.Level.objects.values_list("value", "label")
        assert list(levels) == [(-1, "B better"), (0, "tie"), (1, "A better")]

    def test_keeps_every_digit_of_a_small_number(self):
        text = "item,system,judge,score\nQ1,Kestrel,p,3.2e-17\nQ2,Kestrel,p,0.123456789012345\n"
        machines.brought(text)

        values = [row[-1] for row in machines.stored()]
        assert [repr(one) for one in values] == ["3.2e-17", "0.123456789012345"]


class TestSecondFile:
    def test_takes_rows_it_knows_as_known(self):
        machines.brought()
        again = machines.brought(machines.WIDE + "\n")

        assert again.counts == {"scores": 0, "unscored": 0, "known": 9}
        assert Judgment.objects.count() == 9

    def test_the_same_file_is_refused(self):
        machines.brought()

        with pytest.raises(applying.AlreadyImported):
            machines.brought()

    def test_another_range_is_another_version(self):
        machines.brought("item,system,rouge\nQ1,Kestrel,0.4\n")
        wider = machines.Machine("rouge", maximum="100", minimum="0")
        machines.brought("item,system,rouge\nQ2,Kestrel,40\n", declared=[wider])

        versions = Machine.objects.get().rubric.versions.order_by("number")
        assert [one.criteria.get().maximum for one in versions] == [1, 100]

    def test_another_criterion_keeps_those_before(self):
        machines.brought("item,system,judge_fluency\nQ1,Kestrel,4\nQ2,Kestrel,1\n")
        machines.brought("item,system,judge_coherence\nQ1,Kestrel,4\nQ2,Kestrel,1\n")

        newest = Machine.objects.get().rubric.versions.order_by("-number")[0]
        assert newest.number == 2
        assert [one.key for one in newest.criteria.all()] == ["fluency", "coherence"]


class TestStopAndUndo:
    def test_goes_on_where_it_stopped(self):
        upload = machines.file()
        batch = applying.start(upload=upload, by=upload.created_by, now=make.NOW)
        ImportBatch.objects.filter(pk=batch.pk).update(cursor=2)

        done = applying.carry_on(batch_id=batch.pk, clock=imports.clock)

        assert done is not None
        assert (done.state, len(machines.stored())) == ("APPLIED", 4)

    def test_shows_nothing_before_all_is_in(self):
        upload = machines.file()
        batch = applying.start(upload=upload, by=upload.created_by, now=make.NOW)
        applying.carry_on(batch_id=batch.pk, clock=imports.clock)
        ImportBatch.objects.filter(pk=batch.pk).update(state="STAGED")

        assert machines.stored() == []
        assert Judgment.objects.count() == 9

    def test_an_undo_takes_the_scores_and_leaves_what_was_declared(self):
        batch = machines.brought()

        undone = undoing.undo(batch=batch, by=batch.created_by, clock=imports.clock)

        assert undone.state == "UNDONE"
        assert Judgment.objects.count() == 0
        assert Machine.objects.count() == 2
        assert machines.brought().state == "APPLIED"

    def test_answers_with_scores_are_not_undone(self):
        machines.brought()
        answers = ImportBatch.objects.get(number=1)

        with pytest.raises(errors.StillUsed, match="judgments: 9"):
            undoing.undo(batch=answers, by=answers.created_by, clock=imports.clock)


class TestGuards:
    def test_nobody_changes_a_judgment(self):
        machines.brought()

        with pytest.raises(IntegrityError, match="stays as it was given"), transaction.atomic():
            Judgment.objects.update(value=1.0)

    def test_nobody_deletes_one_of_an_import_that_is_applied(self):
        machines.brought()

        with pytest.raises(IntegrityError, match="goes only with"), transaction.atomic():
            Judgment.objects.all()._raw_delete(connection.alias)
        assert Judgment.objects.count() == 9

    @pytest.mark.parametrize(
        ("changed", "name"),
        [
            ({"value": None}, "a_judgment_has_a_value_exactly_if_it_is_scored"),
            ({"outcome": "REFUSED"}, "a_judgment_has_a_value_exactly_if_it_is_scored"),
            ({"outcome": "REFUSED", "value": None}, "a_judgment_without_a_score_says_why"),
            ({"line": None}, "an_imported_judgment_has_its_line"),
        ],
    )
    def test_keeps_its_shape(self, changed, name):
        machines.brought("item,system,rouge\nQ1,Kestrel,0.4\n")
        one = Judgment.objects.get()
        one.pk, one.line, one.repeat = None, 99, 1
        for key, value in changed.items():
            setattr(one, key, value)

        with pytest.raises(IntegrityError, match=name), transaction.atomic():
            one.save(force_insert=True)

    def test_a_machine_marks_a_response_once(self):
        machines.brought("item,system,rouge\nQ1,Kestrel,0.4\n")
        one = Judgment.objects.get()
        one.pk, one.line = None, 99

        with pytest.raises(IntegrityError, match=r"UNIQUE|unique"), transaction.atomic():
            one.save(force_insert=True)
