"""What the API says of a round: its line in the list, and the whole of it.

* Drafts of rounds by programs: what can be sent, and how it becomes deeds.
* Rounds as JSON: the list and one of them, for those who may see identities; drafts begun and changed.
* The draw of a round as JSON: what is wanted, what it would bring, and what was frozen.
"""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.response import Response

from annotation.domains.models import Capability
from annotation.people import permissions
from annotation.people.models import Role, User
from annotation.people.permissions import Scope, door
from annotation.rounds import drafting, manifests, readiness
from annotation.rounds import draws as draw_plans
from annotation.rounds import queries as reads
from annotation.rounds.models import Round
from annotation.rounds.records import (
    NewRound,
    RoundIn,
    RoundLineOut,
    RoundOut,
    RoundRubricRecord,
    RoundSettings,
)
from annotation.rounds.rules import Draw, DrawWanted
from annotation.rubrics.models import RubricVersion
from annotation.systems.models import SystemRelease
from evalsite.contract.calls import AFTER, contract, get, post, taken
from evalsite.contract.shapes import (
    ANYTHING,
    DOUBLE,
    answer,
    answers,
    at,
    maybe,
    page,
    partly,
    said,
    shape,
)
from evalsite.records import parts, told, values
from evalsite.web import keyset

SEATS = shape("Seats", total=at("n", int), submitted=at("done", int), held=int, free=int)
ROUND_SYSTEM = shape(
    "RoundSystem",
    system=at("release.system.name", str),
    release=at("release.label", str),
    id=at("release_id", int),
)


ROUND_RUBRIC = shape(
    "RoundRubric",
    capability=at("capability.name", maybe(str)),
    rubric=at("rubric_version.rubric.key", str),
    version=at("rubric_version.number", int),
)


NEEDED = shape("Needed", key=str, met=bool, text=str)


COVERAGE = shape("Coverage", submitted=at("n_done", int), items=at("n_items", int))


PLACE = shape(
    "Place",
    annotator=at("annotator.rater.public_id", UUID),
    person=at("annotator.rater.user.public_id", maybe(UUID)),
    name=str,
    submitted=at("done", int),
    held=int,
    last_at=maybe(datetime),
    ended_at=at("annotator.ended_at", maybe(datetime)),
    override=at("annotator.override", str),
)


ROUND = shape(
    "WholeRound",
    RoundOut,
    systems=[ROUND_SYSTEM],
    rubrics=[ROUND_RUBRIC],
    seats=SEATS,
    coverage=said([COVERAGE], "Of how many items so many seats are submitted."),
    annotators=[PLACE],
    needs=said(maybe([NEEDED]), "What a draft needs before it can be opened; null afterwards."),
)


LINE = shape("RoundWithSeats", RoundLineOut, seats=SEATS)


def whole(found: Round) -> dict[str, Any]:
    """Return a round with its design, its progress and, of a draft, what it still needs."""
    needs = readiness.needs(found) if found.state == Round.State.DRAFT else None
    return {
        **told(RoundOut, found),
        "systems": answers(ROUND_SYSTEM, reads.systems_of(found)),
        "rubrics": answers(ROUND_RUBRIC, reads.rubrics_of(found)),
        "seats": answer(SEATS, reads.seats(found)),
        "coverage": answers(COVERAGE, reads.coverage(found)),
        "annotators": answers(PLACE, reads.annotators_of(found)),
        "needs": None if needs is None else answers(NEEDED, needs),
    }


def create(request: HttpRequest, scope: Scope) -> Round:
    """Begin a draft by what was sent."""
    given = taken(NewRound, request)
    return drafting.create_round(
        name=given.name,
        seed=given.seed or secrets.token_hex(8),
        secret=secrets.token_bytes(32),
        **scope.deed(),
    )


@transaction.atomic
def change(request: Any, scope: Scope, found: Round) -> None:
    """Change of a round what was sent, all of it or nothing."""
    named = set(request.data) if isinstance(request.data, dict) else set()
    given = taken(RoundIn, request, onto=_as_it_is(found))
    who = scope.who()
    by_owner = scope.may({Role.OWNER})
    if named & SETTINGS:
        settings = RoundSettings(**values(given, RoundSettings))
        drafting.configure(round_=found, settings=settings, by_owner=by_owner, **who)
    if "releases" in named:
        releases = releases_named(scope, given.releases)
        drafting.choose_releases(round_=found, releases=releases, **who)
    if "rubrics" in named:
        by_capability, rest = _rubrics(scope, given.rubrics)
        drafting.choose_rubrics(round_=found, by_capability=by_capability, rest=rest, **who)
    if "annotators" in named:
        drafting.invite(
            round_=found,
            users=people_named(scope, given.annotators),
            by_owner=by_owner,
            override=given.override,
            **who,
        )


SETTINGS = frozenset(one.name for one in parts(RoundSettings))


def _as_it_is(found: Round) -> RoundSettings:
    return replace(RoundSettings.of(found), asks_qualification=None, qualified_override=None)


def releases_named(scope: Scope, pks: Sequence[int]) -> list[SystemRelease]:
    """Return the releases of these ids.

    Raises:
        DesignInvalid: one is none of the project.
    """
    found = reads.releases_of(scope.project).in_bulk(list(pks))
    if unknown := [pk for pk in pks if pk not in found]:
        _refuse("releases", _("No release of this project: %(names)s."), unknown)
    return list(found.values())


def _rubrics(
    scope: Scope, given: Sequence[RoundRubricRecord]
) -> tuple[dict[Capability, RubricVersion], RubricVersion | None]:
    versions = {(one.rubric.key, one.number): one for one in reads.versions_of(scope.project)}
    capabilities = Capability.objects.filter(project=scope.project).in_bulk(
        [one.capability for one in given if one.capability is not None]
    )
    by_capability: dict[Capability, RubricVersion] = {}
    rest = None
    for one in given:
        key, place = (one.rubric, one.version), one.capability
        if key not in versions:
            words = _("No rubric to grade by: %(names)s.")
            _refuse("rubrics", words, [f"{one.rubric} {one.version}"])
        if place is None:
            rest = versions[key]
        elif place not in capabilities:
            _refuse("rubrics", _("No capability of this project: %(names)s."), [place])
        else:
            by_capability[capabilities[place]] = versions[key]
    return by_capability, rest


def people_named(scope: Scope, ids: Sequence[Any]) -> list[User]:
    """Return the annotators of these public ids.

    Raises:
        DesignInvalid: one is none of the project.
    """
    people = {one.user.public_id: one.user for one in reads.people_of(scope.project)}
    if unknown := [one for one in ids if one not in people]:
        _refuse("annotators", _("No annotator of this project: %(names)s."), unknown)
    return [people[one] for one in dict.fromkeys(ids)]


def _refuse(field: str, words: str, names: Sequence[Any]) -> None:
    said_ = words % {"names": ", ".join(str(one) for one in names[:10])}
    raise drafting.DesignInvalid(said_, fields={field: [said_]})


@contract(
    get(
        page(LINE),
        "Return a page of rounds, the newest first.",
        query=[AFTER],
    ),
    post(ROUND, "Begin a draft.", takes=NewRound, status=201),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def rounds(request: HttpRequest, scope: Scope) -> Response:
    if request.method == "POST":
        return Response(whole(create(request, scope)), status=201)
    lines, page = reads.page_of(scope.project, after=request.GET.get("after", ""))
    results = [answer(LINE, one.round, seats=answer(SEATS, one.seats)) for one in lines]
    return Response({"results": results, "next": keyset.next_url(request.GET, page)})


@contract(
    get(ROUND, "Return a round with its design, its progress and, once open, its manifest."),
    post(ROUND, "Change a round, all that is named or nothing.", takes=partly(RoundIn)),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def round_(request: HttpRequest, scope: Scope, number: int) -> Response:
    found = get_object_or_404(
        reads.rounds_of(scope.project).select_related("project"), number=number
    )
    if request.method == "POST":
        change(request, scope, found)
        found.refresh_from_db()
    return Response(whole(found))


STRATUM = shape(
    "Stratum",
    name=str,
    wanted=int,
    available=int,
    recent=int,
    drawn=int,
    drawn_recent=int,
    missing=int,
)


ANCHORS = shape(
    "Anchors",
    round=at("round.number", int),
    wanted=int,
    available=int,
    drawn=int,
    missing=int,
    returning_annotators=at("n_returning", int),
)


PLANNED = shape(
    "Planned",
    external_id=at("candidate.external_id", str),
    purpose=str,
    pair=said(int, "Which pair of its answers, in a round of pairs; else 0."),
    occasion=int,
    stratum=str,
    probability=maybe(DOUBLE),
    unknown=str,
)


DIFFERENCE = shape("Difference", where=str, was=str, now=str)


DRAWN = shape(
    "WouldDraw",
    design=said({str: ANYTHING}, "What is wanted, as it can be sent."),
    eligible=at("n_eligible", int),
    strata=[STRATUM],
    unanswered=said({str: int}, "How many items wait for answers, by stratum."),
    anchors=maybe(ANCHORS),
    items=[PLANNED],
)


@contract(
    get(DRAWN, "Return what a draft would draw just now."),
    post(DRAWN, "Set what a draft wants drawn; return what it would draw.", takes=DrawWanted),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def draw(request: HttpRequest, scope: Scope, number: int) -> Response:
    found = get_object_or_404(
        reads.rounds_of(scope.project), number=number, state=Round.State.DRAFT
    )
    if request.method == "POST":
        wishes = Draw(**values(taken(DrawWanted, request)))
        drafting.choose_draw(round_=found, draw=wishes, **scope.who())
    wanted = Draw.from_json(found.draw)
    plan = draw_plans.plan(found, wanted, timezone.now())
    return Response(answer(DRAWN, plan, design=wanted.as_json()))


@contract(
    get(
        shape(
            "Frozen",
            manifest=said(
                maybe(shape("Manifest", sha=str, _rest=ANYTHING)),
                "What was frozen, to the last fingerprint; null before the round opens.",
            ),
            differences=maybe([DIFFERENCE]),
        )
    )
)
@door(permissions.UNBLINDED)
def manifest(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return what was frozen when the round opened, and what has changed since."""
    found = get_object_or_404(reads.rounds_of(scope.project), number=number)
    stored = manifests.kept(found)
    differences = manifests.differences(found)
    return Response(
        {
            "manifest": {**stored.body, "sha": stored.sha} if stored else None,
            "differences": None if differences is None else answers(DIFFERENCE, differences),
        }
    )
