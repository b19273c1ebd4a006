"""A whole bank as one file, for programs: have it written, hand one in, bring it in."""

from typing import Any

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.decorators import parser_classes
from rest_framework.parsers import FormParser, MultiPartParser
from rest_framework.response import Response

from annotation.bankfile import operations as files
from annotation.bankfile import reading as lists
from annotation.bankfile.models import BankFile
from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite import errors
from evalsite.api.requests import CarefulJson
from evalsite.contract.calls import AFTER, Body, contract, get, post, taken_on, valid
from evalsite.contract.shapes import FILE, page
from evalsite.web import keyset

State, Way = BankFile.State, BankFile.Way


class NotWritten(errors.Conflict):
    """There is nothing to send yet, or never will be."""


class BankFileOut(serializers.ModelSerializer[BankFile]):
    """A file; `report` says what it holds, or what would become of each record."""

    class Meta:
        model = BankFile
        fields = (
            "number",
            "way",
            "state",
            "name",
            "named",
            "keep_own",
            "sha",
            "size",
            "done",
            "total",
            "report",
            "said",
            "created_at",
            "finished_at",
        )


class BankFileIn(Body):
    """With a file: it is handed in and read through. Without one: the bank is written into one."""

    file = serializers.FileField(required=False, allow_empty_file=True)
    named = serializers.BooleanField(default=False)


class ConfirmIn(Body):
    keep_own = serializers.BooleanField(default=False)


@contract(
    get(page(BankFileOut), "Return a page of bank files, the newest first.", query=[AFTER]),
    post(
        BankFileOut,
        "Ask for an export of the bank, or upload a file.",
        takes=BankFileIn,
        status=202,
    ),
)
@parser_classes([MultiPartParser, FormParser, CarefulJson])
@door(permissions.CURATORS)
def bank_files(request: Any, scope: Scope) -> Response:
    if request.method == "GET":
        found = lists.page(scope.project, request.GET.get("after", ""))
        results = BankFileOut(found.rows, many=True).data
        return Response({"results": results, "next": keyset.next_url(request.GET, found)})
    given = valid(BankFileIn, request)
    who = scope.deed()
    if "file" in given:
        pieces = given["file"].chunks(files.CHUNK)
        made = files.receive(name=given["file"].name, pieces=pieces, **who)
    else:
        made = files.ask_export(named=given["named"], **who)
    return _taken_on(scope, made)


@contract(
    get(BankFileOut, "Return how far a file is."),
    post(BankFileOut, "Import a file that was read through.", takes=ConfirmIn, status=202),
)
@door(permissions.CURATORS)
def bank_file(request: Any, scope: Scope, number: int) -> Response:
    file = _file(scope, number)
    if request.method == "GET":
        return Response(BankFileOut(file).data)
    files.confirm(file=file, **valid(ConfirmIn, request), **scope.who())
    return _taken_on(scope, _file(scope, number))


@contract(get(FILE))
@door(permissions.CURATORS)
def bank_file_zip(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send an export once it is written; 409 until then, and for a file that was handed in."""
    file = _file(scope, number)
    if file.way != Way.OUT or file.state != State.READY:
        raise NotWritten(_("This is no export that is written. Ask the file how far it is."))
    return StreamingHttpResponse(
        lists.pieces(file),
        content_type="application/zip",
        headers={
            "Content-Disposition": f'attachment; filename="{file.name}"',
            "Content-Length": str(file.size),
        },
    )


def _taken_on(scope: Scope, file: BankFile) -> Response:
    told = BankFileOut(file).data
    return taken_on(told, "api_bank_file", scope.project.slug, file.number)


def _file(scope: Scope, number: int) -> BankFile:
    return get_object_or_404(BankFile, project=scope.project, number=number)
