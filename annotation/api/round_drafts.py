"""Drafts of rounds by programs: what can be sent, and how it becomes deeds."""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.models import Capability, Role, Round, RubricVersion, SystemRelease, User
from annotation.operations.rounds import drafting
from annotation.permissions import Scope
from annotation.queries import rounds as reads
from annotation.rules import rounds as rules
from evalsite.contract.bodies import Body, valid


class NewRoundIn(Body):
    name = serializers.CharField(max_length=rules.LONGEST_NAME)
    seed = serializers.CharField(max_length=rules.LONGEST_SEED, required=False, allow_blank=True)


class RoundRubricIn(Body):
    """By which version of a rubric a capability is graded; null: all the rest."""

    capability = serializers.IntegerField(allow_null=True)
    rubric = serializers.CharField(max_length=200)
    version = serializers.IntegerField(min_value=1)


def _reason() -> serializers.CharField:
    return serializers.CharField(max_length=rules.LONGEST_REASON, required=False, allow_blank=True)


class RoundIn(Body):
    """What a round is to be; what is left out stays as it is.

    `annotators` can be changed until the round is final, all else in a draft only.
    """

    name = serializers.CharField(max_length=rules.LONGEST_NAME, required=False)
    n_seats = serializers.IntegerField(min_value=1, max_value=rules.MOST_SEATS, required=False)
    seats_override = _reason()
    lease_minutes = serializers.IntegerField(
        min_value=rules.SHORTEST_LEASE, max_value=rules.LONGEST_LEASE, required=False
    )
    deadline = serializers.DateTimeField(required=False, allow_null=True)
    instructions = serializers.CharField(required=False, allow_blank=True)
    uniform_rendering = serializers.BooleanField(required=False)
    asks_qualification = serializers.BooleanField(required=False)
    qualified_override = _reason()
    releases = serializers.ListField(child=serializers.IntegerField(), required=False)
    rubrics = RoundRubricIn(many=True, required=False)
    annotators = serializers.ListField(child=serializers.UUIDField(), required=False)
    override = _reason()


def create(request: HttpRequest, scope: Scope) -> Round:
    """Begin a draft by what was sent."""
    given = valid(NewRoundIn, request)
    return drafting.create_round(
        project=scope.project,
        name=given["name"],
        seed=given.get("seed") or secrets.token_hex(8),
        secret=secrets.token_bytes(32),
        by=scope.user,
        now=timezone.now(),
    )


@transaction.atomic
def change(request: HttpRequest, scope: Scope, found: Round) -> None:
    """Change of a round what was sent, all of it or nothing."""
    given = valid(RoundIn, request)
    names = {one for one in given if one in drafting.Settings.__dataclass_fields__}
    if names:
        _configure(scope, found, {name: given[name] for name in names})
    if "releases" in given:
        drafting.choose_releases(
            round_=found,
            releases=releases_named(scope, given["releases"]),
            by=scope.user,
            now=timezone.now(),
        )
    if "rubrics" in given:
        by_capability, rest = _rubrics(scope, given["rubrics"])
        drafting.choose_rubrics(
            round_=found,
            by_capability=by_capability,
            rest=rest,
            by=scope.user,
            now=timezone.now(),
        )
    if "annotators" in given:
        drafting.invite(
            round_=found,
            users=people_named(scope, given["annotators"]),
            by=scope.user,
            by_owner=scope.may({Role.OWNER}),
            now=timezone.now(),
            override=given.get("override", ""),
        )


def _configure(scope: Scope, found: Round, given: dict[str, Any]) -> None:
    as_it_is = drafting.Settings(
        name=found.name,
        n_seats=found.n_seats,
        seats_override=found.seats_override,
        lease_minutes=found.lease_minutes,
        deadline=found.deadline,
        instructions=found.instructions,
        uniform_rendering=found.uniform_rendering,
    )
    drafting.configure(
        round_=found,
        settings=replace(as_it_is, **given),
        by=scope.user,
        by_owner=scope.may({Role.OWNER}),
        now=timezone.now(),
    )


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
    scope: Scope, given: Sequence[dict[str, Any]]
) -> tuple[dict[Capability, RubricVersion], RubricVersion | None]:
    versions = {(one.rubric.key, one.number): one for one in reads.versions_of(scope.project)}
    capabilities = Capability.objects.filter(project=scope.project).in_bulk(
        [one["capability"] for one in given if one["capability"] is not None]
    )
    by_capability: dict[Capability, RubricVersion] = {}
    rest = None
    for one in given:
        key, place = (one["rubric"], one["version"]), one["capability"]
        if key not in versions:
            words = _("No rubric to grade by: %(names)s.")
            _refuse("rubrics", words, [f"{one['rubric']} {one['version']}"])
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
