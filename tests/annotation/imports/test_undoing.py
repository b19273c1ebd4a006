import pytest

from annotation import models
from annotation.files.models import ImportBatch
from annotation.imports import operations as applying
from annotation.imports import undoing
from annotation.search import similarity
from evalsite import errors, queue
from scoring.figures.models import Figure
from tests import imports, make

pytestmark = pytest.mark.django_db


def undo(batch):
    return undoing.undo(batch=batch, by=batch.created_by, clock=imports.clock)


def rows():
    kinds = (models.Item, models.System, models.SystemRelease, models.Response, models.Grade)
    return [kind.objects.count() for kind in kinds]


class TestUndo:
    def test_takes_everything_away(self):
        batch = imports.apply(imports.answers())

        undone = undo(batch)

        assert undone.state == ImportBatch.State.UNDONE
        assert rows() == [0, 0, 0, 0, 0]
        verbs = models.AuditEvent.objects.values_list("verb", flat=True)
        assert {"import.started", "import.applied", "import.undone"} <= set(verbs)

    def test_takes_away_what_a_worker_has_read_for_likeness(self):
        batch = imports.apply(imports.answers())
        similarity.index_rest(project=batch.project)
        assert models.IndexedText.objects.exists()

        undo(batch)

        assert rows() == [0, 0, 0, 0, 0]
        assert not models.IndexedText.objects.exists()

    def test_leaves_what_was_here_before(self):
        imports.apply(imports.answers())
        later = imports.apply(imports.answers(imports.ANSWERS + "Q3,New?,Yes.,,Kestrel,No.\n"))

        undo(later)

        assert rows()[0] == 2
        assert rows()[3] == 4

    def test_lets_the_file_in_again_under_its_number(self):
        upload = imports.answers()
        batch = imports.apply(upload)
        undo(batch)

        again = imports.apply(upload)

        assert (again.pk, again.number, again.state) == (batch.pk, 1, "APPLIED")
        assert rows()[3] == 4

    def test_takes_the_round_of_grades_away(self):
        imports.apply(imports.answers())
        text = "item,system,criterion,rater,value,comment\nQ1,Kestrel,c,lena,3,Well said.\n"
        batch = imports.apply(imports.grades(text))

        undo(batch)

        assert models.Round.objects.count() == models.Remark.objects.count() == 0
        assert rows() == [2, 2, 2, 4, 0]

    def test_refuses_when_grades_stand_on_it(self):
        batch = imports.apply(imports.answers())
        imports.apply(imports.grades())

        with pytest.raises(errors.StillUsed, match="grades: 11"):
            undo(batch)

        batch.refresh_from_db()
        assert batch.state == ImportBatch.State.APPLIED
        assert rows()[0] == 2

    def test_refuses_when_a_later_import_stands_on_it(self):
        batch = imports.apply(imports.answers())
        imports.apply(imports.answers("id,system,response\nQ1,Dock,A.\n"))

        with pytest.raises(errors.StillUsed, match="responses: 1"):
            undo(batch)

    def test_refuses_whole_when_a_draft_of_a_round_has_drawn_from_it(self):
        batch = imports.apply(imports.answers())
        draw(batch)

        with pytest.raises(errors.StillUsed, match="round 7 “Pilot”"):
            undo(batch)

        assert rows() == [2, 2, 2, 4, 0]
        assert models.Response.objects.seen().count() == 4

    def test_takes_computed_figures_of_a_round_along(self):
        imports.apply(imports.answers())
        batch = imports.apply(imports.grades())
        round_ = models.Round.objects.get(batch=batch)
        Figure.objects.create(
            round=round_,
            name="scores",
            params={},
            params_sha="p",
            ratings_sha="r",
            wanted_at=make.NOW,
        )

        assert undo(batch).state == ImportBatch.State.UNDONE
        assert not Figure.objects.exists()

    def test_refuses_grades_that_were_adjudicated_or_remarked(self):
        imports.apply(imports.answers())
        batch = imports.apply(imports.grades())
        invalidate(batch)
        grade = models.Grade.objects.filter(batch=batch).first()
        models.Remark.objects.create(
            grade=grade, rater=make.rater(batch.created_by), kind="FLAG", at=make.NOW
        )

        with pytest.raises(errors.StillUsed, match=r"invalidations: 1.*remarks made later: 1"):
            undo(batch)

    def test_refuses_what_is_not_applied(self):
        batch = imports.apply(imports.answers())
        undo(batch)

        with pytest.raises(undoing.NotApplied):
            undo(batch)

    def test_waits_for_another_import(self):
        batch = imports.apply(imports.answers())
        other = imports.answers("id,system,response\nQ1,Dock,A.\n")
        applying.start(upload=other, by=other.created_by, now=make.NOW)

        with pytest.raises(undoing.NotApplied):
            undo(batch)

    def test_leaves_a_large_one_to_a_worker(self, django_capture_on_commit_callbacks):
        batch = imports.apply(imports.answers())
        ImportBatch.objects.update(counts={"responses": undoing.MANY + 1})

        with django_capture_on_commit_callbacks(execute=True):
            hidden = undo(batch)

        assert (hidden.state, hidden.undoing) == ("STAGED", True)
        assert models.Item.objects.seen().count() == 0
        queue.burst()
        batch.refresh_from_db()
        assert batch.state == ImportBatch.State.UNDONE

    def test_that_was_killed_goes_on_by_itself(self, django_capture_on_commit_callbacks):
        batch = killed_undo()
        with django_capture_on_commit_callbacks(execute=True):
            assert applying.ring_for_applying(now=make.at(5)) == 1

        queue.burst()

        batch.refresh_from_db()
        assert (batch.state, rows()) == (ImportBatch.State.UNDONE, [0, 0, 0, 0, 0])

    def test_that_was_killed_is_dropped(self):
        batch = killed_undo()

        dropped = undoing.drop(batch=batch, by=batch.created_by, clock=lambda: make.at(5))

        assert (dropped.state, rows()) == (ImportBatch.State.UNDONE, [0, 0, 0, 0, 0])

    def test_keeps_what_began_to_be_used_while_it_went_and_blocks_nothing(self):
        batch = killed_undo()
        draw(batch)

        undone = undoing.carry_on(batch=batch, clock=imports.clock)

        assert (undone.state, undone.counts["kept"]) == (ImportBatch.State.UNDONE, 4)
        assert rows() == [1, 1, 1, 1, 0]
        assert models.Response.objects.seen().count() == 1
        assert imports.apply(imports.answers("id,system,response\nQ1,Dock,A.\n")).number == 2

    def test_gives_grades_back_that_are_used_by_now(self):
        imports.apply(imports.answers())
        batch = imports.apply(imports.grades())
        ImportBatch.objects.filter(pk=batch.pk).update(state="STAGED", undoing=True)
        invalidate(batch)
        batch.refresh_from_db()

        kept = undoing.carry_on(batch=batch, clock=imports.clock)

        assert (kept.state, kept.undoing) == (ImportBatch.State.APPLIED, False)
        assert "stays" in kept.stopped


def draw(batch):
    """Have a draft of a round draw one response of an import, without looking who may see it."""
    response = models.Response.objects.filter(batch=batch).order_by("pk")[0]
    round_ = models.Round.objects.create(
        project=batch.project,
        number=7,
        name="Pilot",
        seed="s",
        secret=b"",
        n_seats=1,
        created_by=batch.created_by,
        created_at=make.NOW,
    )
    models.RoundSystem.objects.create(round=round_, release=response.release)
    item = models.RoundItem.objects.create(round=round_, item=response.item, ordinal=1, n_seats=1)
    models.RoundResponse.objects.create(
        round_item=item, release=response.release, response=response
    )


def invalidate(batch):
    grade = models.Grade.objects.filter(batch=batch).first()
    models.Invalidation.objects.create(
        round=grade.round,
        kind="GRADE",
        grade=grade,
        reason="Wrong.",
        by=batch.created_by,
        at=make.NOW,
    )


def killed_undo():
    """Return an import whose undo ended after its first transaction, with some rows gone."""
    batch = imports.apply(imports.answers())
    ImportBatch.objects.filter(pk=batch.pk).update(state="STAGED", undoing=True)
    models.Response.objects.filter(batch=batch).order_by("-pk")[:1].get().delete()
    batch.refresh_from_db()
    return batch


class TestDrop:
    def test_ends_an_undo_that_had_stopped_over_a_round(self):
        batch = killed_undo()
        draw(batch)
        ImportBatch.objects.update(stopped="Something began to use the rows.")

        dropped = undoing.drop(batch=batch, by=batch.created_by, clock=imports.clock)

        assert dropped.state == ImportBatch.State.UNDONE
        assert models.RoundResponse.objects.count() == 1

    def test_keeps_a_system_that_was_used_while_the_import_stood_still(self):
        upload = imports.answers()
        batch = applying.start(upload=upload, by=upload.created_by, now=make.NOW)
        applying.carry_on(batch_id=batch.pk, clock=imports.clock)
        ImportBatch.objects.update(state="STAGED", stopped="Something happened.")
        release = models.SystemRelease.objects.get(system__name="Kestrel")
        other = make.response(make.item("Q9", in_=batch.project), release)

        undoing.drop(batch=batch, by=upload.created_by, clock=imports.clock)

        assert [one.name for one in models.System.objects.all()] == ["Kestrel"]
        assert list(models.Response.objects.all()) == [other]

    def test_takes_away_what_came_in_so_far(self):
        upload = imports.answers()
        batch = applying.start(upload=upload, by=upload.created_by, now=make.NOW)
        ImportBatch.objects.update(stopped="Something happened.")

        dropped = undoing.drop(batch=batch, by=upload.created_by, clock=imports.clock)

        assert dropped.state == ImportBatch.State.UNDONE
        assert rows() == [0, 0, 0, 0, 0]

    def test_takes_a_round_that_was_begun(self):
        imports.apply(imports.answers())
        upload = imports.grades()
        batch = applying.start(upload=upload, by=upload.created_by, now=make.NOW)

        undoing.drop(batch=batch, by=upload.created_by, clock=lambda: make.at(2))

        assert models.Round.objects.count() == 0

    def test_refuses_one_that_moves(self):
        upload = imports.answers()
        batch = applying.start(upload=upload, by=upload.created_by, now=make.NOW)

        with pytest.raises(undoing.NotStopped):
            undoing.drop(batch=batch, by=upload.created_by, clock=imports.clock)
