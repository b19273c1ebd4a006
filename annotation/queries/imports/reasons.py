"""Why an import cannot be undone: what came later and stands on its rows."""

from dataclasses import dataclass
from typing import Any

from django.db.models import CASCADE, SET_NULL, F, Model, Q
from django.utils.translation import gettext as _

from annotation.models import (
    Display,
    Grade,
    ImportBatch,
    ImportKind,
    IndexedText,
    Item,
    Question,
    QuestionComment,
    QuestionVersion,
    Remark,
    Response,
    Round,
    RoundItem,
    RoundResponse,
    RoundRubric,
    RoundSystem,
    System,
    SystemRelease,
)

#: What an import brings, in the order in which it can be taken away again.
BROUGHT: tuple[type[Model], ...] = (Response, Item, SystemRelease, System)
#: What goes with them and keeps nobody from an undo.
_CACHES = (Display, IndexedText)
#: What an import of grades makes below its round.
_OF_ROUND = (RoundItem, RoundRubric, RoundSystem)


@dataclass(frozen=True)
class Reason:
    """So many rows of a kind that refer to what the import brought."""

    what: str
    n_rows: int

    def __str__(self) -> str:
        return f"{self.what}: {self.n_rows}"


def against_undo(batch: ImportBatch) -> list[Reason]:
    """Return what uses the rows of an import; nothing if it can be undone."""
    found = [
        reason for model in BROUGHT for reason in _users(model, Q(batch=batch), batch, _CACHES)
    ]
    if batch.kind == ImportKind.QUESTIONS:
        found += _against_questions(batch)
    found += _users(Grade, Q(batch=batch), batch, (Remark,))
    remarks = Remark.objects.filter(grade__batch=batch).exclude(rater=F("grade__rater"))
    if n_rows := remarks.count():
        found.append(Reason(_("remarks made later"), n_rows))
    own = Q(batch=batch)
    found += _users(Round, own, batch, _OF_ROUND)
    found += _users(RoundItem, Q(round__batch=batch), batch, (RoundResponse,))
    return [reason for reason in found if reason.n_rows]


def _against_questions(batch: ImportBatch) -> list[Reason]:
    """Return what keeps drafts from being taken back: people have gone on with them."""
    drafts = QuestionVersion.objects.filter(batch=batch)
    handed_in = drafts.exclude(state=QuestionVersion.State.DRAFT)
    edited = drafts.filter(state=QuestionVersion.State.DRAFT, rev__gt=0)
    found = [
        Reason(_("questions that were handed in"), handed_in.count()),
        Reason(_("drafts that were edited"), edited.count()),
    ]
    for model in (Question, QuestionVersion):
        found += _users(model, Q(batch=batch), batch, _going_along(model))
    # A comment on a version is one on its question, too.
    most = {one.what: one for one in sorted(found, key=lambda one: one.n_rows)}
    return list(most.values())


def _going_along(model: type[Model]) -> tuple[type[Model], ...]:
    """Return what a question takes with it, or leaves behind unharmed, such as its citations."""
    return tuple(
        relation.related_model
        for relation in model._meta.related_objects
        if relation.on_delete in {CASCADE, SET_NULL}
    )


def _users(
    model: type[Model], rows: Q, batch: ImportBatch, harmless: tuple[type[Model], ...]
) -> list[Reason]:
    """Count the rows of every table that refer to some of these rows and are not of the import."""
    found = []
    for relation in model._meta.related_objects:
        user: Any = relation.related_model
        if issubclass(user, harmless):
            continue
        field = relation.field.name
        using = user._base_manager.filter(**{f"{field}__in": model._base_manager.filter(rows)})
        using = using.exclude(_mine(user, batch))
        found.append(Reason(str(user._meta.verbose_name_plural), using.count()))
    return found


def _mine(user: type[Model], batch: ImportBatch) -> Q:
    """What came with the import itself."""
    fields = user._meta.get_fields()
    if any(one.name == "batch" and one.related_model is ImportBatch for one in fields):
        return Q(batch=batch)
    if user in {RoundSystem, RoundItem, RoundRubric}:
        return Q(round__batch=batch)
    if user is RoundResponse:
        return Q(round_item__round__batch=batch)
    if user is QuestionComment:  # the notes of the file
        return Q(question__batch=batch, author=batch.created_by, at=batch.created_at)
    return Q(pk__in=())
