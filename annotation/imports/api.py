"""What was brought in, as JSON: the list, one import with how far it is, and taking it back.

* What is sent with a file: where its columns go, and what holds where no column says so.
* Files by API, each kind of file at its address: checked, or brought in at once.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, make_dataclass
from datetime import datetime
from typing import Annotated, Any, Final, get_type_hints

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework.decorators import parser_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.response import Response

from annotation.files.asked import AskedFile
from annotation.files.mappings import ColumnTarget, FileMapping, written_place
from annotation.files.models import ImportBatch, ImportKind, Upload
from annotation.imports import lists, recognising, undoing, uploading
from annotation.imports import operations as at_once
from annotation.imports import places as surveys
from annotation.imports.checks import MAPPINGS
from annotation.imports.kind_forms import OFFERS
from annotation.people import permissions
from annotation.people.middleware import in_steps
from annotation.people.permissions import Scope, door
from evalsite.contract.calls import as_form, contract, get, post, taken, taken_on, whole
from evalsite.contract.shapes import ANYTHING, maybe, one_of, page, said, shape
from evalsite.kinds import ByName, Choice, File, Json, Moment, Text, Whole, YesNo, choice
from evalsite.kinds import gettext_noop as _
from evalsite.records import Ask, KeptAs, Record, parts, told

#: The field of a mapping that says where columns go; programs send `columns`.
PLACES: Final = "places"
ACTS = {"undo": undoing.undo, "drop": undoing.drop}


@dataclass(frozen=True, kw_only=True)
class ImportLineOut(Record):
    number: Annotated[int, Whole()]
    kind: Annotated[str, choice(ImportKind)]
    file_name: Annotated[str, Text()]
    file_sha: Annotated[str, Text()]
    state: Annotated[str, choice(ImportBatch.State)]
    stopped: Annotated[str, Text()]
    rows: Annotated[int, Whole(), KeptAs("n_rows")]
    counts: Annotated[Mapping[str, Any], Json()]
    by: Annotated[str, Text(), KeptAs("created_by.display_name")]
    created_at: Annotated[datetime, Moment()]
    applied_at: Annotated[datetime, Moment()] | None
    undone_at: Annotated[datetime, Moment()] | None


@dataclass(frozen=True, kw_only=True)
class ImportsActIn(Record):
    """`undo` takes back an applied import, `drop` one that stopped; `resume` lets that one go on."""

    act: Annotated[str, Choice((*ACTS, "resume"))]


IMPORT = shape(
    "Import",
    ImportLineOut,
    done=said(int, "Of `rows`, how many are written."),
    round=said(maybe(int), "The number of the round that imported grades or preferences became."),
    against_undo=said([str], "Why it cannot be taken back, if so."),
)


@contract(get(page(ImportLineOut), query=[whole("before", "Only imports of a smaller number.")]))
@door(permissions.CURATORS)
def imports(request: HttpRequest, scope: Scope) -> Response:
    """Return a page of imports, the newest first."""
    before = request.GET.get("before", "")
    found = lists.list_batches(scope.project, int(before) if before.isdecimal() else None)
    return Response(
        {
            "results": [told(ImportLineOut, one) for one in found.batches],
            "next": found.older_query if found.older is not None else None,
        }
    )


@contract(
    get(IMPORT, "Return an import: how far it is, what it brought, and what prevents undoing it."),
    post(IMPORT, "Undo an import, or resume one that stopped.", takes=ImportsActIn),
)
@door(permissions.CURATORS)
def import_(request: HttpRequest, scope: Scope, number: int) -> Response:
    found = get_object_or_404(lists.batches(scope.project), number=number)
    if request.method == "POST":
        act = taken(ImportsActIn, request).act
        if act == "resume":
            at_once.resume(batch=found, **scope.who())
        else:
            ACTS[act](batch=found, by=scope.user, clock=timezone.now)
        found = lists.batches(scope.project).get(pk=found.pk)
    return Response(_whole(found))


def _whole(found: ImportBatch) -> dict[str, Any]:
    applied = found.state == ImportBatch.State.APPLIED
    round_ = lists.round_of(found) if applied else None
    return {
        **told(ImportLineOut, found),
        "done": lists.progress(found, timezone.now()).done,
        "round": round_.number if round_ else None,
        "against_undo": [str(one) for one in lists.against_undo(found)] if applied else [],
    }


@dataclass(frozen=True, kw_only=True)
class ImportFileIn(Record):
    """A file; `columns` says where columns go that are not called as expected, as JSON."""

    file: Annotated[Any, File()]
    encoding: Annotated[str, Text(40), Ask(help=_("Such as windows-1252."))] = ""
    answers: Annotated[
        Mapping[str, str],
        ByName(),
        Ask(
            help=_(
                "What only a person can say of the file by the key of the question, as JSON, such as "
                '{"date_order": "day"}. What is not answered and has no suggestion is refused with the '
                "code `needs_answer`, and `fields` has the questions by their keys."
            )
        ),
    ] = field(default_factory=dict)
    columns: Annotated[Mapping[str, str], ByName()] = field(default_factory=dict)
    only_check: Annotated[bool, YesNo()] = False

    def told(self) -> dict[str, str]:
        """Return what was answered of the file, by the key of the question."""
        said = {"encoding": self.encoding, **self.answers}
        return {key: answer for key, answer in said.items() if answer}


#: What a column of one mark or answer each may be called besides.
WIDE: Final = {
    ImportKind.ANSWERS: "`answer:SYSTEM:RELEASE` says whose answers stand in it.",
    ImportKind.GRADES: "`grade:RATER:CRITERION:SYSTEM` says whose grades of what.",
    ImportKind.SCORES: "`score:JUDGE:CRITERION` says whose scores of what.",
}


def body_of(kind: ImportKind, called: str) -> type[ImportFileIn]:
    """Return what is sent with a file of a kind: the file, and what holds for all of it."""
    mapping = MAPPINGS[kind]
    hints = get_type_hints(mapping, include_extras=True)
    names = ", ".join(one.value for one in OFFERS[kind].targets)
    text = f'{{"name of a column": "what it holds"}}, as JSON. It may hold: {names}.'
    columns = Annotated[
        Mapping[str, str], ByName(), Ask(help=f"{text} {WIDE.get(kind, '')}".strip())
    ]
    asked = {one.name for one in parts(mapping) if one.kind or (one.record and one.name != PLACES)}
    of_all: list[Any] = [
        (one.name, hints[one.name], field(default=one.default, default_factory=one.default_factory))
        for one in fields(mapping)
        if one.name in asked
    ]
    return make_dataclass(
        called,
        [("columns", columns, field(default_factory=dict)), *of_all],
        bases=(ImportFileIn,),
        namespace={"__doc__": mapping.__doc__},
        frozen=True,
        kw_only=True,
    )


def _mapping(kind: ImportKind, sent: ImportFileIn, upload: Upload) -> FileMapping:
    """Return where each column goes, as was said, else where it surely belongs; and what else was sent."""
    said = sent.columns
    places = tuple(
        written_place(column.name, said[column.name], guess)
        if column.name in said
        else ColumnTarget(column.name, guess.target, guess.system, "", guess.rater, guess.criterion)
        for column, guess in recognising.guesses(upload)
        if column.name in said or guess.sure
    )
    own = {one.name for one in parts(type(sent))} - {one.name for one in parts(ImportFileIn)}
    mapping = MAPPINGS[kind](places, **{name: getattr(sent, name) for name in own})
    return surveys.filled(upload, mapping, whole=not upload.is_large)


ASKED = shape(
    "ImportAsked",
    key=said(str, "Names the question within the file; `answers` has the answer under it."),
    question=str,
    text=str,
    options=said(
        [shape("ImportOption", value=str, label=str)],
        "What may be answered; none where any text may be.",
    ),
    answer=said(
        str, "What was answered, or is taken until somebody says otherwise; empty if open."
    ),
)
BROUGHT_IN = shape(
    "BroughtIn",
    import_=said(maybe(int), "The number of the import; null where it was only checked."),
    state=maybe(str),
    stopped=str,
    counts={str: ANYTHING},
    asks=said([ASKED], "What was asked of the file, and what it was read by."),
    left_out=said(int, "Rows that were left out, because `broken` was answered so."),
)
FILE_READ = shape(
    "ImportFile",
    number=int,
    name=str,
    state=said(
        one_of(
            "checking",
            "needs_answer",
            "refused",
            "checked",
            "waiting",
            "importing",
            "imported",
            "stopped",
        ),
        "`checking` until a worker has read it. Then `needs_answer`, with `asks`: send it again with "
        "`answers`; or `refused`, with `problems`; `checked`, where only that was asked for; else "
        "`waiting` for another import of the project, `importing`, and `imported` or `stopped`.",
    ),
    rows=said(int, "How many were read so far."),
    import_=said(maybe(int), "The number of the import, once it has begun."),
    counts={str: ANYTHING},
    problems=said({str: [str]}, "What is wrong with it, by line; at most 100 lines."),
    asks=said([ASKED], "What is asked of it."),
)
ALSO: Final = {200: BROUGHT_IN, 202: FILE_READ}


def _brings_in(kind: ImportKind, called: str, summary: str) -> Any:
    body = body_of(kind, called)

    @in_steps
    @contract(post(BROUGHT_IN, summary, takes=body, status=201, also=ALSO))
    @parser_classes([MultiPartParser])
    @door(permissions.CURATORS)
    def view(request: Any, scope: Scope) -> Response:
        return _answer(as_form(body, request), kind, scope)

    return view


choices = _brings_in(
    ImportKind.CHOICES,
    "ChoicesIn",
    "Check or bring in questions of multiple choice (multipart/form-data).",
)
figures = _brings_in(
    ImportKind.FIGURES,
    "FiguresIn",
    "Check or bring in figures of other benchmarks (multipart/form-data).",
)
answers = _brings_in(
    ImportKind.ANSWERS,
    "FileBodiesAnswersIn",
    "Check or bring in questions with answers of systems (multipart/form-data).",
)
grades = _brings_in(
    ImportKind.GRADES,
    "GradesIn",
    "Check or bring in grades that people gave elsewhere (multipart/form-data).",
)
pairs = _brings_in(
    ImportKind.PAIRS,
    "PairsIn",
    "Check or bring in which of two answers people preferred (multipart/form-data).",
)
scores = _brings_in(
    ImportKind.SCORES,
    "ScoresIn",
    "Check or bring in scores of judges and metrics (multipart/form-data).",
)
questions = _brings_in(
    ImportKind.QUESTIONS,
    "QuestionsIn",
    "Check or bring in questions for the bank, as drafts (multipart/form-data).",
)


@contract(get(FILE_READ))
@door(permissions.CURATORS)
def import_file(request: Any, scope: Scope, number: int) -> Response:
    """Return how far a file is that was too large to be brought in while you wait.

    What nothing comes of is kept for a day, and so is what is told of conversations and dialogues.
    """
    return Response(progress_of(get_object_or_404(lists.taken_on(scope.project), number=number)))


def progress_of(upload: Upload) -> dict[str, Any]:
    """Return how far a file is that a worker goes on with."""
    report = upload.report or {}
    batch = upload.batches.first()
    problems = at_once.problems_of(report)
    if said := report.get("refused"):
        problems["file"] = [said, *report.get("told", ())]
    return {
        "number": upload.number,
        "name": upload.name,
        "state": at_once.state_of(upload, batch),
        "rows": report.get("n_rows", 0),
        "import": batch.number if batch else None,
        "counts": batch.counts if batch else report.get("counts", {}),
        "problems": problems if not report.get("ok") else {},
        "asks": _asks(at_once.questions(upload) if upload.kind in ImportKind.values else ()),
    }


def _asks(asked: Iterable[AskedFile]) -> list[dict[str, Any]]:
    return [one.as_dict() for one in asked]


def _answer(sent: ImportFileIn, kind: ImportKind, scope: Scope) -> Response:
    outcome = at_once.bring_in(
        project=scope.project,
        kind=kind,
        name=sent.file.name or "",
        pieces=sent.file.chunks(uploading.CHUNK),
        mapping=lambda upload: _mapping(kind, sent, upload),
        columns=sent.columns,
        told=sent.told(),
        only_check=sent.only_check,
        by=scope.user,
        clock=timezone.now,
    )
    if outcome.waits is not None:
        body = progress_of(outcome.waits)
        return taken_on(body, "api_import_file", scope.project.slug, outcome.waits.number)
    batch = outcome.batch
    return Response(
        {
            "import": batch.number if batch else None,
            "state": batch.state if batch else None,
            "stopped": batch.stopped if batch else "",
            "counts": batch.counts if batch else outcome.report["counts"],
            "asks": _asks(outcome.asked),
            "left_out": outcome.report.get("n_left_out", 0),
        },
        status=201 if batch else 200,
    )
