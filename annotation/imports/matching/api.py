"""Files to start from, for programs."""

from typing import Final

from django.http import Http404, HttpRequest, HttpResponse

from annotation.files.models import ImportKind
from annotation.imports.matching import starters
from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite.contract.calls import choice, contract, get
from evalsite.contract.shapes import FILE

#: What the file in an address is of.
KIND: Final = [choice("kind", [one.lower() for one in starters.KINDS], "What the file is to hold.")]


@contract(get(FILE, parts=KIND))
@door(permissions.CURATORS)
def import_template_csv(request: HttpRequest, scope: Scope, kind: str) -> HttpResponse:
    """Return a file of answers, grades, preferences or scores to fill in, of this project's names, as CSV."""
    return template(scope, kind, "csv")


@contract(get(FILE, parts=KIND))
@door(permissions.CURATORS)
def import_template_xlsx(request: HttpRequest, scope: Scope, kind: str) -> HttpResponse:
    """Return a file of answers, grades, preferences or scores to fill in, of this project's names, as a workbook."""
    return template(scope, kind, "xlsx")


@contract(get(FILE, parts=KIND))
@door(permissions.CURATORS)
def import_template_jsonl(request: HttpRequest, scope: Scope, kind: str) -> HttpResponse:
    """Return a file of answers, grades, preferences or scores to fill in, of this project's names, as JSONL."""
    return template(scope, kind, "jsonl")


def template(scope: Scope, kind: str, form: str) -> HttpResponse:
    """Return a file to start from, for pages and programs alike."""
    if kind.upper() not in starters.KINDS or form not in starters.FORMS:
        raise Http404
    made = starters.starter(scope.project, ImportKind(kind.upper()), form)
    headers = {"Content-Disposition": f'attachment; filename="{made.name}"'}
    return HttpResponse(made.data, content_type=made.content_type, headers=headers)
