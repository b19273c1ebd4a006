"""Training as JSON: the examples of capabilities, and what is right for the answers of a round."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.models import Capability, Round, TrainingExample
from annotation.operations import references as giving
from annotation.operations import training as operations
from annotation.permissions import Scope, door
from annotation.queries import example_lists
from annotation.queries import references as reads
from annotation.queries import rounds as round_reads
from evalsite import keyset
from evalsite.contract.bodies import Body, valid
from evalsite.contract.calls import AFTER, contract, get, post
from evalsite.contract.shapes import maybe, rows, shape


class ExampleOut(serializers.ModelSerializer[TrainingExample]):
    rubric = serializers.CharField(source="rubric_version.rubric.key")
    version = serializers.IntegerField(source="rubric_version.number")

    class Meta:
        model = TrainingExample
        fields = (
            "number",
            "capability",
            "use",
            "question",
            "reference",
            "response",
            "grades",
            "explanation",
            "rubric",
            "version",
            "created_at",
        )


class ExampleIn(Body):
    use = serializers.ChoiceField(
        choices=TrainingExample.Use.choices, default=TrainingExample.Use.PRACTISE
    )
    question = serializers.CharField(default="", allow_blank=True)
    reference = serializers.CharField(default="", allow_blank=True)
    response = serializers.CharField()
    grades = serializers.DictField(child=serializers.DecimalField(max_digits=12, decimal_places=4))
    explanation = serializers.CharField()


class NewExampleIn(ExampleIn):
    capability = serializers.IntegerField()


class AdoptIn(Body):
    capability = serializers.IntegerField()


class ReferenceOut(serializers.Serializer[Any]):
    response = serializers.IntegerField()
    question = serializers.CharField()
    criterion = serializers.CharField()
    value = serializers.DecimalField(max_digits=12, decimal_places=4, allow_null=True)
    explanation = serializers.CharField()


class ReferenceIn(Body):
    response = serializers.IntegerField()
    criterion = serializers.CharField()
    value = serializers.DecimalField(max_digits=12, decimal_places=4)
    explanation = serializers.CharField(max_length=300, required=False, allow_blank=True)


class ReferencesIn(Body):
    references = ReferenceIn(many=True, allow_empty=False)


REFERENCES = shape("References", next=maybe(str), results=[ReferenceOut], missing=int)


@api_view(["GET", "POST"])
@contract(
    get(rows(ExampleOut), "Return the examples in use, by capability."),
    post(ExampleOut, "Write an example for a capability.", takes=NewExampleIn, status=201),
)
@door(permissions.CURATORS)
def examples(request: HttpRequest, scope: Scope) -> Response:
    """Return the examples in use, by capability; or write one for a capability."""
    if request.method == "POST":
        wanted = valid(NewExampleIn, request)
        capability = _capability(scope, wanted.pop("capability"))
        version = operations.newest_version(capability)
        if version is None:
            raise operations.NoRubric(_("This capability has no rubric. Choose one for it first."))
        made = operations.add_example(
            project=scope.project,
            capability=capability,
            version=version,
            text=operations.ExampleText(**wanted),
            by=scope.user,
            now=timezone.now(),
        )
        return Response(ExampleOut(made).data, status=201)
    found = [one for line in example_lists.lines(scope.project) for one in line.examples]
    return Response({"results": ExampleOut(found, many=True).data})


@api_view(["POST"])
@contract(
    post(rows(ExampleOut), takes=AdoptIn, status=201),
)
@door(permissions.CURATORS)
def adopt(request: HttpRequest, scope: Scope) -> Response:
    """Take over the example answers of a capability's rubric; return the new ones."""
    capability = _capability(scope, valid(AdoptIn, request)["capability"])
    made = operations.adopt_levels(capability=capability, by=scope.user, now=timezone.now())
    return Response({"results": ExampleOut(made, many=True).data}, status=201)


@api_view(["GET", "POST"])
@contract(
    get(ExampleOut, "Return an example."),
    post(ExampleOut, "Replace an example by another.", takes=ExampleIn),
)
@door(permissions.CURATORS)
def example(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return an example; or write another one in its place."""
    found = _example(scope, number)
    if request.method == "POST":
        text = operations.ExampleText(**valid(ExampleIn, request))
        found = operations.replace(example=found, text=text, by=scope.user, now=timezone.now())
    return Response(ExampleOut(found).data)


@api_view(["POST"])
@contract(
    post(shape("Withdrawn", withdrawn=int)),
)
@door(permissions.CURATORS)
def withdraw(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Withdraw an example; what was practised with it stays."""
    operations.withdraw(example=_example(scope, number), by=scope.user, now=timezone.now())
    return Response({"withdrawn": number})


def _example(scope: Scope, number: int) -> TrainingExample:
    rows = TrainingExample.objects.select_related("project", "capability", "rubric_version__rubric")
    return get_object_or_404(rows.in_use(), project=scope.project, number=number)


@api_view(["GET", "POST"])
@contract(
    get(
        REFERENCES,
        "Return the reference grades of the answers of a round, a page at a time; null where there is none.",
        query=[AFTER],
    ),
    post(
        REFERENCES,
        "Set reference grades of some answers, and return what is right for those.\n\n"
        "What is not named stays as it is; nothing is saved if one grade does not fit.",
        takes=ReferencesIn,
    ),
)
@door(permissions.CURATORS)
def references(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return what is right for the answers of a round, a page at a time, null where nobody said; or say it.

    What is not named stays as it is; nothing is saved if one grade does not fit.
    """
    found = get_object_or_404(
        round_reads.of(scope.project).select_related("project"), number=number
    )
    if request.method == "POST":
        sent = valid(ReferencesIn, request)["references"]
        _give(scope, found, sent)
        places, following = reads.places(found, {one["response"] for one in sent}), None
    else:
        page = reads.page(found, after=request.GET.get("after", ""))
        places, following = page.rows, keyset.next_url(request.GET, page)
    return Response(
        {
            "next": following,
            "results": ReferenceOut(places, many=True).data,
            "missing": reads.n_missing(found),
        }
    )


def _give(scope: Scope, round_: Round, sent: list[Mapping[str, Any]]) -> None:
    asked = reads.places(round_, {one["response"] for one in sent})
    known = {(one.response, one.criterion): one.place for one in asked}
    values: dict[reads.Place, Decimal] = {}
    why: dict[int, str] = {}
    for n, one in enumerate(sent, start=1):
        place = known.get((one["response"], one["criterion"]))
        if place is None:
            raise serializers.ValidationError(
                {
                    "references": [
                        _("Number %(n)d is no answer and criterion of this round.") % {"n": n}
                    ]
                }
            )
        values[place] = one["value"]
        if "explanation" in one:
            why[one["response"]] = one["explanation"].strip()
    giving.give(round_=round_, values=values, why=why, by=scope.user, now=timezone.now())


def _capability(scope: Scope, key: int) -> Capability:
    found = Capability.objects.filter(project=scope.project, pk=key).first()
    if found is None:
        raise serializers.ValidationError({"capability": [_("There is no such capability.")]})
    return found
