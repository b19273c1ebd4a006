"""What a project has set: each change is a version."""

from dataclasses import asdict
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.models import Project
from annotation.operations import retention as keeping
from annotation.operations import settings as operations
from annotation.permissions import Scope, door
from annotation.queries import settings as reads
from annotation.rules import settings as rules
from annotation.rules.settings import KEPT, Bank, Masks, Retention, Section, as_json
from evalsite.contract.bodies import Body, valid
from evalsite.contract.calls import contract, get, post
from evalsite.contract.shapes import maybe, said, shape

VERSION = said(int, "Of the section; 0: nobody has set it. A change names it as `base`.")
BANK = shape(
    "BankSettings",
    version=VERSION,
    languages=said([str], "That a question may be in; none: any."),
    alike=said(int, "From how many percent on questions count as near-duplicates."),
)
MASKS = shape(
    "MaskSettings", version=VERSION, words=[str], patterns=[str], spared=[str], approved=bool
)
RETENTION = shape(
    "RetentionSettings",
    version=VERSION,
    days=said({str: int}, "After how many days what goes; what is not named is kept for ever."),
)
ALL = shape("Settings", bank=BANK, masks=MASKS, retention=RETENTION)


class _Based(Body):
    base = serializers.IntegerField(min_value=0)


class BankIn(_Based):
    """What is left out stays as it is; `base` is the version that was read."""

    languages = serializers.ListField(child=serializers.CharField(), required=False)
    alike = serializers.IntegerField(
        min_value=rules.LEAST_ALIKE, max_value=rules.MOST_ALIKE, required=False
    )


class MasksIn(_Based):
    """What is left out stays as it is; `base` is the version that was read."""

    words = serializers.ListField(child=serializers.CharField(), required=False)
    patterns = serializers.ListField(child=serializers.CharField(), required=False)
    spared = serializers.ListField(child=serializers.CharField(), required=False)
    approved = serializers.BooleanField(required=False)


class RetentionIn(_Based):
    """After how many days what goes; what is not named is kept for ever. `estimate` counts only."""

    days = serializers.DictField(child=serializers.IntegerField())
    estimate = serializers.BooleanField(default=False)


@api_view(["GET"])
@contract(
    get(ALL),
)
@door(permissions.CURATORS)
def settings(request: HttpRequest, scope: Scope) -> Response:
    """Return the settings of the project, section by section."""
    of = scope.project
    return Response({"bank": _bank(of), "masks": _masks(of), "retention": _retention(of)})


@api_view(["POST"])
@contract(
    post(BANK, takes=BankIn),
)
@door(permissions.CURATORS)
def bank(request: HttpRequest, scope: Scope) -> Response:
    """Set the languages of the bank and what counts as a near-duplicate."""
    body, how = _wanted(request, scope, BankIn, reads.bank_of(scope.project))
    operations.set_bank(bank=Bank.read(body), **how)
    return Response(_bank(scope.project))


@api_view(["POST"])
@contract(
    post(MASKS, takes=MasksIn),
)
@door(permissions.CURATORS)
def masks(request: HttpRequest, scope: Scope) -> Response:
    """Set the project's own words by which answers that name their system are found."""
    body, how = _wanted(request, scope, MasksIn, reads.masks_of(scope.project))
    operations.set_masks(masks=Masks.read(body), **how)
    return Response(_masks(scope.project))


@api_view(["POST"])
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
    ),
)
@door(permissions.OWNERS)
def retention(request: HttpRequest, scope: Scope) -> Response:
    """Set how long drafts, logs, files, texts of calls and figures are kept; or only count what would go."""
    given, now = valid(RetentionIn, request), timezone.now()
    of, wanted = scope.project, _known(given["days"])
    if given["estimate"]:
        operations.check(wanted)
    else:
        operations.set_retention(
            project=of, retention=wanted, base=given["base"], by=scope.user, now=now
        )
    counts = keeping.count(project=of, days=dict(wanted.days), now=now)
    return Response({**_retention(of), "would_go": counts})


def _known(days: dict[str, int]) -> Retention:
    if unknown := sorted(set(days) - set(KEPT)):
        message = _("There is nothing of this name to be kept: %(names)s. There are %(known)s.")
        told = message % {"names": ", ".join(unknown), "known": ", ".join(KEPT)}
        raise serializers.ValidationError({"days": [told]})
    return Retention(days)


def _wanted(
    request: HttpRequest, scope: Scope, takes: type[_Based], held: Bank | Masks
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a section with what was named in place of what holds, and by whom on top of what."""
    given = valid(takes, request)
    base = given.pop("base")
    how = {"project": scope.project, "base": base, "by": scope.user, "now": timezone.now()}
    return {**asdict(held), **given}, how


def _bank(of: Project) -> dict[str, Any]:
    held = reads.bank_of(of)
    return {"version": _version(of, Section.BANK), **as_json(held)}


def _masks(of: Project) -> dict[str, Any]:
    held = reads.masks_of(of)
    return {"version": _version(of, Section.MASKS), **as_json(held)}


def _retention(of: Project) -> dict[str, Any]:
    return {"version": _version(of, Section.RETENTION), "days": dict(reads.retention_of(of).days)}


def _version(of: Project, section: Section) -> int:
    held = reads.newest(of, section)
    return held.number if held else 0
