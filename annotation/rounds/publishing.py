"""Make a blind round of what systems put out: items, their responses, and a draft that draws them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.common import texts as contents
from annotation.common.pace import Batches
from annotation.people.models import Project, User
from annotation.rounds import drafting
from annotation.rounds.models import Round
from annotation.rounds.rules import MOST_RELEASES
from annotation.rubrics.models import RubricVersion
from annotation.systems import operations as responses
from annotation.systems.models import Item, SystemRelease
from annotation.systems.rules import Output, Unit


@dataclass(frozen=True)
class PublishedDesign:
    """How the round of published outputs is graded."""

    settings: drafting.RoundSettings
    rubric: RubricVersion
    seed: str
    secret: bytes


@dataclass(frozen=True)
class PublishedOutputs:
    """Items and responses that are there: what a draft is told to draw, and whose they are."""

    published: Mapping[str, Mapping[str, Any]]
    releases: Sequence[SystemRelease]


def write(*, project: Project, units: Sequence[Unit], now: datetime) -> PublishedOutputs:
    """Write the items and responses of units in short batches; what is there already is found.

    Raises:
        DesignInvalid: there is nothing to publish, or what is to be is of too many releases.
    """
    releases = _releases(project, units)
    published: dict[str, dict[str, Any]] = {}
    for batch in Batches(start=20, most=200, breath=0.3).batches(units):
        with transaction.atomic():
            for unit in batch:
                item = _item(project, unit, now)
                pks = [_response(item, one, now) for one in unit.outputs]
                published[str(item)] = {"chance": unit.chance, "responses": pks}
    return PublishedOutputs(published, releases)


def _releases(project: Project, units: Sequence[Unit]) -> list[SystemRelease]:
    pks = {output.release_id for unit in units for output in unit.outputs}
    found = SystemRelease.objects.seen().filter(pk__in=pks, system__project=project)
    releases = list(found.select_related("system").order_by("pk"))
    if len(releases) < len(pks):
        raise drafting.DesignInvalid(_("One of these releases belongs to another project."))
    if not releases:
        raise drafting.DesignInvalid(
            _("There is nothing to publish. Wait until the run has put something out.")
        )
    if len(releases) > MOST_RELEASES:
        message = _("A round compares up to %(most)s releases. Choose some of the %(n)s.")
        raise drafting.DesignInvalid(
            message % {"most": MOST_RELEASES, "n": len(releases)},
            fields={"releases": [message % {"most": MOST_RELEASES, "n": len(releases)}]},
        )
    return releases


def _item(project: Project, unit: Unit, now: datetime) -> int:
    """Return the item of a unit, made if it is not there; it is drawn by rounds like this alone."""
    if unit.item_id is not None:
        return Item.objects.seen().get(project=project, pk=unit.item_id).pk
    messages = [dict(one) for one in unit.messages]
    made, _created = Item.objects.get_or_create(
        project=project,
        external_id=unit.external_id,
        content_sha=contents.content_sha(messages, unit.reference, dict(unit.extra)),
        question_version=None,
        defaults={
            "prompt_sha": contents.prompt_sha(messages),
            "group": unit.group or unit.external_id,
            "messages": messages,
            "reference": unit.reference,
            "extra": dict(unit.extra),
            "capability_id": unit.capability_id,
            "domain_id": unit.domain_id,
            "difficulty": unit.difficulty,
            "created_at": now,
            "published_at": now,
        },
    )
    return made.pk


def _response(item: int, output: Output, now: datetime) -> int:
    if output.response_id is not None:
        return output.response_id
    return responses.record_response(item_id=item, output=output, now=now)


@transaction.atomic
def draft(
    *,
    project: Project,
    written: PublishedOutputs,
    design: PublishedDesign,
    by: User,
    by_owner: bool,
    now: datetime,
) -> Round:
    """Begin a round that draws what was written, each item with the chance it was chosen with.

    The draft is prepared, checked for names and opened like any other.

    Raises:
        OverrideNeeded: fewer than three seats without an owner's reason.
        DesignInvalid: the rubric or a number cannot be used.
    """
    made = drafting.create_round(
        project=project,
        name=design.settings.name,
        seed=design.seed,
        secret=design.secret,
        by=by,
        now=now,
    )
    drafting.configure(round_=made, settings=design.settings, by=by, by_owner=by_owner, now=now)
    drafting.choose_releases(round_=made, releases=written.releases, by=by, now=now)
    drafting.choose_rubrics(round_=made, by_capability={}, rest=design.rubric, by=by, now=now)
    wishes = drafting.Draw(complete_only=False, published=written.published)
    drafting.choose_draw(round_=made, draw=wishes, by=by, now=now)
    return made
