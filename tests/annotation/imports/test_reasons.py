"""Every model that refers to what an import makes is asked before an undo, named or not."""

import uuid
from datetime import datetime

import pytest
from django.apps import apps
from django.db import connection, models
from django.urls import reverse

from annotation.bank.models import Question, QuestionVersion
from annotation.files.models import ImportBatch
from annotation.grading.models import Grade, Remark
from annotation.imports import lists as reasons
from annotation.imports import operations as applying
from annotation.imports import undoing
from annotation.rounds.models import Round, RoundItem, RoundResponse, RoundSystem
from annotation.systems.models import Display, Item, Response, System, SystemRelease
from evalsite import errors
from tests import imports, make
from tests.undoing import undone

pytestmark = pytest.mark.django_db

ANSWERED = (Response, Item, SystemRelease, System, Display)
GRADED = (Grade, Round, RoundItem, RoundResponse, Remark)
ASKED = (Question, QuestionVersion)
#: What an undo takes along, or what is a part of the import itself: it keeps nothing.
HARMLESS = {
    "annotation.Display.response",
    "annotation.SearchText.response",
    "annotation.SearchText.item",
    "annotation.SearchText.question",
    "annotation.IndexedText.item",
    "annotation.IndexedText.question",
    "annotation.QuestionText.question",
    "annotation.Citation.version",
    "annotation.RoundSystem.round",
    "annotation.RoundRubric.round",
    "annotation.RoundItem.round",
    "annotation.RoundResponse.round_item",
    "annotation.Slot.round_response",
    "scoring.Figure.round",
    "scoring.Snapshot.round",
}
#: What a row has that is not to be the same as one that is there.
UNLIKE = {
    "annotation.QuestionVersion": {"number": 77, "state": "ACCEPTED"},
    "annotation.Remark": {"rater_id": 987_654},
    "annotation.Round": {"number": 77},
    "annotation.RoundItem": {"ordinal": 77},
    "scoring.BenchmarkFigure": {"batch_id": 987_654},
}


def relations(targets):
    """Return every field of every model that refers to one of these and is not emptied with it."""
    return [
        pytest.param(model, field, id=f"{model._meta.label}.{field.name}")
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.concrete_fields
        if field.is_relation
        and field.related_model in targets
        and field.remote_field.on_delete is not models.SET_NULL
    ]


def plant(model, field, target):
    """Write a row that refers to another one, and is otherwise filled with anything."""
    values = {
        one.attname: filled(one) for one in model._meta.concrete_fields if not one.primary_key
    }
    with connection.cursor() as cursor:  # taken back with the row
        cursor.execute("PRAGMA ignore_check_constraints = 1")
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        for (name,) in cursor.fetchall():
            cursor.execute(f'DROP TRIGGER "{name}"')
    values |= UNLIKE.get(model._meta.label, {}) | {field.attname: target.pk}
    # Where such a row is there already, there cannot be another one.
    model._base_manager.bulk_create([model(**values)], ignore_conflicts=True)


def filled(field):
    if field.null:
        return None
    if field.is_relation:
        first = field.related_model._base_manager.order_by("pk").first()
        return first.pk if first else 987_654
    if field.has_default():
        return field.get_default()
    kinds = (
        (models.UUIDField, uuid.uuid4()),
        (models.DateTimeField, make.at(5)),
        (models.DateField, datetime.date(make.NOW)),
        (models.JSONField, {}),
        (models.BinaryField, b""),
        (models.BooleanField, False),
        (models.CharField | models.TextField, "x"),
    )
    return next((value for kind, value in kinds if isinstance(field, kind)), 1)


def batch_of(targets):
    if targets is ASKED:
        return imports.apply(imports.questions())
    batch = imports.apply(imports.answers())
    for response in Response.objects.all():
        Display.objects.create(response=response, renderer="r", mask_set="m")
    text = "item,system,criterion,rater,value,comment\nQ1,Kestrel,c,lena,3,Well said.\n"
    if targets is GRADED:
        return imports.apply(imports.grades(text))
    other = make.item("another")
    RoundItem.objects.create(round=drawn_round(batch), item=other, ordinal=1, n_seats=1)
    return batch


def told(model, field, targets):
    """Plant a row; return what is told of it, and whether it is told before a row is taken away."""
    batch = batch_of(targets)
    assert reasons.against_undo(batch) == []
    target = field.related_model._base_manager.order_by("pk").first()
    with undone():
        plant(model, field, target)
        found = [str(one) for one in reasons.against_undo(batch)]
        before = {one: one._base_manager.count() for one in targets}
        if found:
            with pytest.raises(errors.StillUsed) as refusal:
                undoing.undo(batch=batch, by=batch.created_by, clock=imports.clock)
            assert all(one in str(refusal.value) for one in found)
        assert {one: one._base_manager.count() for one in targets} == before
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA ignore_check_constraints = 0")
    return found


@pytest.mark.slow
@pytest.mark.skipif(
    connection.vendor != "sqlite", reason="Rows are planted as only SQLite lets one."
)
class TestEveryRelation:
    @pytest.mark.parametrize(("model", "field"), relations(ANSWERED))
    def test_to_answers_is_asked(self, model, field):
        found = told(model, field, ANSWERED)

        assert bool(found) != (f"{model._meta.label}.{field.name}" in HARMLESS)

    @pytest.mark.parametrize(("model", "field"), relations(GRADED))
    def test_to_grades_is_asked(self, model, field):
        found = told(model, field, GRADED)

        assert bool(found) != (f"{model._meta.label}.{field.name}" in HARMLESS)

    @pytest.mark.parametrize(("model", "field"), relations(ASKED))
    def test_to_questions_is_asked(self, model, field):
        found = told(model, field, ASKED)

        assert bool(found) != (f"{model._meta.label}.{field.name}" in HARMLESS)


def drawn_round(batch, number=7):
    return Round.objects.create(
        project=batch.project,
        number=number,
        name="Pilot",
        seed="s",
        secret=b"",
        n_seats=1,
        created_by=batch.created_by,
        created_at=make.NOW,
    )


def draft_round(batch, number=7):
    """Return a draft of a round that has drawn one response of an import."""
    response = Response.objects.filter(batch=batch).order_by("pk")[0]
    round_ = drawn_round(batch, number)
    RoundSystem.objects.create(round=round_, release=response.release)
    item = RoundItem.objects.create(round=round_, item=response.item, ordinal=1, n_seats=1)
    RoundResponse.objects.create(round_item=item, release=response.release, response=response)
    return round_


class TestAgainstUndo:
    def test_names_a_round_that_drew_from_it(self):
        batch = imports.apply(imports.answers())
        draft_round(batch)

        found = reasons.against_undo(batch)

        address = reverse("round", args=[batch.project.slug, 7])
        assert [(str(one), one.url) for one in found] == [("round 7 “Pilot”", address)]

    def test_names_a_few_rounds_and_counts_the_rest(self):
        batch = imports.apply(imports.answers())
        for number in range(1, reasons.NAMED + 3):
            draft_round(batch, number)

        found = [str(one) for one in reasons.against_undo(batch)]

        assert len(found) == reasons.NAMED + 1
        assert found[-1] == "further rounds: 2"

    def test_finds_nothing_in_what_nobody_uses(self):
        batch = imports.apply(imports.answers())

        assert reasons.against_undo(batch) == []


class TestInUse:
    def test_finds_only_what_is_used(self):
        batch = imports.apply(imports.answers())
        draft_round(batch)

        assert reasons.in_use(Response, batch).count() == 1
        assert ImportBatch.objects.get().state == applying.State.APPLIED
