"""What was brought in, as JSON: the list, one import with how far it is, and taking it back.

* What is sent with a file: where its columns go, and what holds where no column says so.
* Files by API, each kind of file at its address: checked, or brought in at once.
"""

from collections.abc import Iterable
from typing import Any, Final

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.decorators import api_view, parser_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.response import Response

from annotation.domains.models import Difficulty
from annotation.files import choices as choice_mappings
from annotation.files import columns as targets
from annotation.files import scores as machines
from annotation.files import stored as files
from annotation.files.asked import Asked
from annotation.files.choices import KNOWN_NAMES, MOST_DATASET, ChoiceMapping
from annotation.files.columns import Target
from annotation.files.mappings import (
    AnswerMapping,
    FileMapping,
    GradeMapping,
    NewRubric,
    Place,
    QuestionMapping,
    written_place,
)
from annotation.files.models import ImportBatch, ImportKind, Upload
from annotation.files.scores import MOST_NAME, FigureMapping, Machine, ScoreMapping
from annotation.imports import lists, recognising, undoing, uploading
from annotation.imports import operations as at_once
from annotation.imports import places as surveys
from annotation.people import permissions
from annotation.people.middleware import in_steps
from annotation.people.permissions import Scope, door
from annotation.people.rules import MAX_LANGUAGE
from evalsite.contract.calls import Body, contract, get, post, taken_on, valid, whole
from evalsite.contract.shapes import ANYTHING, maybe, one_of, page, said, shape

ACTS = {"undo": undoing.undo, "drop": undoing.drop}


class ImportLineOut(serializers.ModelSerializer[ImportBatch]):
    by = serializers.CharField(source="created_by.display_name")
    rows = serializers.IntegerField(source="n_rows")

    class Meta:
        model = ImportBatch
        fields = (
            "number",
            "kind",
            "file_name",
            "file_sha",
            "state",
            "stopped",
            "rows",
            "counts",
            "by",
            "created_at",
            "applied_at",
            "undone_at",
        )


class ActIn(Body):
    """`undo` takes back an applied import, `drop` one that stopped; `resume` lets that one go on."""

    component = "ImportsActIn"

    act = serializers.ChoiceField(choices=["undo", "resume", "drop"])


IMPORT = shape(
    "Import",
    ImportLineOut,
    done=said(int, "Of `rows`, how many are written."),
    round=said(maybe(int), "The number of the round that imported grades became."),
    against_undo=said([str], "Why it cannot be taken back, if so."),
)


@api_view(["GET"])
@contract(
    get(page(ImportLineOut), query=[whole("before", "Only imports of a smaller number.")]),
)
@door(permissions.CURATORS)
def imports(request: HttpRequest, scope: Scope) -> Response:
    """Return a page of imports, the newest first."""
    before = request.GET.get("before", "")
    found = lists.list_batches(scope.project, int(before) if before.isdecimal() else None)
    return Response(
        {
            "results": ImportLineOut(found.batches, many=True).data,
            "next": found.older_query if found.older is not None else None,
        }
    )


@api_view(["GET", "POST"])
@contract(
    get(IMPORT, "Return an import: how far it is, what it brought, and what prevents undoing it."),
    post(IMPORT, "Undo an import, or resume one that stopped.", takes=ActIn),
)
@door(permissions.CURATORS)
def import_(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return an import, or take it back, or let it go on."""
    found = get_object_or_404(lists.batches(scope.project), number=number)
    if request.method == "POST":
        act = valid(ActIn, request)["act"]
        if act == "resume":
            at_once.resume(batch=found, by=scope.user, now=timezone.now())
        else:
            ACTS[act](batch=found, by=scope.user, clock=timezone.now)
        found = lists.batches(scope.project).get(pk=found.pk)
    return Response(_whole(found))


def _whole(found: ImportBatch) -> dict[str, Any]:
    applied = found.state == ImportBatch.State.APPLIED
    round_ = lists.round_of(found) if applied else None
    return {
        **ImportLineOut(found).data,
        "done": lists.progress(found, timezone.now()).done,
        "round": round_.number if round_ else None,
        "against_undo": [str(one) for one in lists.against_undo(found)] if applied else [],
    }


def _columns(known: Iterable[Target], more: str = "") -> serializers.JSONField:
    """Return the field that says where columns go, with what they may hold in the reference."""
    names = ", ".join(one.value for one in known)
    text = f'{{"name of a column": "what it holds"}}, as JSON. It may hold: {names}.'
    return serializers.JSONField(default=dict, help_text=f"{text} {more}".strip())


class FileIn(Body):
    """A file; `columns` says where columns go that are not called as expected, as JSON.

    `answers` has what only a person can say of it by the key of the question, as JSON, such as
    {"date_order": "day"}; `encoding`, such as windows-1252, is one of them. What is not answered and has no
    suggestion is refused with the code `needs_answer`, and `fields` has the questions by their keys.
    """

    component = "FileBodiesFileIn"

    file = serializers.FileField()
    encoding = serializers.CharField(max_length=40, default="", allow_blank=True)
    answers = serializers.JSONField(default=dict)
    columns = serializers.JSONField(default=dict)
    only_check = serializers.BooleanField(default=False)

    def validate_answers(self, value: Any) -> dict[str, str]:
        if not isinstance(value, dict):
            raise serializers.ValidationError(_('Write {"key": "answer"}.'))
        return {str(key): str(said) for key, said in value.items()}

    def told(self) -> dict[str, str]:
        """Return what was answered of the file, by the key of the question."""
        given = self.validated_data
        said = {"encoding": given["encoding"], **given["answers"]}
        return {key: answer for key, answer in said.items() if answer}

    def validate_columns(self, value: Any) -> dict[str, str]:
        if not isinstance(value, dict):
            raise serializers.ValidationError(_('Write {"column": "target"}.'))
        return {str(name): str(target) for name, target in value.items()}


class ChoicesIn(FileIn):
    """A question set; without `dataset` it is called as its published layout."""

    columns = _columns(targets.CHOICES)
    dataset = serializers.CharField(max_length=MOST_DATASET, default="", allow_blank=True)
    subject = serializers.CharField(max_length=200, default="", allow_blank=True)

    def mapping(self, upload: Upload) -> FileMapping:
        given = self.validated_data
        layout = choice_mappings.published(files.layout_of(upload))
        if layout is None:
            return ChoiceMapping(_places(upload, given), "", given["dataset"], given["subject"])
        dataset = given["dataset"] or KNOWN_NAMES[layout]
        return ChoiceMapping((), str(layout), dataset, given["subject"])


class FiguresIn(FileIn):
    """Figures of other benchmarks; `figure` and `release` hold where no column says so."""

    columns = _columns(targets.FIGURES)
    figure = serializers.CharField(max_length=MOST_NAME, default="", allow_blank=True)
    release = serializers.CharField(max_length=120, default="", allow_blank=True)

    def mapping(self, upload: Upload) -> FileMapping:
        given = self.validated_data
        return FigureMapping(_places(upload, given), given["figure"], given["release"])


class AnswersIn(FileIn):
    """Questions with answers; `system` and `release` hold where no column says so.

    Of an answer in several messages the last one of the assistant is taken, or, if so wished, the
    `whole_conversation`.
    """

    component = "FileBodiesAnswersIn"

    columns = _columns(targets.ANSWERS, "`answer:SYSTEM:RELEASE` says whose answers stand in it.")
    system = serializers.CharField(max_length=200, default="", allow_blank=True)
    release = serializers.CharField(max_length=120, default="1")
    create_missing = serializers.BooleanField(default=False)
    whole_conversation = serializers.BooleanField(default=False)

    def mapping(self, upload: Upload) -> FileMapping:
        given = self.validated_data
        return AnswerMapping(
            _places(upload, given),
            given["system"],
            given["release"],
            given["create_missing"],
            given["whole_conversation"],
        )


class NewRubricIn(Body):
    """A rubric to be made of the criteria of the file; an empty `step` allows any number between."""

    component = "FileBodiesNewRubricIn"

    name = serializers.CharField(max_length=200)
    min = serializers.CharField(max_length=20)
    max = serializers.CharField(max_length=20)
    step = serializers.CharField(max_length=20, default="1", allow_blank=True)


class GradesIn(FileIn):
    """Grades that people gave elsewhere, as a round of its own.

    By `rubric` (key@version), or by a new one. `system`, `criterion` and `rater` hold where no column
    says so; a system or criterion that is the only one of the project need not be named. `aliases` has
    by name in the file the criterion of the rubric, `words` by word its number, both as JSON.
    """

    columns = _columns(targets.GRADES, "`grade:RATER:CRITERION:SYSTEM` says whose grades of what.")
    round_name = serializers.CharField(max_length=200)
    rubric = serializers.CharField(max_length=200, default="", allow_blank=True)
    new_rubric = serializers.JSONField(default=None, allow_null=True)
    release = serializers.CharField(max_length=120, default="", allow_blank=True)
    rater = serializers.CharField(max_length=200, default="", allow_blank=True)
    system = serializers.CharField(max_length=200, default="", allow_blank=True)
    criterion = serializers.CharField(max_length=200, default="", allow_blank=True)
    aliases = serializers.JSONField(default=dict)
    words = serializers.JSONField(default=dict)

    def validate_new_rubric(self, value: Any) -> NewRubric | None:
        if value is None:
            return None
        given = NewRubricIn(data=value)
        given.is_valid(raise_exception=True)
        said = given.validated_data
        return NewRubric(said["name"], said["min"], said["max"], said["step"])

    def validate_aliases(self, value: Any) -> dict[str, str]:
        return _pairs(value)

    def validate_words(self, value: Any) -> dict[str, str]:
        return _pairs(value)

    def mapping(self, upload: Upload) -> FileMapping:
        given = self.validated_data
        places = _places(upload, given)
        return GradeMapping(
            places,
            given["round_name"],
            given["rubric"],
            given["new_rubric"],
            given["release"],
            given["rater"],
            given["aliases"],
            given["words"],
            *surveys.whole_of(upload, places, given["system"], given["criterion"]),
        )


class MachineIn(Body):
    """What a judge or a metric is; an end of its range that is left out is open.

    With `criterion` it holds for that one alone, else for all of which nothing else is said.
    """

    name = serializers.CharField(max_length=200)
    criterion = serializers.CharField(max_length=200, default="", allow_blank=True)
    kind = serializers.ChoiceField(choices=sorted(machines.KINDS))
    min = serializers.CharField(max_length=20, default="", allow_blank=True)
    max = serializers.CharField(max_length=20, default="", allow_blank=True)
    higher_is_better = serializers.BooleanField(default=True)
    family = serializers.CharField(max_length=80, default="", allow_blank=True)


class ScoresIn(FileIn):
    """Scores of judges and metrics; what `machines` (as JSON) does not tell is taken as the scores suggest.

    A range that is a mere guess, or clashes with a rubric or with what is known, is refused: tell it.
    """

    columns = _columns(targets.SCORES, "`score:JUDGE:CRITERION` says whose scores of what.")
    machines = serializers.JSONField(required=False)
    release = serializers.CharField(max_length=120, default="", allow_blank=True)
    rater = serializers.CharField(max_length=200, default="", allow_blank=True)
    system = serializers.CharField(max_length=200, default="", allow_blank=True)
    criterion = serializers.CharField(max_length=200, default="", allow_blank=True)
    words = serializers.JSONField(default=dict)

    def validate_machines(self, value: Any) -> tuple[Machine, ...]:
        given = MachineIn(data=value, many=True)
        given.is_valid(raise_exception=True)
        return tuple(
            Machine(
                one["name"],
                one["kind"],
                one["min"],
                one["max"],
                one["higher_is_better"],
                one["family"],
                one["criterion"],
            )
            for one in given.validated_data
        )

    def validate_words(self, value: Any) -> dict[str, str]:
        return _pairs(value)

    def mapping(self, upload: Upload) -> FileMapping:
        given = self.validated_data
        told = given.get("machines", ())
        places = _places(upload, given)
        system, _criterion = surveys.whole_of(upload, places, given["system"], "")
        said = ScoreMapping(
            places,
            told,
            given["release"],
            given["rater"],
            given["words"],
            system,
            given["criterion"],
        )
        return surveys.declared(upload, said, whole=not upload.is_large)


class QuestionsIn(FileIn):
    """Questions for the bank; what stands beside the file holds where a row says nothing.

    `author` is the user name of whose drafts they become.
    """

    columns = _columns(targets.QUESTIONS)
    capability = serializers.CharField(default="", allow_blank=True)
    difficulty = serializers.ChoiceField(choices=Difficulty.values, default="", allow_blank=True)
    domain = serializers.CharField(default="", allow_blank=True)
    language = serializers.CharField(max_length=MAX_LANGUAGE, default="", allow_blank=True)
    author = serializers.CharField(default="", allow_blank=True)
    new_versions = serializers.BooleanField(default=False)
    create_missing = serializers.BooleanField(default=False)
    make_sources = serializers.BooleanField(default=False)

    def mapping(self, upload: Upload) -> FileMapping:
        given = dict(self.validated_data)
        common = {"file", "columns", "only_check", "encoding", "answers"}
        own = {name: value for name, value in given.items() if name not in common}
        return QuestionMapping(_places(upload, given), **own)


def _places(upload: Upload, given: dict[str, Any]) -> tuple[Place, ...]:
    """Return where each column goes: as was said, else as its name suggests."""
    said = given["columns"]
    return tuple(
        written_place(column.name, said[column.name], guess)
        if column.name in said
        else Place(column.name, guess.target, guess.system, "", guess.rater, guess.criterion)
        for column, guess in recognising.guesses(upload)
    )


def _pairs(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise serializers.ValidationError(_('Write {"as in the file": "as here"}.'))
    return {str(written): str(key) for written, key in value.items()}


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


@in_steps
@api_view(["POST"])
@contract(
    post(BROUGHT_IN, takes=ChoicesIn, status=201, also=ALSO),
)
@parser_classes([MultiPartParser])
@door(permissions.CURATORS)
def choices(request: Any, scope: Scope) -> Response:
    """Check or bring in questions of multiple choice (multipart/form-data)."""
    return _answer(ChoicesIn(data=request.data), ImportKind.CHOICES, scope)


@in_steps
@api_view(["POST"])
@contract(
    post(BROUGHT_IN, takes=FiguresIn, status=201, also=ALSO),
)
@parser_classes([MultiPartParser])
@door(permissions.CURATORS)
def figures(request: Any, scope: Scope) -> Response:
    """Check or bring in figures of other benchmarks (multipart/form-data)."""
    return _answer(FiguresIn(data=request.data), ImportKind.FIGURES, scope)


@in_steps
@api_view(["POST"])
@contract(
    post(BROUGHT_IN, takes=AnswersIn, status=201, also=ALSO),
)
@parser_classes([MultiPartParser])
@door(permissions.CURATORS)
def answers(request: Any, scope: Scope) -> Response:
    """Check or bring in questions with answers of systems (multipart/form-data)."""
    return _answer(AnswersIn(data=request.data), ImportKind.ANSWERS, scope)


@in_steps
@api_view(["POST"])
@contract(
    post(BROUGHT_IN, takes=GradesIn, status=201, also=ALSO),
)
@parser_classes([MultiPartParser])
@door(permissions.CURATORS)
def grades(request: Any, scope: Scope) -> Response:
    """Check or bring in grades that people gave elsewhere (multipart/form-data)."""
    return _answer(GradesIn(data=request.data), ImportKind.GRADES, scope)


@in_steps
@api_view(["POST"])
@contract(
    post(BROUGHT_IN, takes=ScoresIn, status=201, also=ALSO),
)
@parser_classes([MultiPartParser])
@door(permissions.CURATORS)
def scores(request: Any, scope: Scope) -> Response:
    """Check or bring in scores of judges and metrics (multipart/form-data)."""
    return _answer(ScoresIn(data=request.data), ImportKind.SCORES, scope)


@in_steps
@api_view(["POST"])
@contract(
    post(BROUGHT_IN, takes=QuestionsIn, status=201, also=ALSO),
)
@parser_classes([MultiPartParser])
@door(permissions.CURATORS)
def questions(request: Any, scope: Scope) -> Response:
    """Check or bring in questions for the bank, as drafts (multipart/form-data)."""
    return _answer(QuestionsIn(data=request.data), ImportKind.QUESTIONS, scope)


@api_view(["GET"])
@contract(
    get(FILE_READ),
)
@door(permissions.CURATORS)
def import_file(request: Any, scope: Scope, number: int) -> Response:
    """Return how far a file is that was too large to be brought in while you wait.

    What nothing comes of is kept for a day, and so is what is told of conversations and dialogues.
    """
    return Response(told(get_object_or_404(lists.taken_on(scope.project), number=number)))


def told(upload: Upload) -> dict[str, Any]:
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


def _asks(asked: Iterable[Asked]) -> list[dict[str, Any]]:
    return [one.as_dict() for one in asked]


def _answer(sent: Any, kind: ImportKind, scope: Scope) -> Response:
    sent.is_valid(raise_exception=True)
    given = sent.validated_data
    outcome = at_once.bring_in(
        project=scope.project,
        kind=kind,
        name=given["file"].name,
        pieces=given["file"].chunks(uploading.CHUNK),
        mapping=sent.mapping,
        columns=given["columns"],
        told=sent.told(),
        only_check=given["only_check"],
        by=scope.user,
        clock=timezone.now,
    )
    if outcome.waits is not None:
        body = told(outcome.waits)
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
