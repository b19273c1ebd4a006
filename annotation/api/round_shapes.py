"""What the API says of a round: its line in the list, and the whole of it."""

from typing import Any

from rest_framework import serializers

from annotation.models import Round
from annotation.queries import readiness
from annotation.queries import rounds as reads
from evalsite.contract.shapes import maybe, said, shape

LINE = (
    "number",
    "name",
    "kind",
    "state",
    "n_seats",
    "deadline",
    "revision",
    "created_at",
    "opened_at",
    "paused_at",
    "review_at",
    "final_at",
)
DESIGN = (
    "seed",
    "lease_minutes",
    "seats_override",
    "instructions",
    "uniform_rendering",
    "asks_qualification",
    "qualified_override",
    "draw",
    "manifest",
)


class SeatsOut(serializers.Serializer[Any]):
    total = serializers.IntegerField(source="n")
    submitted = serializers.IntegerField(source="done")
    held = serializers.IntegerField()
    free = serializers.IntegerField()


class RoundLineOut(serializers.ModelSerializer[Round]):
    """A round in the list."""

    class Meta:
        model = Round
        fields: tuple[str, ...] = LINE


class RoundOut(RoundLineOut):
    """A round with its design; the secret never leaves the database."""

    asks_qualification = serializers.BooleanField()

    class Meta(RoundLineOut.Meta):
        fields = (*LINE, *DESIGN)


class RoundSystemOut(serializers.Serializer[Any]):
    system = serializers.CharField(source="release.system.name")
    release = serializers.CharField(source="release.label")
    id = serializers.IntegerField(source="release_id")


class RoundRubricOut(serializers.Serializer[Any]):
    capability = serializers.CharField(source="capability.name", default=None)
    rubric = serializers.CharField(source="rubric_version.rubric.key")
    version = serializers.IntegerField(source="rubric_version.number")


class NeededOut(serializers.Serializer[Any]):
    key = serializers.CharField()
    met = serializers.BooleanField()
    text = serializers.CharField()


class CoverageOut(serializers.Serializer[Any]):
    submitted = serializers.IntegerField(source="n_done")
    items = serializers.IntegerField(source="n_items")


class PlaceOut(serializers.Serializer[Any]):
    annotator = serializers.UUIDField(source="annotator.rater.public_id")
    person = serializers.UUIDField(source="annotator.rater.user.public_id", default=None)
    name = serializers.CharField()
    submitted = serializers.IntegerField(source="done")
    held = serializers.IntegerField()
    last_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(source="annotator.ended_at", allow_null=True)
    override = serializers.CharField(source="annotator.override")


ROUND = shape(
    "WholeRound",
    RoundOut,
    systems=[RoundSystemOut],
    rubrics=[RoundRubricOut],
    seats=SeatsOut,
    coverage=said([CoverageOut], "Of how many items so many seats are submitted."),
    annotators=[PlaceOut],
    needs=said(maybe([NeededOut]), "What a draft needs before it can be opened; null afterwards."),
)


def whole(found: Round) -> dict[str, Any]:
    """Return a round with its design, its progress and, of a draft, what it still needs."""
    needs = readiness.needs(found) if found.state == Round.State.DRAFT else None
    return {
        **RoundOut(found).data,
        "systems": RoundSystemOut(reads.systems_of(found), many=True).data,
        "rubrics": RoundRubricOut(reads.rubrics_of(found), many=True).data,
        "seats": SeatsOut(reads.seats(found)).data,
        "coverage": CoverageOut(reads.coverage(found), many=True).data,
        "annotators": PlaceOut(reads.annotators_of(found), many=True).data,
        "needs": None if needs is None else NeededOut(needs, many=True).data,
    }
