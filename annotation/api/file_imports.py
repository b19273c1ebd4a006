"""Question sets and figures of other benchmarks as files by API: checked, or brought in at once."""

from typing import Any

from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view, parser_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.response import Response

from annotation import permissions
from annotation.models import ImportKind, Upload
from annotation.operations.imports import at_once, uploading
from annotation.permissions import Scope, door
from annotation.queries.imports import files
from annotation.rules.tabular import choice_mappings
from annotation.rules.tabular.choice_mappings import KNOWN_NAMES, MOST_DATASET, ChoiceMapping
from annotation.rules.tabular.figure_mappings import FigureMapping
from annotation.rules.tabular.figures import MOST_NAME
from annotation.rules.tabular.mappings import FileMapping, Place
from evalsite.contract.calls import contract, post
from evalsite.contract.shapes import ANYTHING, maybe, said, shape


class FileIn(serializers.Serializer[Any]):
    """A file; `columns` says where columns go that are not called as expected, as JSON."""

    file = serializers.FileField()
    columns = serializers.JSONField(default=dict)
    only_check = serializers.BooleanField(default=False)

    def validate_columns(self, value: Any) -> dict[str, str]:
        if not isinstance(value, dict):
            raise serializers.ValidationError('Write {"column": "target"}.')
        return {str(name): str(target) for name, target in value.items()}


class ChoicesIn(FileIn):
    """A question set; without `dataset` it is called as its published layout."""

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

    figure = serializers.CharField(max_length=MOST_NAME, default="", allow_blank=True)
    release = serializers.CharField(max_length=120, default="", allow_blank=True)

    def mapping(self, upload: Upload) -> FileMapping:
        given = self.validated_data
        return FigureMapping(_places(upload, given), given["figure"], given["release"])


BROUGHT_IN = shape(
    "BroughtIn",
    import_=said(maybe(int), "The number of the import; null where it was only checked."),
    state=maybe(str),
    stopped=str,
    counts={str: ANYTHING},
)


@api_view(["POST"])
@contract(
    post(BROUGHT_IN, takes=ChoicesIn, status=201, also={200: BROUGHT_IN}),
)
@parser_classes([MultiPartParser])
@door(permissions.CURATORS)
def choices(request: Any, scope: Scope) -> Response:
    """Check or bring in questions of multiple choice (multipart/form-data)."""
    return _answer(ChoicesIn(data=request.data), ImportKind.CHOICES, scope)


@api_view(["POST"])
@contract(
    post(BROUGHT_IN, takes=FiguresIn, status=201, also={200: BROUGHT_IN}),
)
@parser_classes([MultiPartParser])
@door(permissions.CURATORS)
def figures(request: Any, scope: Scope) -> Response:
    """Check or bring in figures of other benchmarks (multipart/form-data)."""
    return _answer(FiguresIn(data=request.data), ImportKind.FIGURES, scope)


def _answer(sent: ChoicesIn | FiguresIn, kind: ImportKind, scope: Scope) -> Response:
    sent.is_valid(raise_exception=True)
    given = sent.validated_data
    outcome = at_once.bring_in(
        project=scope.project,
        kind=kind,
        name=given["file"].name,
        pieces=given["file"].chunks(uploading.CHUNK),
        mapping=sent.mapping,
        only_check=given["only_check"],
        by=scope.user,
        clock=timezone.now,
    )
    batch = outcome.batch
    return Response(
        {
            "import": batch.number if batch else None,
            "state": batch.state if batch else None,
            "stopped": batch.stopped if batch else "",
            "counts": batch.counts if batch else outcome.report["counts"],
        },
        status=201 if batch else 200,
    )


def _places(upload: Upload, given: dict[str, Any]) -> tuple[Place, ...]:
    """Return where each column goes: as was said, else as its name suggests."""
    said = given["columns"]
    return tuple(
        Place(column.name, said.get(column.name, guess.target))
        for column, guess in files.guesses(upload)
    )
