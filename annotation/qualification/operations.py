"""Move annotators on their way to being qualified, and say what is asked of them."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from annotation.common.sentences import gettext as _
from annotation.domains.models import Capability
from annotation.people import audit
from annotation.people.models import Project, Rater, User
from annotation.qualification import queries as qualifications
from annotation.qualification import rules
from annotation.qualification.models import Expertise, Qualification, QualificationRule
from annotation.qualification.records import RuleAsked as RuleAsked
from annotation.qualification.rules import Event, PoolState
from annotation.rounds.models import Round
from evalsite import errors, records

LONGEST_TAG, MOST_TAGS = 60, 12


class DoesNotFit(errors.Conflict):
    code = "step_does_not_fit"


class OwnerNeeded(errors.NotAllowed): ...


class RuleInvalid(errors.Invalid): ...


class TagsInvalid(errors.Invalid): ...


@transaction.atomic
def step(
    *,
    rater: Rater,
    capability: Capability,
    event: Event,
    by: User | None,
    now: datetime,
    reason: str = "",
    round_: Round | None = None,
    figures: Mapping[str, Any] | None = None,
) -> Qualification:
    """Record what happened to somebody in a capability, and where that leads.

    Raises:
        DoesNotFit: it does not follow from where they stand.
    """
    Rater.objects.select_for_update().get(pk=rater.pk)
    last = Qualification.objects.filter(rater=rater, capability=capability).order_by("-number")
    before = last.first()
    state = PoolState(before.state) if before else PoolState.NEW
    following = rules.after(state, event)
    if following is None:
        raise DoesNotFit(
            _("“%(event)s” does not fit: %(name)s is “%(state)s” in %(capability)s.")
            % {
                "event": Qualification.Event(event).label,
                "name": rater.user.display_name if rater.user else rater.ref,
                "state": Qualification.State(state).label,
                "capability": capability.name,
            }
        )
    made = Qualification.objects.create(
        rater=rater,
        capability=capability,
        number=before.number + 1 if before else 1,
        event=event,
        state=following,
        reason=reason,
        round=round_,
        figures=dict(figures or {}),
        by=by,
        at=now,
    )
    audit.record(
        project=rater.project,
        actor=by,
        verb="qualification.step",
        subject=f"rater:{rater.public_id}",
        at=now,
        note=reason,
        capability=capability.pk,
        event=str(event),
        state=str(following),
        **({"round": round_.number} if round_ else {}),
    )
    return made


@transaction.atomic
def say(
    *,
    rater: Rater,
    capability: Capability,
    event: Event,
    reason: str,
    by: User,
    by_owner: bool,
    now: datetime,
) -> Qualification:
    """Say by hand what becomes of somebody: send back to training, stand aside, let in.

    Raises:
        OwnerNeeded: only an owner lets somebody in who has not qualified.
        ReasonNeeded: nothing was said about why.
        DoesNotFit: it does not follow from where they stand, or comes of a trial alone.
    """
    if event in rules.BY_OWNER and not by_owner:
        raise OwnerNeeded(_("Only an owner may let somebody grade who has not qualified."))
    if event not in {*rules.BY_HAND, *rules.BY_OWNER}:
        raise DoesNotFit(_("This comes of training and trials, not by hand."))
    said = " ".join(reason.split())
    if not said or len(said) > 500:
        message = _("Say why, in at most 500 characters; it stays on record.")
        raise errors.ReasonNeeded(message, fields={"reason": [message]})
    return step(rater=rater, capability=capability, event=event, by=by, now=now, reason=said)


@transaction.atomic
def set_rule(
    *, project: Project, capability: Capability | None, asked: RuleAsked, by: User, now: datetime
) -> QualificationRule:
    """Write the rule that holds from now on; a trial that has begun keeps the one it began with.

    Raises:
        RuleInvalid: a value that no trial could reach or that means nothing.
    """
    problems = {one.path: [records.said(one, _)] for one in records.faults(asked)}
    if problems:
        first = next(iter(problems.values()))[0]
        raise RuleInvalid(_("The rule cannot be used: %(why)s") % {"why": first}, fields=problems)
    rows = QualificationRule.objects.filter(project=project, capability=capability)
    before = rows.order_by("-pk").first()
    made = QualificationRule.objects.create(
        project=project,
        capability=capability,
        **{**records.values(asked), "asked": asked.asked and capability is None},
        by=by,
        at=now,
    )
    audit.record(
        project=project,
        actor=by,
        verb="qualification.rule_set",
        subject=f"capability:{capability.pk}" if capability else "project",
        at=now,
        before=_as_audited(before),
        after=_as_audited(made),
    )
    return made


def _as_audited(rule: QualificationRule | None) -> dict[str, Any] | None:
    """Return what a rule asks for as plain values; None: the usual rule held."""
    if rule is None:
        return None
    return {
        "statistic": str(rule.statistic),
        "reference_at": str(rule.reference_at),
        "peers_at": None if rule.peers_at is None else str(rule.peers_at),
        "by_bound": rule.by_bound,
        "n_least": rule.n_least,
        "practice_at": str(rule.practice_at),
        "most_failures": rule.most_failures,
        "asked": rule.asked,
    }


@transaction.atomic
def set_tags(
    *, project: Project, user: User, tags: Iterable[str], by: User, now: datetime
) -> list[str]:
    """Make exactly these what somebody knows about.

    Raises:
        TagsInvalid: too many, or one that is too long.
    """
    wanted = list(dict.fromkeys(" ".join(one.split()) for one in tags if one.strip()))
    if len(wanted) > MOST_TAGS or any(len(one) > LONGEST_TAG for one in wanted):
        message = _("At most %(n)d of them, each of up to %(long)d characters.")
        message %= {"n": MOST_TAGS, "long": LONGEST_TAG}
        raise TagsInvalid(message, fields={"tags": [message]})
    held = set(qualifications.tags_of(project)[user.pk])
    if held == set(wanted):
        return wanted
    Expertise.objects.filter(project=project, user=user).exclude(tag__in=wanted).delete()
    Expertise.objects.bulk_create(
        Expertise(project=project, user=user, tag=one) for one in wanted if one not in held
    )
    audit.record(
        project=project,
        actor=by,
        verb="person.expertise_set",
        subject=f"user:{user.public_id}",
        at=now,
        tags=len(wanted),
    )
    return wanted
