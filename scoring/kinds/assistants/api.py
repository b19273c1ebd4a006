"""Assistants as JSON: which there are, making one, having it score answers, and what came of it."""

from typing import Any

from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite.contract.calls import Body, contract, get, post
from evalsite.contract.shapes import rows
from scoring.endpoints import queries as connections
from scoring.engine.api import JudgeOut, starting
from scoring.kinds.assistants import operations as assistants
from scoring.kinds.assistants import queries as assistant_results
from scoring.kinds.assistants.asking_v1 import Kind
from scoring.kinds.assistants.operations import MOST_AT_ONCE, MOST_REPEATS, AssistantSettings
from scoring.kinds.assistants.prompts_v1 import LANGUAGES

USUAL = AssistantSettings()


class AssistantsAssistantIn(Body):
    """An assistant; what is left out has its usual value, what its kind fixes is fixed."""

    name = serializers.CharField(max_length=120)
    endpoint = serializers.CharField(max_length=80)
    kind = serializers.ChoiceField(choices=[one.value for one in Kind], default=USUAL.kind.value)
    premise = serializers.CharField(max_length=200, allow_blank=True, default=USUAL.premise)
    turned = serializers.BooleanField(default=USUAL.turned)
    low = serializers.FloatField(allow_null=True, default=USUAL.low)
    high = serializers.FloatField(allow_null=True, default=USUAL.high)
    higher_is_better = serializers.BooleanField(default=USUAL.higher_is_better)
    at_once = serializers.IntegerField(min_value=1, max_value=MOST_AT_ONCE, default=USUAL.at_once)
    repeats = serializers.IntegerField(min_value=1, max_value=MOST_REPEATS, default=USUAL.repeats)
    temperature = serializers.FloatField(
        min_value=0, max_value=2, allow_null=True, default=USUAL.temperature
    )
    language = serializers.ChoiceField(choices=sorted(LANGUAGES), default=USUAL.language)


@contract(
    get(rows(JudgeOut), "Return the assistant evaluators whose endpoint is in use."),
    post(JudgeOut, "Make an assistant evaluator.", takes=AssistantsAssistantIn, status=201),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def list_assistants(request: Any, scope: Scope) -> Response:
    """Return the assistants whose endpoint is in use; POST makes one."""
    if request.method == "GET":
        rows = assistant_results.assistants(scope.project)
        return Response({"results": JudgeOut(rows, many=True).data})
    sent = AssistantsAssistantIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given = dict(sent.validated_data)
    name, endpoint = given.pop("name"), given.pop("endpoint")
    made = assistants.create(
        name=name,
        endpoint=get_object_or_404(connections.endpoints_of(scope.project), name=endpoint),
        settings=AssistantSettings(**{**given, "kind": Kind(given["kind"])}),
        **scope.deed(),
    )
    return Response(JudgeOut(made).data, status=201)


assist = starting(assistants.KIND, "Estimate what scoring answers would take, or have them scored.")
