"""How much may wait at a time: of one person, and in one project.

* Take a file into the database, and what a person decided of its columns.
* Kinds of files whose rows belong to another app: it hands in here how they are written.
* Write what was recorded elsewhere: openings of conversations as items, the whole as responses.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final, Protocol

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from annotation.common import names
from annotation.common import texts as contents
from annotation.files import mappings, shapes, wording
from annotation.files import stored as files
from annotation.files import stored as room
from annotation.files.asks import KIND, MEMBER, Told
from annotation.files.cells import BadFile, FileProblem, FileRecord
from annotation.files.columns import Target
from annotation.files.look import encodings
from annotation.files.look.layouts import FileColumn, Layout
from annotation.files.mappings import AnswerMapping, FileMapping, GradeMapping, QuestionMapping
from annotation.files.models import ImportBatch, ImportKind, Upload, UploadChunk, WholeKind
from annotation.files.pairs import PairMapping
from annotation.imports import grades, pairs, questions, recognising
from annotation.people import audit
from annotation.people.models import Project, User
from annotation.search import operations as searching
from annotation.systems.models import Item, Response
from evalsite import errors, panels

#: Large files that a worker has yet to read or to bring in.
FILES: Final = 4
#: Bytes of files that were handed in and not brought in: of one person so many of the largest.
HELD: Final = 4


class TooManyImports(errors.Refusal):
    """Others have to have their turn as well."""

    status = 429


def refuse_more_files(*, project: Project, by: User) -> None:
    """Refuse a further file where too much waits that was not brought in.

    Raises:
        TooManyImports: there is too much.
    """
    used = ImportBatch.objects.filter(upload=OuterRef("pk"))
    mine = Upload.objects.filter(~Exists(used), created_by=by)
    held = mine.aggregate(held=Coalesce(Sum("size"), 0))["held"]
    if held > HELD * settings.FILE_MOST:
        raise TooManyImports(
            _(
                "Your files that were not brought in hold %(held)d MB. Bring some of them in, or remove "
                "them under Imports, and try again."
            )
            % {"held": held // 1024**2}
        )


def refuse_more_work(*, upload: Upload) -> None:
    """Refuse to have a further large file read while too many wait.

    Raises:
        TooManyImports: there are too many of this person, or in this project.
    """
    if not upload.is_large:
        return
    waiting = _waiting().exclude(pk=upload.pk)
    if waiting.filter(created_by=upload.created_by_id).count() >= FILES:
        raise TooManyImports(
            _(
                "%(n)d large files of yours are being checked or brought in. Wait until one of them is "
                "done, and try again."
            )
            % {"n": FILES}
        )
    if waiting.filter(project=upload.project_id).count() >= FILES:
        raise TooManyImports(
            _(
                "%(n)d large files of this project are being checked or brought in. Wait until one of "
                "them is done, and try again."
            )
            % {"n": FILES}
        )


def _waiting() -> QuerySet[Upload]:
    """Return the large files that a worker has yet to deal with."""
    coming = ImportBatch.objects.filter(
        upload=OuterRef("pk"), state=ImportBatch.State.STAGED, stopped=""
    )
    large = Q(unpacked__isnull=True) | Q(unpacked__gt=Upload.SMALL)
    return Upload.objects.filter(large).filter(
        Q(report__running=True) | Q(wish=Upload.Wish.APPLY, report__ok=True) | Exists(coming)
    )


#: Files that are known by name and hold nothing that can be brought in, with the reason.
HELD_BACK: Final = {shapes.PREFERENCES: "holds_preferences", shapes.NOTHING: "holds_nothing"}
CHUNK = 1024 * 1024
#: After so many pieces it is looked whether the project may keep more.
LOOK_EVERY = 32

#: No file takes so long to arrive; one that has no checksum by then was cut off (a full disk, a kill).
HALF = timedelta(hours=6)


class HeldBack(errors.FileRefused):
    """A file is known by name, and holds nothing of which anything could be brought in."""


class StillNeeded(errors.Conflict): ...


class MappingIncomplete(errors.Invalid):
    """The mapping cannot be used; `problems` says why, column by column.

    `probably` is where columns without a place may belong, as a program writes it: only a person confirms it.
    """

    def __init__(self, problems: list[FileProblem], guessed: Mapping[str, str]) -> None:
        self.problems = problems
        open_ones = [one.column for one in problems if one.code == "column_without_target"]
        self.probably = {name: guessed[name] for name in open_ones if guessed.get(name)}
        said = [self._worded(problem) for problem in problems]
        fields = {
            problem.column or "mapping": [text]
            for problem, text in zip(problems, said, strict=True)
        }
        super().__init__(" ".join(said[:3]), fields=fields)

    def _worded(self, problem: FileProblem) -> str:
        """Return what is wrong, with what is probably meant."""
        said = wording.sentence(problem)
        meant = self.probably.get(problem.column)
        return f"{said} {_('Probably: %s.') % meant}" if meant else said


def receive(
    *,
    project: Project,
    kind: ImportKind | None,
    name: str,
    pieces: Iterable[bytes],
    by: User,
    now: datetime,
    told: Told | None = None,
) -> Upload:
    """Store a file and find out what it looks like; `told` is what a person says of it, by what is asked.

    Without a `kind` it has the one that its columns tell, or none until somebody says it.

    Raises:
        FileRefused: it is empty, too large as it is or unpacked, or nothing that can be brought in; or
            the project keeps as much as it may.
        limits.TooManyImports: too much of this person or project waits already.
    """
    upload = keep(project=project, kind=kind, name=name, pieces=pieces, by=by, now=now)
    try:
        upload.unpacked = files.weigh(upload)
        upload.told = _given(told or {})
        layout = _described(upload, upload.told)
        upload.layout = layout.as_dict()
        upload.kind = kind or recognising.kind_of(layout, project) or ""
    except BadFile as stop:
        discard(upload=upload)
        refusal = HeldBack if stop.problem.code in HELD_BACK.values() else errors.FileRefused
        raise refusal(wording.placed(stop.problem)) from stop
    except BaseException:
        discard(upload=upload)
        raise
    with transaction.atomic():
        upload.save(update_fields=["kind", "sha", "size", "unpacked", "layout", "told"])
        record(upload=upload, by=by, now=now)
    return upload


def keep(
    *,
    project: Project,
    kind: ImportKind | WholeKind | None,
    name: str,
    pieces: Iterable[bytes],
    by: User,
    now: datetime,
) -> Upload:
    """Store the bytes of a file. Nobody sees it until its checksum is saved and it is recorded.

    Raises:
        FileRefused: it is too large as it is, or the project keeps as much as it may.
        limits.TooManyImports: too much of this person or project waits already.
    """
    refuse_more_files(project=project, by=by)
    upload = _open(project, kind, names.of_file(name) or "file", by, now)
    try:
        _store(upload, pieces)
    except BaseException:
        discard(upload=upload)
        raise
    return upload


def record(*, upload: Upload, by: User, now: datetime) -> None:
    """Write down that a file came in."""
    audit.done(
        upload, "import.uploaded", by, now, kind=str(upload.kind), sha=upload.sha, size=upload.size
    )


def discard(*, upload: Upload) -> None:
    """Take a file away again, a few pieces at a time."""
    while ordinals := list(upload.chunks.values_list("pk", flat=True)[:20]):
        UploadChunk.objects.filter(pk__in=ordinals).delete()
    upload.delete()


def answer(*, upload: Upload, told: Told) -> None:
    """Keep what a person said of a file, beside what they said before; an empty answer takes one back.

    What changes how it is read makes its columns anew; the mapping stays where it still fits.

    Raises:
        FileRefused: it cannot be read so.
    """
    merged = _given({**upload.told, **told})
    if merged == upload.told:
        return
    try:
        layout = _described(upload, merged)
    except BadFile as stop:
        raise errors.FileRefused(wording.placed(stop.problem)) from stop
    before = [column.name for column in files.layout_of(upload).columns]
    upload.told, upload.layout, upload.report = merged, layout.as_dict(), None
    if MEMBER in told and KIND not in merged:  # another file, which may be of another kind
        upload.kind = recognising.kind_of(layout, upload.project) or ""
    if [column.name for column in layout.columns] != before:
        upload.mapping, upload.mapping_sha = None, ""
    elif upload.mapping:
        upload.mapping_sha = mappings.sha_of(upload.mapping, merged)
    upload.save(update_fields=["told", "kind", "layout", "mapping", "mapping_sha", "report"])


def _described(upload: Upload, told: Told) -> Layout:
    """Return how a file is written.

    Raises:
        BadFile: it cannot be read, or holds what cannot be brought in yet, told by its maker's name.
    """
    layout = files.describe(upload, told)
    shape = layout.known_shape
    if shape is not None and shape.kind in HELD_BACK:
        raise BadFile(HELD_BACK[shape.kind], name=shape.name)
    return layout


def _given(told: Told) -> dict[str, str]:
    return {key: said for key, said in sorted(told.items()) if said}


def forget_halves(*, now: datetime) -> int:
    """Take away files that never arrived whole, of which nobody can see anything; return how many."""
    halves = list(Upload.objects.filter(sha="", created_at__lt=now - HALF))
    for one in halves:
        discard(upload=one)
    return len(halves)


def throw_away(*, upload: Upload, by: User, now: datetime) -> None:
    """Take away a file that nothing was imported from.

    Raises:
        StillNeeded: an import came of it, and may be undone and applied again.
    """
    if upload.batches.exists():
        raise StillNeeded(_("An import was made of this file; it stays with the import."))
    audit.done(upload, "import.discarded", by, now, sha=upload.sha)
    discard(upload=upload)


@transaction.atomic
def set_mapping(*, upload: Upload, mapping: FileMapping) -> Upload:
    """Record where the columns of a file go. A new mapping has not been tried yet.

    Raises:
        MappingIncomplete: the mapping leaves a column out, or cannot work.
    """
    if faults := faults_of(upload=upload, mapping=mapping):
        guessed = {column.name: guess.written for column, guess in recognising.guesses(upload)}
        raise MappingIncomplete(faults, guessed)
    upload.mapping = mapping.as_dict()
    upload.mapping_sha = mappings.sha_of(upload.mapping, upload.told)
    upload.report = None
    upload.save(update_fields=["mapping", "mapping_sha", "report"])
    return upload


def faults_of(*, upload: Upload, mapping: FileMapping) -> list[FileProblem]:
    """Return why a file cannot be checked by a mapping yet."""
    layout = files.layout_of(upload)
    faults = mapping.faults(column.name for column in layout.columns)
    answered = {column.name for column in layout.columns if column.is_answered}
    if isinstance(mapping, AnswerMapping) and mapping.lacks_system(answered):
        faults.append(FileProblem("no_system_column"))
    if layout.doubtful:
        faults.insert(0, encodings.unsure(layout).problem)
    faults += [FileProblem("not_answered", found=one.key) for one in layout.open_asks()]
    if isinstance(mapping, GradeMapping) and _needs_no_scale(layout, mapping):
        faults = [one for one in faults if one.code != "bad_scale"]
    named = mapping.rubric if isinstance(mapping, GradeMapping) else ""
    if named and grades.version_of(upload.project, named) is None:
        faults.append(FileProblem("unknown_rubric", found=named))
    elif named and grades.asks_for_choices(upload.project, named):
        faults.append(FileProblem("rubric_of_choices", found=named))
    if isinstance(mapping, PairMapping):
        faults += pairs.faults_of(upload.project, mapping)
    if isinstance(mapping, QuestionMapping):
        faults += questions.faults_of(upload.project, mapping)
    return faults


def _needs_no_scale(layout: Layout, mapping: GradeMapping) -> bool:
    """Say whether a rubric is to be made without a scale, of grades that are no numbers so far."""
    if mapping.new_rubric is None or mapping.new_rubric.has_scale:
        return False
    places = {one.column for one in mapping.places if one.target in {Target.VALUE, Target.GRADE}}
    given = [one for one in layout.columns if one.name in places and one.n_filled]
    return bool(given) and not any(one.n_numbers for one in given)


def keep_unfinished(*, upload: Upload, mapping: Mapping[str, Any]) -> None:
    """Keep what was said of a file so far; it cannot be checked by that, and nothing comes of it.

    Args:
        mapping: as `FileMapping.as_dict` has it; what was not said yet may be missing.
    """
    upload.mapping, upload.mapping_sha, upload.report = dict(mapping), "", None
    upload.save(update_fields=["mapping", "mapping_sha", "report"])


def say_kind(*, upload: Upload, kind: ImportKind) -> None:
    """Take a file for one of another kind; where its columns go has to be said anew."""
    upload.told = _given({**upload.told, KIND: kind})
    if upload.kind != kind:
        upload.kind, upload.mapping, upload.mapping_sha, upload.report = kind, None, "", None
    upload.save(update_fields=["kind", "told", "mapping", "mapping_sha", "report"])


def find_columns(*, upload: Upload, names: Iterable[str], whole: bool = True) -> list[str]:
    """Look for columns that a program names and the beginning of a file has not; return the missing.

    What is declared holds for the whole file: in JSON a column may come up further down. A file that
    must not be read to its end here (`whole`) is believed to have it.
    """
    layout = files.layout_of(upload)
    wanted = set(names) - {column.name for column in layout.columns}
    if wanted and whole:
        found = wanted & files.names_of(upload)
    else:
        found = wanted if layout.format in {"lines", "list"} else set()
    add_columns(upload=upload, names=sorted(found))
    return sorted(wanted - found)


def no_column(*, upload: Upload, names: Iterable[str]) -> str:
    """Return the sentence that says that a file has no such column, and which ones it has."""
    return _("No column is called %(names)s. The file has: %(known)s.") % {
        "names": ", ".join(names),
        "known": ", ".join(column.name for column in files.layout_of(upload).columns),
    }


@transaction.atomic
def add_columns(*, upload: Upload, names: Iterable[str]) -> None:
    """Offer columns for mapping that only came up further down in the file."""
    layout = files.layout_of(upload)
    known = {column.name for column in layout.columns}
    more = tuple(FileColumn(name) for name in dict.fromkeys(names) if name not in known)
    if more:
        upload.layout = replace(layout, columns=layout.columns + more).as_dict()
        upload.save(update_fields=["layout"])


@transaction.atomic
def _open(
    project: Project, kind: ImportKind | WholeKind | None, name: str, by: User, now: datetime
) -> Upload:
    Project.objects.select_for_update().get(pk=project.pk)
    last = Upload.objects.filter(project=project).aggregate(last=Max("number"))["last"]
    return Upload.objects.create(
        project=project,
        number=(last or 0) + 1,
        kind=kind or "",
        name=name,
        sha="",
        size=0,
        created_by=by,
        created_at=now,
    )


def _store(upload: Upload, pieces: Iterable[bytes]) -> None:
    most = settings.FILE_MOST
    digest, buffer, ordinal = hashlib.sha256(), b"", 0
    for piece in pieces:
        upload.size += len(piece)
        if upload.size > most:
            raise errors.FileRefused(
                _("The file is larger than %(most)d MB. Split it into several files.")
                % {"most": most // 1024**2}
            )
        digest.update(piece)
        buffer += piece
        while len(buffer) >= CHUNK:
            _check_room(upload, ordinal)
            _write(upload, ordinal, buffer[:CHUNK])
            buffer, ordinal = buffer[CHUNK:], ordinal + 1
    if buffer:
        _check_room(upload, ordinal)
        _write(upload, ordinal, buffer)
    upload.sha = digest.hexdigest()


def _check_room(upload: Upload, ordinal: int) -> None:
    """Look now and then whether the project may keep more; others may be handing in files as well."""
    if ordinal % LOOK_EVERY == 0 and (problem := room.trouble(upload.project)):
        raise errors.FileRefused(problem)


def _write(upload: Upload, ordinal: int, data: bytes) -> None:
    # Each piece is a transaction of its own: others write in between.
    UploadChunk.objects.create(upload=upload, ordinal=ordinal, data=data)


class KindWriter(Protocol):
    """What knows how to write one kind of file."""

    def remember(self, records: list[FileRecord]) -> None: ...
    def prepare(self, records: list[FileRecord]) -> Any: ...
    def write(self, prepared: Any) -> dict[str, int]: ...
    def finish(self, now: datetime) -> None: ...


class FirstRows(Protocol):
    """Makes what has to be there before the first row is written, within one transaction."""

    def __call__(
        self, *, batch: ImportBatch, report: dict[str, Any], by: User, now: datetime
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class Supplied:
    """How a kind of file is written, and taken away again: leaves first."""

    begin: FirstRows
    writer: Callable[[ImportBatch, Any], KindWriter]
    layers: Callable[[ImportBatch], "Iterable[QuerySet[Any]]"]


def supplied_for(kind: str) -> Supplied | None:
    """Return how another app writes a kind of file; None for one that is read here."""
    return panels.supplied("files_written").get(kind)


def layers(batch: ImportBatch) -> "Iterator[QuerySet[Any]]":
    """Yield what another app has to take away; nothing for files that are read here."""
    if how := supplied_for(batch.kind):
        yield from how.layers(batch)


Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ConversationRecord:
    """A conversation: what was there before a system said anything, and all that was said."""

    external_id: str
    opening: Sequence[Message]
    messages: Sequence[Message]
    details: Mapping[str, Any] = field(default_factory=dict)


def record_recording(
    *, project: Project, release_id: int, records: Sequence[ConversationRecord], now: datetime
) -> list[int]:
    """Store conversations, and return the key of each one's response; what is there stays as it is.

    Rounds do not draw these items by themselves. In the caller's transaction.
    """
    items = _items(project, records, now)
    shas = [contents.response_sha([dict(each) for each in one.messages]) for one in records]
    known = _responses(items, release_id)
    new: dict[tuple[int, str], Response] = {}
    for one, item, sha in zip(records, items, shas, strict=True):
        if (item, sha) not in known:
            new[item, sha] = Response(
                item_id=item,
                release_id=release_id,
                content_sha=sha,
                messages=[dict(each) for each in one.messages],
                origin=Response.Origin.RECORDED,
                details=dict(one.details),
                created_at=now,
            )
    searching.keep_responses(responses=Response.objects.bulk_create(new.values()))
    keys = known | {key: made.pk for key, made in new.items()}
    return [keys[item, sha] for item, sha in zip(items, shas, strict=True)]


def _items(project: Project, records: Sequence[ConversationRecord], now: datetime) -> list[int]:
    """Return the key of each record's item, made where it is not there."""
    shas = [contents.content_sha([dict(each) for each in one.opening], "", {}) for one in records]
    wanted = [(one.external_id, sha) for one, sha in zip(records, shas, strict=True)]
    rows = Item.objects.filter(
        project=project, question_version=None, external_id__in={name for name, _sha in wanted}
    )
    known = {
        (name, sha): pk for pk, name, sha in rows.values_list("pk", "external_id", "content_sha")
    }
    new: dict[tuple[str, str], Item] = {}
    for one, key in zip(records, wanted, strict=True):
        if key not in known:
            opening = [dict(each) for each in one.opening]
            new[key] = Item(
                project=project,
                external_id=one.external_id,
                content_sha=key[1],
                prompt_sha=contents.prompt_sha(opening),
                group=one.external_id,
                messages=opening,
                created_at=now,
                published_at=now,
            )
    Item.objects.bulk_create(new.values())
    keys = known | {key: made.pk for key, made in new.items()}
    return [keys[key] for key in wanted]


def _responses(items: Sequence[int], release_id: int) -> dict[tuple[int, str], int]:
    rows = Response.objects.filter(item__in=set(items), release=release_id, sample_no=1)
    return {(item, sha): pk for pk, item, sha in rows.values_list("pk", "item_id", "content_sha")}
