"""Metrics of answers as JSON: which there are, and having them computed."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from annotation.rounds import queries as rounds
from annotation.rounds.models import Round
from evalsite.contract.calls import Body, contract, get, post
from evalsite.contract.shapes import maybe, rows, shape
from scoring.engine.models import Run
from scoring.kinds.metrics import operations as metrics
from scoring.kinds.metrics import queries as measured
from scoring.kinds.metrics.catalogue import METRICS
from scoring.kinds.metrics.operations import Choice

MOST = 2**31 - 1


class MetricOut(serializers.Serializer[Any]):
    key = serializers.CharField()
    name = serializers.CharField()
    group = serializers.CharField()
    needs = serializers.CharField()
    minimum = serializers.IntegerField(allow_null=True)
    maximum = serializers.IntegerField(allow_null=True)
    higher_is_better = serializers.BooleanField()


class MetricsIn(Body):
    """What is measured; a round or an import, not both. With `estimate` nothing is started."""

    key = serializers.UUIDField()
    name = serializers.CharField(max_length=120)
    round = serializers.IntegerField(required=False, allow_null=True, max_value=MOST)
    import_ = serializers.IntegerField(required=False, allow_null=True, max_value=MOST)
    metrics = serializers.ListField(child=serializers.ChoiceField(choices=list(METRICS)))
    references = serializers.ChoiceField(choices=measured.AGAINST, default="standard")
    # These two names are words of the framework, too, which takes fields out of the class.
    many = serializers.ChoiceField(choices=measured.MANY, default="mean")  # type: ignore[assignment]
    source = serializers.CharField(max_length=200, default="", allow_blank=True)  # type: ignore[assignment]
    estimate = serializers.BooleanField(default=False)

    def get_fields(self) -> dict[str, Any]:
        found = super().get_fields()
        found["import"] = found.pop("import_")  # a word of Python
        return found

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if (attrs.get("round") is None) == (attrs.get("import") is None):
            raise serializers.ValidationError({"round": [_("Name a round or an import.")]})
        return attrs


class FoundOut(serializers.Serializer[Any]):
    component = "MetricsFound"
    answers = serializers.IntegerField(source="n")
    with_standard_answer = serializers.IntegerField(source="n_standard")
    with_references = serializers.IntegerField(source="n_texts")
    releases = serializers.IntegerField(source="n_releases")


class RunOut(serializers.ModelSerializer[Run]):
    component = "MetricsRun"

    class Meta:
        model = Run
        fields = ("number", "name", "kind", "state", "protocol")


MEASURED = shape(
    "MetricMeans",
    results=[
        shape(
            "MetricMean",
            release=str,
            metric=str,
            mean=maybe(float),
            n=int,
            without_value=int,
            all_answers_as_one_text=maybe(float),
        )
    ],
    without_value=[shape("AnswersUnmeasured", reason=str, answers=int, metrics=[str])],
)


@api_view(["GET", "POST"])
@contract(
    get(rows(MetricOut), "Return the metrics that can be computed."),
    post(
        RunOut,
        "Count what metrics would measure, or start measuring.",
        takes=MetricsIn,
        status=201,
        also={200: FoundOut},
    ),
)
@door(permissions.CURATORS)
def list_metrics(request: Any, scope: Scope) -> Response:
    """Return the metrics there are; POST has answers measured by some of them."""
    if request.method == "POST":
        return _measure(request, scope)
    return Response({"results": MetricOut(list(METRICS.values()), many=True).data})


@api_view(["GET"])
@contract(
    get(MEASURED),
)
@door(permissions.UNBLINDED)
def run_metrics(request: Any, scope: Scope, number: int) -> Response:
    """Return the means of every release and metric of a run, and why answers have no value."""
    board = measured.board(measured.allowed(scope, number))
    return Response(
        {
            "results": list(measured.records(board)),
            "without_value": [
                {"reason": one.text, "answers": one.n, "metrics": one.metrics}
                for one in board.reasons
            ],
        }
    )


def _measure(request: Any, scope: Scope) -> Response:
    sent = MetricsIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given = sent.validated_data
    round_ = _round(scope, given.get("round"))
    choice = Choice(
        given["metrics"], given["references"], given["many"], given["source"], given.get("import")
    )
    if given["estimate"]:
        found = metrics.check(project=scope.project, round_=round_, choice=choice)
        return Response(FoundOut(found).data)
    run = metrics.request_metrics(
        project=scope.project,
        key=given["key"],
        name=given["name"],
        choice=choice,
        user=scope.user,
        now=timezone.now(),
        round_=round_,
    )
    return Response(RunOut(run).data, status=201)


def _round(scope: Scope, number: int | None) -> Round | None:
    return None if number is None else get_object_or_404(rounds.of(scope.project), number=number)
