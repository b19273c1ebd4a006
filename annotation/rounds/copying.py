"""Begin a draft that is set as another round was: the same questions, or a new draw with the same settings."""

from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.people import audit
from annotation.people.models import UNBLINDED, Role, User
from annotation.rounds import drafting
from annotation.rounds import queries as unblinding
from annotation.rounds.models import Round, RoundItem
from annotation.rounds.rules import (
    FEWEST_SEATS,
    LONGEST_LEASE,
    LONGEST_NAME,
    MOST_SEATS,
    SHORTEST_LEASE,
    Draw,
    How,
)
from evalsite import errors


class Questions(StrEnum):
    SAME = "SAME"
    NEW = "NEW"


class CannotCopy(errors.Conflict):
    code = "cannot_copy"


def usual_name(of: Round) -> str:
    return (_("Copy of %(name)s") % {"name": of.name})[:LONGEST_NAME]


@transaction.atomic
def copy(
    *,
    round_: Round,
    questions: Questions,
    seed: str,
    secret: bytes,
    by: User,
    by_owner: bool,
    now: datetime,
    name: str = "",
) -> Round:
    """Return a new draft with the settings, releases, rubrics, annotators and draw of a round.

    What an owner allowed in it, with a reason, holds in the copy only if an owner makes it: else there
    are three seats a question, and whoever needs such a reason is left out.

    Args:
        questions: the same, in their newest versions, or a new draw with the same settings.
        seed: of the copy; a new draw comes from it.

    Raises:
        CannotCopy: it is a trial, holds imported grades, or was published from a run.
    """
    if reason := why_not(round_):
        raise CannotCopy(reason)
    made = drafting.create_round(
        project=round_.project,
        name=name.strip() or usual_name(round_),
        seed=seed,
        secret=secret,
        by=by,
        now=now,
    )
    drafting.touch(made, parent=round_)  # whoever has seen its names is not blind in the copy
    given: dict[str, Any] = {"round_": made, "by": by, "now": now}
    drafting.configure(
        settings=_settings(round_, made.name, by_owner=by_owner, now=now),
        by_owner=by_owner,
        **given,
    )
    if releases := [one.release for one in round_.systems.select_related("release__system")]:
        drafting.choose_releases(releases=releases, **given)
    rubrics = list(round_.rubrics.select_related("capability", "rubric_version__rubric"))
    drafting.choose_rubrics(
        by_capability={one.capability: one.rubric_version for one in rubrics if one.capability},
        rest=next((one.rubric_version for one in rubrics if one.capability_id is None), None),
        **given,
    )
    drafting.choose_draw(draw=_draw(round_, questions), **given)
    _invite(round_, made, by, by_owner=by_owner, now=now)
    audit.record(
        project=made.project,
        actor=by,
        verb="round.copied",
        subject=drafting.subject(made),
        at=now,
        source=round_.number,
        questions=str(questions),
    )
    made.refresh_from_db()
    return made


def why_not(of: Round) -> str:
    """Return why a round cannot be copied, or ""."""
    if of.kind != Round.Kind.PRODUCTION:
        return _(
            "Trials are begun under Training, and imported grades have no draw: only a round of "
            "production is copied."
        )
    if Draw.from_json(of.draw).published:
        return _(
            "This round was published from a run: a copy would not know what it was drawn from. "
            "Publish the run again to have its outputs rated once more."
        )
    return ""


def left_behind(of: Round, made: Round) -> list[str]:
    """Return the names of the settings that a copy does not share with its round, as fields are named."""
    names = {"n_seats", "lease_minutes", "deadline"}
    return [
        str(one.verbose_name)
        for one in Round._meta.fields
        if one.name in names and getattr(of, one.name) != getattr(made, one.name)
    ]


def _settings(of: Round, name: str, *, by_owner: bool, now: datetime) -> drafting.Settings:
    """Return the settings of a round; what nobody may set so today, or who copies may not, is the default."""
    few = of.n_seats < FEWEST_SEATS and not (by_owner and of.seats_override.strip())
    unfit = few or of.n_seats > MOST_SEATS
    over = of.deadline is not None and of.deadline <= now
    lasts = SHORTEST_LEASE <= of.lease_minutes <= LONGEST_LEASE
    return replace(
        drafting.Settings.of(of),
        name=name,
        n_seats=FEWEST_SEATS if unfit else of.n_seats,
        seats_override="" if unfit else of.seats_override,
        lease_minutes=of.lease_minutes if lasts else drafting.Settings.lease_minutes,
        deadline=None if over else of.deadline,
        qualified_override=of.qualified_override if by_owner else None,
    )


def _draw(of: Round, questions: Questions) -> Draw:
    wishes = Draw.from_json(of.draw)
    same = of.items.filter(purpose__in=[RoundItem.Purpose.NORMAL, RoundItem.Purpose.ANCHOR])
    named = list(same.order_by("ordinal").values_list("item__external_id", flat=True))
    if questions != Questions.SAME or not named:
        return wishes
    return replace(
        wishes,
        capabilities=(),
        external_ids=named,
        n_items=None,
        how=How.LOT,
        quotas={},
        avoid_rounds=0,
        avoid_days=0,
        anchors_from=None,
    )


def _invite(of: Round, made: Round, by: User, *, by_owner: bool, now: datetime) -> None:
    """Put the annotators of a round into its copy; who sees identities comes with an owner's reason."""
    places = of.annotators.filter(ended_at__isnull=True).select_related("rater__user")
    reasons = {one.rater.user: one.override for one in places if one.rater.user is not None}
    roles = drafting.roles_held(of.project, list(reasons))
    there = [user for user in reasons if Role.ANNOTATOR in roles.get(user.pk, set())]
    seen = unblinding.have_seen(made, there)
    seeing = {user.pk for user in there if user.pk in seen or roles[user.pk] & UNBLINDED}
    chosen = [user for user in there if user.pk not in seeing]
    given: dict[str, Any] = {"round_": made, "by": by, "by_owner": by_owner, "now": now}
    drafting.invite(users=chosen, override="", **given)
    for user in there:
        if user.pk in seeing and by_owner and reasons[user]:
            chosen.append(user)
            drafting.invite(users=chosen, override=reasons[user], **given)
