"""The rubrics that come with the product as JSON, to start from.

* What the API says of the things of a project: every field named here, and no other.
* Rubrics as JSON: the newest of each, one version, and writing the next.
"""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, Any, ClassVar

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.response import Response

from annotation.common import names
from annotation.people import permissions
from annotation.people.permissions import Scope, door
from annotation.rubrics import operations
from annotation.rubrics import queries as examples
from annotation.rubrics import queries as reads
from annotation.rubrics.forms import RESERVED
from annotation.rubrics.models import RubricVersion
from annotation.rubrics.rules import Principle, RubricNamed, Wording
from evalsite import kinds, records
from evalsite.contract.calls import Body, contract, get, post, taken, valid
from evalsite.contract.shapes import ANYTHING, answers, at, rows, shape

ADDED = shape(
    "Added", key=at("rubric.key", str), name=at("rubric.name", str), version=at("number", int)
)


@dataclass(frozen=True, kw_only=True)
class ExamplesIn(records.Record):
    component: ClassVar[str] = "RubricExamples"

    keys: tuple[Annotated[str, kinds.Text(80)], ...] = ()


@contract(
    get(
        rows({str: ANYTHING}), "Return the example rubrics with criteria and levels, to start from."
    ),
    post(
        shape("AddedRubrics", added=[ADDED]),
        "Add the example rubrics that the project lacks: those of `keys`, else all.",
        takes=ExamplesIn,
    ),
)
@door(permissions.READERS, permissions.CURATORS)
def rubric_examples(request: HttpRequest, scope: Scope) -> Response:
    if request.method == "POST":
        given = taken(ExamplesIn, request) if getattr(request, "data", None) else ExamplesIn()
        chosen = examples.list_rubrics_examples(given.keys)
        made = operations.load_fixture(entries=chosen, **scope.deed())
        return Response({"added": answers(ADDED, made)})
    return Response({"results": examples.list_rubrics_examples()})


@dataclass(frozen=True, kw_only=True)
class RubricOut(RubricNamed, Wording):
    """A version. `warnings` say what can be used and is odd all the same: path, criterion, message."""

    number: Annotated[int, kinds.Whole(1)]
    kind: Annotated[str, kinds.Choice(tuple(RubricVersion.Kind.values))]
    frozen_at: Annotated[datetime, kinds.Moment()] | None


WARNED = shape("", path=str, criterion=str, message=str)
RUBRIC = shape("Rubric", RubricOut, warnings=[WARNED])


@dataclass(frozen=True, kw_only=True)
class RubricIn(RubricNamed, Wording):
    component: ClassVar[str] = "RubricsNewRubric"

    principle: Principle = ""


@dataclass(frozen=True, kw_only=True)
class NextVersion(Wording):
    """The next version. `base` is the number of the version it was written from."""

    principle: Principle = ""
    base: Annotated[int, kinds.Whole(1)]
    name: Annotated[str, names.NameKind(200)] = ""


@contract(
    get(rows(RUBRIC), "Return the newest version of every rubric."),
    post(RUBRIC, "Write a rubric and its first version.", takes=RubricIn, status=201),
)
@door(permissions.READERS, permissions.CURATORS)
def rubrics(request: HttpRequest, scope: Scope) -> Response:
    if request.method == "POST":
        given = taken(RubricIn, request)
        _refuse_reserved(given.key)
        made = operations.create_rubric(
            key=given.key, name=given.name, wording=given, **scope.deed()
        )
        return Response(_said(_version(scope, given.key, made.number)), status=201)
    lines = reads.list_rubrics(scope.project)
    return Response({"results": [_said(line.newest) for line in lines]})


class RubricsCopyIn(Body):
    """A rubric of another project, in its newest version or the one named; a key left out is found."""

    project = serializers.SlugField(max_length=60)
    rubric = serializers.SlugField(max_length=80)
    version = serializers.IntegerField(min_value=1, required=False, allow_null=True, default=None)
    key = serializers.SlugField(max_length=80, required=False)
    name = serializers.CharField(max_length=200, required=False)


@contract(post(RUBRIC, takes=RubricsCopyIn, status=201))
@door(permissions.READERS, permissions.CURATORS)
def copies(request: HttpRequest, scope: Scope) -> Response:
    """Begin a rubric with the wording of another project's, where you may read it."""
    given = valid(RubricsCopyIn, request)
    _refuse_reserved(given.get("key", ""))
    found = reads.readable(
        scope.user, given["project"], given["rubric"], given["version"], permissions.READERS
    )
    if found is None:
        said = _("There is no such rubric that you may read.")
        raise serializers.ValidationError({"rubric": [said]})
    made = operations.copy_rubric(
        version=found, key=given.get("key", ""), name=given.get("name", ""), **scope.deed()
    )
    return Response(_said(_version(scope, made.rubric.key, made.number)), status=201)


@contract(
    get(rows(RUBRIC), "Return every version of a rubric, the newest first."),
    post(RUBRIC, "Write the next version of a rubric.", takes=NextVersion, status=201),
)
@door(permissions.READERS, permissions.CURATORS)
def versions(request: HttpRequest, scope: Scope, key: str) -> Response:
    found = reads.versions_of(scope.project, key)
    if not found:
        raise Http404
    if request.method == "POST":
        given = taken(NextVersion, request)
        base = _version(scope, key, given.base)
        made = operations.new_version(
            rubric=base.rubric,
            wording=given,
            base_sha=reads.wording(base).sha(),
            name=given.name,
            **scope.who(),
        )
        return Response(_said(_version(scope, key, made.number)), status=201)
    return Response({"results": [_said(one) for one in found]})


@contract(get(RUBRIC, "Return a version of a rubric."))
@door(permissions.READERS)
def rubric(request: HttpRequest, scope: Scope, key: str, number: int) -> Response:
    return Response(_said(_version(scope, key, number)))


def _refuse_reserved(key: str) -> None:
    if key in RESERVED:
        said = _("This word is taken by an address. Choose another key.")
        raise serializers.ValidationError({"key": [said]})


def _version(scope: Scope, key: str, number: int) -> RubricVersion:
    for version in reads.versions_of(scope.project, key):
        if version.number == number:
            return version
    raise Http404


def _said(version: RubricVersion) -> dict[str, Any]:
    warnings = [asdict(one) for one in reads.warnings(reads.wording(version))]
    return records.told(RubricOut, version, warnings=warnings)
