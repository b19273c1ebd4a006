"""Collections of sources as JSON: the list, and one with the designers who see it."""

from typing import Any

from django.http import Http404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.models import Appointment, SourceCollection
from annotation.operations.bank import collections as operations
from annotation.permissions import Scope, door
from annotation.queries import source_collections as reads
from evalsite.contract.bodies import Body
from evalsite.contract.calls import contract, get, post
from evalsite.contract.shapes import rows, shape


class CollectionOut(serializers.ModelSerializer[SourceCollection]):
    class Meta:
        model = SourceCollection
        fields = ("id", "name", "note", "created_at")


class CollectionIn(Body):
    name = serializers.CharField(max_length=120)
    note = serializers.CharField(max_length=500, default="", allow_blank=True)


class AppointmentOut(serializers.ModelSerializer[Appointment]):
    designer = serializers.UUIDField(source="user.public_id")

    class Meta:
        model = Appointment
        fields = ("id", "designer", "appointed_at", "ended_at")


class AppointIn(Body):
    """Either a designer to appoint, or an appointment to end."""

    designer = serializers.UUIDField(required=False)
    end = serializers.IntegerField(required=False, min_value=1)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if len(attrs) != 1:
            raise serializers.ValidationError("Name either a designer or an appointment to end.")
        return attrs


WHOLE = shape("CollectionWithDesigners", CollectionOut, designers=[AppointmentOut])


@api_view(["GET", "POST"])
@contract(
    get(rows(CollectionOut), "Return the collections of sources."),
    post(CollectionOut, "Begin a collection.", takes=CollectionIn, status=201),
)
@door(permissions.CURATORS)
def collections(request: Any, scope: Scope) -> Response:
    """Return the collections of a project, or begin one."""
    if request.method == "POST":
        sent = CollectionIn(data=request.data)
        sent.is_valid(raise_exception=True)
        made = operations.create_collection(
            project=scope.project, by=scope.user, now=timezone.now(), **sent.validated_data
        )
        return Response(CollectionOut(made).data, status=201)
    return Response({"results": CollectionOut(reads.lines(scope.project), many=True).data})


@api_view(["GET", "POST"])
@contract(
    get(WHOLE, "Return a collection with its designers."),
    post(WHOLE, "Appoint a designer, or end an appointment.", takes=AppointIn),
)
@door(permissions.CURATORS)
def collection(request: Any, scope: Scope, pk: int) -> Response:
    """Return a collection with its designers; POST appoints one, or ends an appointment."""
    found = reads.collection_of(scope.project, pk)
    if found is None:
        raise Http404
    if request.method == "POST":
        sent = AppointIn(data=request.data)
        sent.is_valid(raise_exception=True)
        _change(scope, found, sent.validated_data)
    designers = AppointmentOut(reads.appointments_of(found), many=True).data
    return Response({**CollectionOut(found).data, "designers": designers})


def _change(scope: Scope, found: SourceCollection, given: dict[str, Any]) -> None:
    who: dict[str, Any] = {"by": scope.user, "now": timezone.now()}
    if "end" in given:
        ended = reads.appointment_of(scope.project, found.pk, given["end"])
        if ended is None:
            raise Http404
        operations.end_appointment(appointment=ended, **who)
        return
    wanted = given["designer"]
    chosen = next((one for one in reads.designers_besides(found) if one.public_id == wanted), None)
    if chosen is None:
        raise Http404
    operations.appoint(collection=found, user=chosen, **who)
