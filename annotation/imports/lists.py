"""What the pages of imports show.

* Why an import cannot be undone: what came later and stands on its rows.
"""

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import CASCADE, SET_NULL, Exists, F, Model, OuterRef, Q, QuerySet
from django.db.models.fields.json import KeyTextTransform
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from annotation.bank.models import MachineDraft, Question, QuestionComment, QuestionVersion
from annotation.files.cells import FileProblem
from annotation.files.models import ImportBatch, ImportKind, Upload, UploadProblems, WholeKind
from annotation.grading.models import Grade, Remark
from annotation.people.models import Project, User
from annotation.qualification.models import Trial
from annotation.rounds.models import (
    Assignment,
    IdentityHit,
    Manifest,
    Round,
    RoundAnnotator,
    RoundItem,
    RoundResponse,
    RoundRubric,
    RoundSystem,
    Unblinding,
)
from annotation.systems.models import Display, Item, Response, System, SystemRelease

PAGE = 30
QUIET_SECONDS = 60


@dataclass(frozen=True)
class BatchPage:
    batches: list[ImportBatch]
    older: int | None

    @property
    def older_query(self) -> str:
        return f"?before={self.older}"


@dataclass(frozen=True)
class ImportProgress:
    """How far an import is, and when it will be there."""

    done: int
    total: int
    rate: float
    seconds_left: int | None
    moving: bool


def list_batches(project: Project, before: int | None = None, of: User | None = None) -> BatchPage:
    """Return a page of imports, the newest first, from below a number on.

    Args:
        of: only the questions that this person brought in.
    """
    rows = ImportBatch.objects.filter(_of(of), project=project)
    rows = rows.select_related("created_by__person")
    if before is not None:
        rows = rows.filter(number__lt=before)
    found = list(rows.defer("mapping").order_by("-number")[: PAGE + 1])
    older = found[PAGE - 1].number if len(found) > PAGE else None
    return BatchPage(found[:PAGE], older)


def list_waiting(project: Project, of: User | None = None) -> list[Upload]:
    """Return files that were handed in and not imported yet, the newest ones."""
    used = ImportBatch.objects.filter(upload=OuterRef("pk"))
    rows = uploads(project, of).filter(~Exists(used))
    return list(
        rows.select_related(None)
        .select_related("created_by__person")
        .defer("layout", "mapping", "report")
        .annotate(refused=KeyTextTransform("refused", "report"))
        .order_by("-number")[:PAGE]
    )


def applied_twin(upload: Upload) -> ImportBatch | None:
    """Return the import of the same file under the same mapping, if it is applied."""
    return ImportBatch.objects.filter(
        project_id=upload.project_id,
        file_sha=upload.sha,
        mapping_sha=upload.mapping_sha,
        state=ImportBatch.State.APPLIED,
    ).first()


def changed_since(upload: Upload) -> bool:
    """Say whether an import of the project was applied or undone after a file was checked."""
    checked_at = parse_datetime((upload.report or {}).get("checked_at") or "")
    if checked_at is None:
        return False
    later = Q(applied_at__gt=checked_at) | Q(undone_at__gt=checked_at)
    others = ImportBatch.objects.filter(later, project=upload.project_id)
    return others.exclude(upload=upload).exists()


def uploads(project: Project, of: User | None = None) -> QuerySet[Upload]:
    """Return the files whose rows are brought in; of some nobody has said yet what they hold."""
    rows = Upload.objects.filter(_of(of), project=project, kind__in=["", *ImportKind.values])
    return rows.exclude(sha="").select_related("project")


def wholes(project: Project) -> QuerySet[Upload]:
    """Return the files that a worker reads whole, and those that it has read within a day."""
    rows = Upload.objects.filter(project=project, kind__in=WholeKind.values)
    return rows.exclude(sha="").order_by("-number")


def taken_on(project: Project) -> QuerySet[Upload]:
    """Return the files that a worker goes on with by itself, whatever is in them."""
    return Upload.objects.filter(project=project).exclude(sha="").exclude(wish="")


def batches(project: Project, of: User | None = None) -> QuerySet[ImportBatch]:
    rows = ImportBatch.objects.filter(_of(of), project=project)
    return rows.select_related("project", "upload", "created_by__person")


def problems(upload: Upload) -> list[FileProblem]:
    """Return the problems that the last check found and kept."""
    if not upload.report or upload.report.get("running"):
        return []
    kept = UploadProblems.objects.filter(upload=upload).first()
    found = json.loads(zlib.decompress(kept.data)) if kept else upload.report["problems"]
    return [FileProblem.from_dict(one) for one in found]


def _of(person: User | None) -> Q:
    """Return the condition of what a designer may know of; of everything for nobody."""
    return Q() if person is None else Q(created_by=person, kind=ImportKind.QUESTIONS)


def round_of(batch: ImportBatch) -> Round | None:
    return Round.objects.filter(batch=batch).first()


def progress(batch: ImportBatch, now: datetime) -> ImportProgress:
    spent = max((batch.touched_at - batch.created_at).total_seconds(), 0.001)
    rate = batch.cursor / spent if spent > 1 else 0.0
    left = round((batch.n_rows - batch.cursor) / rate) if rate else None
    quiet = (now - batch.touched_at).total_seconds() > QUIET_SECONDS
    staged = batch.state == ImportBatch.State.STAGED
    return ImportProgress(
        batch.cursor, batch.n_rows, rate, left, staged and not quiet and not batch.stopped
    )


#: What an import brings, in the order in which it can be taken away again.
BROUGHT: tuple[type[Model], ...] = (Response, Item, SystemRelease, System)
#: What goes along with the rows it shows, although the database would keep them for it.
_GOES: tuple[type[Model], ...] = (Display,)
#: What stays, although the database would let it go along: people made it.
_STAYS = (Assignment, IdentityHit, MachineDraft, Manifest, RoundAnnotator, Trial, Unblinding)
#: What a round is made of: where one of these uses a row, it is the round that does.
_OF_ROUND = (RoundItem, RoundResponse, RoundRubric, RoundSystem)
#: How many rounds are named.
NAMED = 5


@dataclass(frozen=True)
class StillUsedRows:
    """So many rows of a kind that refer to what the import brought, and where one may look at it."""

    what: str
    n_rows: int
    url: str = ""

    def __str__(self) -> str:
        return self.what if self.url else f"{self.what}: {self.n_rows}"


@dataclass(frozen=True)
class RowUse:
    """A relation by which rows of another kind may use those of an import."""

    model: type[Model]
    field: str
    user: type[Model]
    #: Whether rows that use it keep it; else they go along, or let go of it.
    keeps: bool


def uses_of(model: type[Model]) -> Iterator[RowUse]:
    """Yield every relation to a model, hidden ones too; not those that let go by themselves."""
    for relation in model._meta.get_fields(include_hidden=True):
        if not relation.auto_created or relation.concrete or relation.many_to_many:
            continue
        user: Any = relation.related_model
        if relation.on_delete is SET_NULL:  # type: ignore[union-attr]
            continue
        keeps = relation.on_delete is not CASCADE or user in _STAYS  # type: ignore[union-attr]
        field: Any = relation.field  # type: ignore[union-attr]
        yield RowUse(model, field.name, user, keeps and user not in _GOES)


def against_undo(batch: ImportBatch) -> list[StillUsedRows]:
    """Return what uses the rows of an import; nothing if it can be undone."""
    counted: dict[type[Model], int] = {}
    rounds: set[int] = set()
    for model, rows in _brought_by(batch):
        for user, using in _users(model, rows, batch):
            if user in _OF_ROUND:
                rounds.update(using.values_list(_path_to_round(user), flat=True).distinct())
            else:  # what refers by two ways is told once
                counted[user] = max(counted.get(user, 0), using.count())
    found = [*_named(batch, rounds)]
    found += [StillUsedRows(str(one._meta.verbose_name_plural), n) for one, n in counted.items()]
    return [one for one in [*found, *_worked_on(batch)] if one.n_rows]


def in_use(model: type[Model], batch: ImportBatch) -> "QuerySet[Any]":
    """Return the rows of a kind that an import brought and something else uses by now."""
    rows = Q(batch=batch)
    used = Q(pk__in=())
    for use in uses_of(model):
        for keeping in _keeping(use, rows, batch):
            used |= Q(pk__in=keeping)
    return model._base_manager.filter(rows & used)


def _brought_by(batch: ImportBatch) -> Iterator[tuple[type[Model], Q]]:
    own = Q(batch=batch)
    yield from ((model, own) for model in BROUGHT)
    yield Grade, own
    yield Round, own
    yield RoundItem, Q(round__batch=batch)
    yield RoundResponse, Q(round_item__round__batch=batch)
    yield Remark, Q(grade__batch=batch, rater=F("grade__rater"))
    if batch.kind == ImportKind.QUESTIONS:
        yield Question, own
        yield QuestionVersion, own


def _worked_on(batch: ImportBatch) -> Iterator[StillUsedRows]:
    """Yield what people have made of the rows that came, without another row that refers to them."""
    later = Remark.objects.filter(grade__batch=batch).exclude(rater=F("grade__rater"))
    yield StillUsedRows(_("remarks made later"), later.count())
    if batch.kind == ImportKind.QUESTIONS:
        drafts = QuestionVersion.objects.filter(batch=batch)
        handed_in = drafts.exclude(state=QuestionVersion.State.DRAFT)
        yield StillUsedRows(_("submitted questions"), handed_in.count())
        edited = drafts.filter(state=QuestionVersion.State.DRAFT, rev__gt=0)
        yield StillUsedRows(_("drafts that were edited"), edited.count())


def _users(
    model: type[Model], rows: Q, batch: ImportBatch
) -> "Iterator[tuple[type[Model], QuerySet[Any]]]":
    """Yield by kind the rows that keep some rows of an import and did not come with it."""
    for use in uses_of(model):
        if use.keeps:
            yield use.user, _using(use, rows, batch)
            continue
        # What goes along may itself be used: that keeps it, and so the row of the import.
        along = Q(**{f"{use.field}__in": model._base_manager.filter(rows)})
        yield from _users(use.user, along, batch)


def _keeping(use: RowUse, rows: Q, batch: ImportBatch) -> "Iterator[QuerySet[Any, Any]]":
    """Yield the keys of rows of an import that one relation keeps."""
    if use.keeps:
        yield _using(use, rows, batch).values(use.field)
        return
    along = Q(**{f"{use.field}__in": use.model._base_manager.filter(rows)})
    for further in uses_of(use.user):
        for keys in _keeping(further, along, batch):
            yield use.user._base_manager.filter(pk__in=keys).values(use.field)


def _using(use: RowUse, rows: Q, batch: ImportBatch) -> "QuerySet[Any]":
    using = use.user._base_manager.filter(
        **{f"{use.field}__in": use.model._base_manager.filter(rows)}
    )
    return using.exclude(_mine(use.user, batch))


def _mine(user: type[Model], batch: ImportBatch) -> Q:
    """What came with the import itself."""
    fields = user._meta.get_fields()
    if any(one.name == "batch" and one.related_model is ImportBatch for one in fields):
        return Q(batch=batch)
    if user in {RoundSystem, RoundItem, RoundRubric}:
        return Q(round__batch=batch)
    if user is RoundResponse:
        return Q(round_item__round__batch=batch)
    if user is Remark:  # those made later are told by themselves
        return Q(grade__batch=batch)
    if user is QuestionComment:  # the notes of the file
        return Q(question__batch=batch, author=batch.created_by, at=batch.created_at)
    return Q(pk__in=())


def _path_to_round(model: type[Model]) -> str:
    return "round_item__round" if model is RoundResponse else "round"


def _named(batch: ImportBatch, rounds: set[int]) -> Iterator[StillUsedRows]:
    """Yield the first rounds that use an import, by number and name, and how many more there are."""
    rows = Round.objects.filter(pk__in=rounds).order_by("number")
    for one in rows[:NAMED]:
        words = _("round %(number)d “%(name)s”") % {"number": one.number, "name": one.name}
        yield StillUsedRows(words, 1, reverse("round", args=[batch.project.slug, one.number]))
    if len(rounds) > NAMED:
        yield StillUsedRows(_("further rounds"), len(rounds) - NAMED)
