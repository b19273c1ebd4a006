"""Projects as JSON: those of the person who asks, a new one, and what one is called.

* Reads of a project's things as JSON. A list says where its next page is.
* What a project has set: each change is a version.
* People, what opens the project for them, and what was done, as JSON, for owners.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from django.http import Http404, HttpRequest
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.sentences import gettext as _
from annotation.home import events
from annotation.home import operations as home
from annotation.home.events import EventFilter
from annotation.people import api as mine
from annotation.people import audit as chain
from annotation.people import operations as people
from annotation.people import permissions
from annotation.people import queries as reads
from annotation.people.api import EVENT
from annotation.people.models import Project, User
from annotation.people.permissions import Scope, door
from annotation.people.records import Called, ProjectsAbout
from annotation.people.rules import KEPT, Bank, Masks, Retention, Section
from annotation.systems import api as systems_api
from annotation.systems import queries as item_reads
from annotation.systems.forms import ItemFilter
from evalsite import errors
from evalsite.contract.calls import (
    AFTER,
    Body,
    contract,
    get,
    listed,
    of_form,
    post,
    readable,
    taken,
    valid,
)
from evalsite.contract.shapes import answer, answers, maybe, page, partly, rows, said, shape
from evalsite.kinds import Text, Whole
from evalsite.kinds import slug as short
from evalsite.records import plain, values
from evalsite.web import keyset

ABOUT = shape(
    "AboutProject",
    ProjectsAbout,
    slug=said(str, "Stands in every address of the project and never changes."),
)


class Confined(errors.NotAllowed):
    """The token opens one project; a new one would be another."""

    code = "token_confined"


@dataclass(frozen=True, kw_only=True)
class NewProject(Called):
    """A project to be started; whoever starts it owns it. Without a template it is empty.

    Without a short name, one is made from the name.
    """

    slug: Annotated[str, short(60, empty=True)] = ""
    template: Annotated[str, Text(60)] = ""


@contract(
    get(rows(mine.PROJECT_NAME), "Return your projects."),
    post(
        ABOUT,
        "Start a project, if you may (`may_start_projects` of `/me/`); you become its owner.",
        takes=NewProject,
        status=201,
    ),
)
def projects(request: Request) -> Response:
    assert isinstance(request.user, User)
    if request.method == "GET":
        return Response({"results": answers(mine.PROJECT_NAME, reads.list_of(request.user))})
    home.refuse_starter(request.user)
    given = values(taken(NewProject, request))
    if request.user.confined_to is not None:
        raise Confined(_("This token opens one project only. Make one for all of your projects."))
    made = home.start_project(**given, by=request.user, now=timezone.now())
    return Response(_about(made), status=201)


@contract(
    get(ABOUT, "Return what the project is called, and what its annotators are told."),
    post(
        ABOUT,
        "Change what the project is called, and what its annotators are told.",
        takes=partly(ProjectsAbout),
    ),
)
@door(permissions.OWNERS)
def about(request: HttpRequest, scope: Scope) -> Response:
    of = scope.project
    if request.method == "GET":
        return Response(_about(of))
    wanted = values(taken(ProjectsAbout, request, onto=ProjectsAbout.of(of)))
    people.set_up_project(project=of, **wanted, **scope.who())
    of.refresh_from_db()
    return Response(_about(of))


def _about(of: Project) -> dict[str, Any]:
    return {"slug": of.slug, **plain(ProjectsAbout.of(of))}


INDEX = shape("Addresses", addresses=said([str], "`{…}` stands for what is filled in."))
MY_PROJECT = shape("MyProject", mine.PROJECT_NAME, roles=said([str], "Yours there."))
ME = shape(
    "WhoAsks",
    mine.ME,
    projects=[MY_PROJECT],
)


@contract(get(INDEX))
def index(request: Request) -> Response:
    """Return the addresses of the API; `{…}` stands for what is filled in."""
    patterns = get_resolver().url_patterns
    return Response({"addresses": sorted(_addresses(patterns, "/"))})


def _addresses(patterns: Iterable[URLPattern | URLResolver], before: str) -> Iterator[str]:
    for pattern in patterns:
        address = before + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(pattern.pattern))
        if isinstance(pattern, URLResolver):
            yield from _addresses(pattern.url_patterns, address)
        elif address.startswith("/api/"):
            yield address


@contract(get(ME))
def me(request: Request) -> Response:
    """Return who you are, and your roles in each of your projects."""
    assert isinstance(request.user, User)
    projects = answers(MY_PROJECT, reads.list_of(request.user))
    return Response(answer(ME, request.user, projects=projects))


@contract(get(page(systems_api.ItemOut), query=[*of_form(ItemFilter), AFTER]))
@door(permissions.READERS)
def items(request: HttpRequest, scope: Scope) -> Response:
    """Return a page of items by text, capability, difficulty, import and origin."""
    filters = readable(ItemFilter(request.GET, project=scope.project)).filters()
    page = item_reads.page(scope.project, filters, after=request.GET.get("after", ""))
    return Response(
        {
            "results": systems_api.ItemOut(page.rows, many=True).data,
            "next": keyset.next_url(request.GET, page),
        }
    )


@contract(get(systems_api.ItemOut, "Return an item."))
@door(permissions.READERS)
def item(request: HttpRequest, scope: Scope, pk: int) -> Response:
    found = item_reads.counted(item_reads.items_of(scope.project)).filter(pk=pk).first()
    if found is None:
        raise Http404
    return Response(systems_api.ItemOut(found).data)


VERSION = said(int, "Of the section; 0: nobody has set it. A change names it as `base`.")
BANK = shape("BankSettings", Bank, version=VERSION)
MASKS = shape("MaskSettings", Masks, version=VERSION)
RETENTION = shape(
    "RetentionSettings",
    version=VERSION,
    days=said({str: int}, "After how many days what goes; what is not named is kept for ever."),
)
ALL = shape("Settings", bank=BANK, masks=MASKS, retention=RETENTION)


@dataclass(frozen=True, kw_only=True)
class BankIn(Bank):
    """What is left out stays as it is; `base` is the version that was read."""

    base: Annotated[int, Whole()]


@dataclass(frozen=True, kw_only=True)
class MasksIn(Masks):
    """What is left out stays as it is; `base` is the version that was read."""

    base: Annotated[int, Whole()]


class RetentionIn(Body):
    """After how many days what goes; what is not named is kept for ever. `estimate` counts only."""

    base = serializers.IntegerField(min_value=0)
    days = serializers.DictField(child=serializers.IntegerField())
    estimate = serializers.BooleanField(default=False)


@contract(get(ALL))
@door(permissions.CURATORS)
def settings(request: HttpRequest, scope: Scope) -> Response:
    """Return the settings of the project, section by section."""
    of = scope.project
    return Response({"bank": _bank(of), "masks": _masks(of), "retention": _retention(of)})


@contract(post(BANK, takes=BankIn))
@door(permissions.CURATORS)
def bank(request: HttpRequest, scope: Scope) -> Response:
    """Set the languages of the bank and what counts as a near-duplicate."""
    given = taken(BankIn, request, onto=reads.bank_of(scope.project))
    bank = Bank(**values(given, Bank))
    people.set_bank(project=scope.project, bank=bank, base=given.base, **scope.who())
    return Response(_bank(scope.project))


@contract(post(MASKS, takes=MasksIn))
@door(permissions.CURATORS)
def masks(request: HttpRequest, scope: Scope) -> Response:
    """Set the project's own words by which answers that name their system are found."""
    given = taken(MasksIn, request, onto=reads.masks_of(scope.project))
    masks = Masks(**values(given, Masks))
    people.set_masks(project=scope.project, masks=masks, base=given.base, **scope.who())
    return Response(_masks(scope.project))


@contract(
    post(
        shape(
            "RetentionSet",
            RETENTION,
            would_go=said(
                {str: maybe(int)}, "How many of each are older by now; null: not limited, so none."
            ),
        ),
        takes=RetentionIn,
    )
)
@door(permissions.OWNERS)
def retention(request: HttpRequest, scope: Scope) -> Response:
    """Set how long drafts, logs, files, texts of calls and figures are kept; or only count what would go."""
    given, now = valid(RetentionIn, request), timezone.now()
    of, wanted = scope.project, _known(given["days"])
    if given["estimate"]:
        people.check(wanted)
    else:
        people.set_retention(
            project=of, retention=wanted, base=given["base"], by=scope.user, now=now
        )
    counts = home.count(project=of, days=dict(wanted.days), now=now)
    return Response({**_retention(of), "would_go": counts})


def _known(days: dict[str, int]) -> Retention:
    if unknown := sorted(set(days) - set(KEPT)):
        message = _("There is nothing of this name to be kept: %(names)s. There are %(known)s.")
        told = message % {"names": ", ".join(unknown), "known": ", ".join(KEPT)}
        raise serializers.ValidationError({"days": [told]})
    return Retention(days)


def _bank(of: Project) -> dict[str, Any]:
    held = reads.bank_of(of)
    return {"version": _version(of, Section.BANK), **plain(held)}


def _masks(of: Project) -> dict[str, Any]:
    held = reads.masks_of(of)
    return {"version": _version(of, Section.MASKS), **plain(held)}


def _retention(of: Project) -> dict[str, Any]:
    return {"version": _version(of, Section.RETENTION), "days": dict(reads.retention_of(of).days)}


def _version(of: Project, section: Section) -> int:
    held = reads.newest(of, section)
    return held.number if held else 0


@contract(get(page(EVENT), query=[*of_form(EventFilter), AFTER]))
@door(permissions.OWNERS)
def audit(request: HttpRequest, scope: Scope) -> Response:
    """Return a page of what was done, the newest first."""
    filters = readable(EventFilter(request.GET, project=scope.project)).filters()
    found = events.page(scope.project, filters, after=request.GET.get("after", ""))
    return listed(request, EVENT, found, events.lines(found.rows))


@contract(
    get(
        shape(
            "Seal",
            sealed=said(int, "Events in the chain of hashes."),
            waiting=said(int, "Events that are not sealed yet."),
            broken=said(maybe(int), "The first event whose hash does not fit; null: none."),
        )
    )
)
@door(permissions.OWNERS)
def seal(request: HttpRequest, scope: Scope) -> Response:
    """Read the whole chain of what was done, and say where it breaks, if it does."""
    state = events.seal_of(scope.project)
    broken = chain.broken_link(scope.project)
    return Response({"sealed": state.last, "waiting": state.n_waiting, "broken": broken})
