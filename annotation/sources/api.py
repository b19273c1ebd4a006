"""The corpus as JSON: sources, one with its versions, what it says now, what was found of it.

* Collections of sources as JSON: the list, and one with the designers who see it.
"""

from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import parser_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.response import Response

from annotation.common import texts as passages
from annotation.people import permissions
from annotation.people.permissions import Scope, door
from annotation.sources import operations as source_checks
from annotation.sources import queries as reads
from annotation.sources.forms import SourceFilter
from annotation.sources.models import Source, SourceCollection
from annotation.sources.records import (
    AppointIn,
    CheckIn,
    CheckOut,
    CollectionIn,
    CollectionOut,
    Particulars,
    SourceAbout,
    SourceIn,
    SourceOut,
    SourceSaid,
    SourcesFileIn,
    SourceVersionOut,
    SourceWords,
)
from evalsite import documents
from evalsite.contract.calls import (
    AFTER,
    as_form,
    contract,
    get,
    of_form,
    post,
    readable,
    taken,
)
from evalsite.contract.shapes import ANYTHING, answer, answers, at, maybe, page, partly, rows, shape
from evalsite.records import told, values
from evalsite.web import keyset

SOURCE_EDIT = shape(
    "SourceEdit", before=ANYTHING, after=ANYTHING, by=at("by.public_id", UUID), at=datetime
)


SOURCE = shape("WholeSource", SourceOut, standing=str, versions=[SourceVersionOut])
LINE = shape(
    "",
    version=at("number", maybe(int)),
    valid_until=maybe(date),
    is_stale=bool,
    standing=str,
    n_questions=int,
)
PARAGRAPH = shape("Paragraph", number=int, start=int, end=int, page=maybe(int))
READ = shape(
    "FileText",
    text=str,
    title=str,
    format=str,
    sha256=at("sha", str),
    pages=at("n_pages", maybe(int)),
    silent_pages=at("silent", [int]),
    paragraphs=[PARAGRAPH],
)


@contract(
    get(
        page(shape("SourceLine", SourceOut, LINE)),
        "Return a page of the sources.",
        query=[*of_form(SourceFilter), AFTER],
    ),
    post(SOURCE, "Take a source into the corpus.", takes=SourceIn, status=201),
)
@door(permissions.READERS, permissions.BANK)
def sources(request: Any, scope: Scope) -> Response:
    if request.method == "POST":
        given = taken(SourceIn, request)
        made = source_checks.add_source(
            about=SourceAbout(**values(given, SourceAbout)),
            said=SourceSaid(**values(given, SourceWords)),
            **scope.deed(),
        )
        return Response(_source(made.source), status=201)
    today = timezone.now().date()
    shelves = reads.collections_for(scope.project, scope.user, scope.roles)
    filters = readable(SourceFilter(request.GET, collections=shelves)).filters()
    rows = reads.filtered(_visible(scope), filters, today)
    page = reads.page(rows, after=request.GET.get("after", ""))
    results = [
        {**told(SourceOut, line.source), **answer(LINE, line)}
        for line in reads.lines(page.rows, today)
    ]
    return Response({"results": results, "next": keyset.next_url(request.GET, page)})


@contract(
    get(SOURCE, "Return a source with its versions, the newest first."),
    post(SOURCE, "Write the next version of a source.", takes=SourceWords),
)
@door(permissions.READERS, permissions.BANK)
def source(request: Any, scope: Scope, pk: int) -> Response:
    found = _found(scope, pk)
    if request.method == "POST":
        said = SourceSaid(**values(taken(SourceWords, request)))
        source_checks.add_version(source=found, said=said, **scope.who())
    return Response(_source(found))


@contract(
    get(rows(SOURCE_EDIT), "Return corrections of where a source comes from, the newest first."),
    post(
        SOURCE,
        "Correct where a source comes from; what is not named stays.",
        takes=partly(Particulars),
    ),
)
@door(permissions.READERS, permissions.BANK)
def source_edits(request: Any, scope: Scope, pk: int) -> Response:
    found = _found(scope, pk)
    if request.method == "POST":
        given = taken(Particulars, request, onto=Particulars.of(found))
        about = SourceAbout(**values(given))
        source_checks.edit(source=found, about=about, **scope.who())
        return Response(_source(_found(scope, pk)))
    edits = [one.edit for one in reads.corrections_of(found)]
    return Response({"results": answers(SOURCE_EDIT, edits)})


@contract(
    get(rows(CheckOut), "Return the checks of a source, the newest first."),
    post(CheckOut, "Record a check of a source.", takes=CheckIn, status=201),
)
@door(permissions.READERS, permissions.INSPECTORS)
def checks(request: Any, scope: Scope, pk: int) -> Response:
    found = _found(scope, pk)
    if request.method == "POST":
        given = taken(CheckIn, request)
        made = source_checks.check(
            source=found, number=given.version, outcome=given.outcome, how=given.how, **scope.who()
        )
        return Response(told(CheckOut, made), status=201)
    return Response({"results": [told(CheckOut, one) for one in reads.checks_of(found)]})


@contract(post(READ, takes=SourcesFileIn))
@parser_classes([MultiPartParser])
@door(permissions.BANK)
def source_reading(request: Any, scope: Scope) -> Response:
    """Return the text of a file, paragraph by paragraph; nothing is kept of it."""
    file = as_form(SourcesFileIn, request).file
    found = documents.read_document(file.read(documents.MOST_BYTES + 1), file.name or "")
    paragraphs = answers(PARAGRAPH, passages.paragraphs(found.text))
    return Response(answer(READ, found, paragraphs=paragraphs))


def _visible(scope: Scope) -> "QuerySet[Source]":
    return reads.visible_to(scope.project, scope.user, scope.roles)


def _found(scope: Scope, pk: int) -> Source:
    found = reads.source_of(_visible(scope), pk)
    if found is None:
        raise Http404
    return found


def _source(found: Source) -> dict[str, Any]:
    versions = reads.versions_of(found)
    standing = reads.standing_by(reads.checks_of(found), versions[0].number)
    texts = [told(SourceVersionOut, one) for one in versions]
    return told(SourceOut, found, standing=standing, versions=texts)


APPOINTMENT = shape(
    "Appointment",
    id=int,
    designer=at("user.public_id", UUID),
    appointed_at=datetime,
    ended_at=maybe(datetime),
)


WHOLE = shape("CollectionWithDesigners", CollectionOut, designers=[APPOINTMENT])


@contract(
    get(rows(CollectionOut), "Return the collections of sources."),
    post(CollectionOut, "Begin a collection.", takes=CollectionIn, status=201),
)
@door(permissions.CURATORS)
def collections(request: Any, scope: Scope) -> Response:
    if request.method == "POST":
        given = values(taken(CollectionIn, request))
        made = source_checks.create_collection(**given, **scope.deed())
        return Response(told(CollectionOut, made), status=201)
    lines = reads.collection_lines(scope.project)
    return Response({"results": [told(CollectionOut, one) for one in lines]})


@contract(
    get(WHOLE, "Return a collection with its designers."),
    post(WHOLE, "Appoint a designer, or end an appointment.", takes=AppointIn),
)
@door(permissions.CURATORS)
def collection(request: Any, scope: Scope, pk: int) -> Response:
    found = reads.collection_of(scope.project, pk)
    if found is None:
        raise Http404
    if request.method == "POST":
        _change(scope, found, taken(AppointIn, request))
    designers = answers(APPOINTMENT, reads.appointments_of(found))
    return Response(told(CollectionOut, found, designers=designers))


def _change(scope: Scope, found: SourceCollection, given: AppointIn) -> None:
    who = scope.who()
    if (given.end is None) == (given.designer is None):
        raise serializers.ValidationError("Name either a designer or an appointment to end.")
    if given.end is not None:
        ended = reads.appointment_of(scope.project, found.pk, given.end)
        if ended is None:
            raise Http404
        source_checks.end_appointment(appointment=ended, **who)
        return
    designers = reads.designers_besides(found)
    chosen = next((one for one in designers if one.public_id == given.designer), None)
    if chosen is None:
        raise Http404
    source_checks.appoint(collection=found, user=chosen, **who)
