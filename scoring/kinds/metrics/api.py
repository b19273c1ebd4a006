"""Metrics of answers as JSON: which there are, and having them computed."""

from typing import Any

from rest_framework import serializers
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite.contract.calls import contract, get
from evalsite.contract.shapes import rows, shape
from scoring.engine.api import ESTIMATE, begin, begins
from scoring.kinds.metrics import operations as metrics
from scoring.kinds.metrics.catalogue import METRICS


class MetricOut(serializers.Serializer[Any]):
    key = serializers.CharField()
    name = serializers.CharField()
    group = serializers.CharField()
    needs = serializers.CharField()
    minimum = serializers.IntegerField(allow_null=True)
    maximum = serializers.IntegerField(allow_null=True)
    higher_is_better = serializers.BooleanField()


FOUND = shape(
    "MetricsFound",
    ESTIMATE,
    answers=int,
    with_standard_answer=int,
    with_references=int,
    releases=int,
)


@contract(
    get(rows(MetricOut), "Return the metrics that can be computed."),
    begins(metrics.KIND, "Count what metrics would measure, or start measuring.", FOUND),
)
@door(permissions.CURATORS)
def list_metrics(request: Any, scope: Scope) -> Response:
    """Return the metrics there are; POST has answers measured by some of them."""
    if request.method == "POST":
        return begin(request, scope, metrics.KIND, scope.project)
    return Response({"results": MetricOut(list(METRICS.values()), many=True).data})
