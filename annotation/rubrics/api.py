"""The rubrics that come with the product as JSON, to start from.

* What the API says of the things of a project: every field named here, and no other.
* Rubrics as JSON: the newest of each, one version, and writing the next.
"""

from dataclasses import asdict
from decimal import Decimal
from typing import Any

from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from annotation.rubrics import operations
from annotation.rubrics import queries as examples
from annotation.rubrics import queries as reads
from annotation.rubrics.forms import RESERVED
from annotation.rubrics.models import Criterion, Level, RubricVersion
from annotation.rubrics.rules import MAX_LABEL, CriterionText, LevelText, Wording
from evalsite.contract.calls import Body, contract, get, post, valid
from evalsite.contract.shapes import ANYTHING, rows, shape


class AddedOut(serializers.Serializer[Any]):
    key = serializers.CharField(source="rubric.key")
    name = serializers.CharField(source="rubric.name")
    version = serializers.IntegerField(source="number")


@api_view(["GET", "POST"])
@contract(
    get(
        rows({str: ANYTHING}), "Return the example rubrics with criteria and levels, to start from."
    ),
    post(
        shape("AddedRubrics", added=[AddedOut]), "Add the example rubrics that the project lacks."
    ),
)
@door(permissions.READERS, permissions.CURATORS)
def rubric_examples(request: HttpRequest, scope: Scope) -> Response:
    """Return the example rubrics with criteria and levels; or write those the project lacks."""
    if request.method == "POST":
        made = operations.load_fixture(
            project=scope.project,
            entries=examples.list_rubrics_examples(),
            by=scope.user,
            now=timezone.now(),
        )
        return Response({"added": AddedOut(made, many=True).data})
    return Response({"results": examples.list_rubrics_examples()})


class LevelOut(serializers.ModelSerializer[Level]):
    class Meta:
        model = Level
        fields = ("value", "label", "description", "examples")


class CriterionOut(serializers.ModelSerializer[Criterion]):
    component = "RubricsCriterion"
    min = serializers.DecimalField(source="minimum", max_digits=12, decimal_places=4)
    max = serializers.DecimalField(source="maximum", max_digits=12, decimal_places=4)
    levels = LevelOut(many=True)

    class Meta:
        model = Criterion
        fields = (
            "key",
            "name",
            "description",
            "min",
            "max",
            "step",
            "pass_at",
            "weight",
            "levels",
        )


class RubricOut(serializers.ModelSerializer[RubricVersion]):
    """A version. `warnings` say what can be used and is odd all the same: path, criterion, message."""

    key = serializers.CharField(source="rubric.key")
    name = serializers.CharField(source="rubric.name")
    criteria = CriterionOut(many=True)
    warnings = serializers.SerializerMethodField()

    class Meta:
        model = RubricVersion
        fields = (
            "key",
            "name",
            "number",
            "kind",
            "principle",
            "frozen_at",
            "criteria",
            "warnings",
        )

    def get_warnings(self, version: RubricVersion) -> list[dict[str, str]]:
        return [asdict(one) for one in reads.warnings(reads.wording(version))]


class LevelIn(Body):
    value = serializers.DecimalField(max_digits=12, decimal_places=4)
    label = serializers.CharField(  # type: ignore[assignment]
        max_length=MAX_LABEL, default="", allow_blank=True
    )
    description = serializers.CharField(default="", allow_blank=True)
    examples = serializers.ListField(child=serializers.CharField(), default=list)


class CriterionIn(Body):
    """A criterion. A null `step` allows every number between `min` and `max`."""

    component = "RubricsCriterionIn"

    key = serializers.SlugField(max_length=80)
    name = serializers.CharField(max_length=200)
    description = serializers.CharField(default="", allow_blank=True)
    min = serializers.DecimalField(max_digits=12, decimal_places=4)
    max = serializers.DecimalField(max_digits=12, decimal_places=4)
    step = serializers.DecimalField(
        max_digits=12, decimal_places=4, default=Decimal(1), allow_null=True
    )
    pass_at = serializers.DecimalField(
        max_digits=12, decimal_places=4, default=None, allow_null=True
    )
    weight = serializers.DecimalField(
        max_digits=8, decimal_places=4, min_value=0, default=Decimal(1)
    )
    levels = LevelIn(many=True, default=list)


class WordingIn(Body):
    """What a version says, all of it."""

    principle = serializers.CharField(default="", allow_blank=True)
    criteria = CriterionIn(many=True)


class NewRubricIn(WordingIn):
    component = "RubricsNewRubricIn"
    key = serializers.SlugField(max_length=80)
    name = serializers.CharField(max_length=200)


class NextVersionIn(WordingIn):
    """The next version. `base` is the number of the version it was written from."""

    base = serializers.IntegerField(min_value=1)
    name = serializers.CharField(max_length=200, required=False)


@api_view(["GET", "POST"])
@contract(
    get(rows(RubricOut), "Return the newest version of every rubric."),
    post(RubricOut, "Write a rubric and its first version.", takes=NewRubricIn, status=201),
)
@door(permissions.READERS, permissions.CURATORS)
def rubrics(request: HttpRequest, scope: Scope) -> Response:
    """Return the newest version of every rubric, or write a new rubric."""
    if request.method == "POST":
        given = valid(NewRubricIn, request)
        _refuse_reserved(given["key"])
        made = operations.create_rubric(
            project=scope.project,
            key=given["key"],
            name=given["name"],
            wording=_wording(given),
            by=scope.user,
            now=timezone.now(),
        )
        return Response(RubricOut(_version(scope, given["key"], made.number)).data, status=201)
    newest = [line.newest for line in reads.list_rubrics(scope.project)]
    return Response({"results": RubricOut(newest, many=True).data})


class CopyIn(Body):
    """A rubric of another project, in its newest version or the one named; a key left out is found."""

    component = "RubricsCopyIn"

    project = serializers.SlugField(max_length=60)
    rubric = serializers.SlugField(max_length=80)
    version = serializers.IntegerField(min_value=1, required=False, allow_null=True, default=None)
    key = serializers.SlugField(max_length=80, required=False)
    name = serializers.CharField(max_length=200, required=False)


@api_view(["POST"])
@contract(
    post(RubricOut, takes=CopyIn, status=201),
)
@door(permissions.READERS, permissions.CURATORS)
def copies(request: HttpRequest, scope: Scope) -> Response:
    """Begin a rubric with the wording of another project's, where you may read it."""
    given = valid(CopyIn, request)
    _refuse_reserved(given.get("key", ""))
    found = reads.readable(
        scope.user, given["project"], given["rubric"], given["version"], permissions.READERS
    )
    if found is None:
        said = _("There is no such rubric that you may read.")
        raise serializers.ValidationError({"rubric": [said]})
    made = operations.copy_rubric(
        project=scope.project,
        version=found,
        by=scope.user,
        now=timezone.now(),
        key=given.get("key", ""),
        name=given.get("name", ""),
    )
    return Response(RubricOut(_version(scope, made.rubric.key, made.number)).data, status=201)


@api_view(["GET", "POST"])
@contract(
    get(rows(RubricOut), "Return every version of a rubric, the newest first."),
    post(RubricOut, "Write the next version of a rubric.", takes=NextVersionIn, status=201),
)
@door(permissions.READERS, permissions.CURATORS)
def versions(request: HttpRequest, scope: Scope, key: str) -> Response:
    """Return every version of a rubric, or write the next one; those before it stay as they are."""
    found = reads.versions_of(scope.project, key)
    if not found:
        raise Http404
    if request.method == "POST":
        given = valid(NextVersionIn, request)
        base = _version(scope, key, given["base"])
        made = operations.new_version(
            rubric=base.rubric,
            wording=_wording(given),
            base_sha=reads.wording(base).sha(),
            by=scope.user,
            now=timezone.now(),
            name=given.get("name", ""),
        )
        return Response(RubricOut(_version(scope, key, made.number)).data, status=201)
    return Response({"results": RubricOut(found, many=True).data})


@api_view(["GET"])
@contract(
    get(RubricOut, "Return a version of a rubric."),
)
@door(permissions.READERS)
def rubric(request: HttpRequest, scope: Scope, key: str, number: int) -> Response:
    return Response(RubricOut(_version(scope, key, number)).data)


def _refuse_reserved(key: str) -> None:
    if key in RESERVED:
        said = _("This word is taken by an address. Choose another key.")
        raise serializers.ValidationError({"key": [said]})


def _version(scope: Scope, key: str, number: int) -> RubricVersion:
    for version in reads.versions_of(scope.project, key):
        if version.number == number:
            return version
    raise Http404


def _wording(given: dict[str, Any]) -> Wording:
    return Wording(
        given["principle"],
        tuple(
            CriterionText(
                key=one["key"],
                name=one["name"],
                minimum=one["min"],
                maximum=one["max"],
                description=one["description"],
                step=one["step"],
                pass_at=one["pass_at"],
                weight=one["weight"],
                levels=tuple(
                    LevelText(
                        level["value"],
                        level["label"],
                        level["description"],
                        tuple(level["examples"]),
                    )
                    for level in one["levels"]
                ),
            )
            for one in given["criteria"]
        ),
    )
