"""Begin a trial: a blind round for those who have trained, whose right grades are known."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import (
    Capability,
    Project,
    Rater,
    Round,
    SystemRelease,
    Trial,
    User,
)
from annotation.operations import people, qualifying, training
from annotation.operations.rounds import drafting, drawing
from annotation.queries import qualifications
from annotation.rules import draws
from annotation.rules.qualification import Event, State
from evalsite import errors

TRIES = frozenset({State.TRAINED})
MOST_ITEMS = 200


class TrialInvalid(errors.Invalid):
    code = "trial_invalid"


@dataclass(frozen=True)
class Plan:
    """What a trial is made of: questions of a capability and of those below it, by one rubric.

    `external_ids` names the questions; none: `n_items` by lot.
    """

    name: str
    capability: Capability
    releases: Sequence[SystemRelease]
    users: Sequence[User]
    n_items: int = 10
    external_ids: Sequence[str] = ()


@transaction.atomic
def begin(
    *, project: Project, plan: Plan, seed: str, secret: bytes, by: User, now: datetime
) -> Round:
    """Make the draft of a trial, draw its questions and put these people into it.

    Everybody grades every question, blind and without feedback until the trial's end.

    Raises:
        TrialInvalid: nobody, somebody who has not finished the training, or no rubric.
        DesignInvalid: the releases or the number cannot be used.
    """
    version = training.newest_version(plan.capability)
    raters = [people.rater_of(project=project, user=user, now=now) for user in plan.users]
    _check(plan, raters, has_rubric=version is not None)
    assert version is not None
    made = drafting.create_round(
        project=project,
        name=plan.name.strip(),
        seed=seed,
        secret=secret,
        by=by,
        now=now,
        kind=Round.Kind.TRIAL,
    )
    Trial.objects.create(
        round=made,
        capability=plan.capability,
        rule=qualifications.rule_of(project, plan.capability),
    )
    settings = drafting.Settings(
        name=plan.name,
        n_seats=len(raters),
        # Fewer than three are no danger here: a trial counts in no figure.
        seats_override=_("A trial: each of its annotators grades every question."),
    )
    given: dict[str, Any] = {"round_": made, "by": by, "now": now}
    drafting.configure(settings=settings, by_owner=True, **given)
    drafting.choose_releases(releases=list(plan.releases), **given)
    keys = qualifications.Ladder(project).below(plan.capability.pk)
    covered = Capability.objects.filter(pk__in=keys)
    by_capability = dict.fromkeys(covered, version)
    drafting.choose_rubrics(by_capability=by_capability, rest=None, **given)
    wanted = draws.Draw(
        capabilities=keys,
        external_ids=list(plan.external_ids),
        n_items=None if plan.external_ids else plan.n_items,
    )
    drafting.choose_draw(draw=wanted, **given)
    drafting.invite(users=list(plan.users), by_owner=False, override="", **given)
    for rater in raters:
        qualifying.step(
            rater=rater,
            capability=plan.capability,
            event=Event.INVITED,
            by=by,
            now=now,
            round_=made,
        )
    drawing.prepare(round_=made, now=now)
    made.refresh_from_db()
    return made


def _check(plan: Plan, raters: Sequence[Rater], *, has_rubric: bool) -> None:
    problems: dict[str, list[str]] = {}
    if not raters:
        problems["users"] = [_("Choose one annotator or more who has finished the training.")]
    ladder = qualifications.Ladder(plan.capability.project_id)
    late = [
        str(user.display_name)
        for user, rater in zip(plan.users, raters, strict=True)
        if ladder.state(plan.capability.pk, qualifications.states_of(rater)) not in TRIES
    ]
    if late:
        problems["users"] = [
            _("%(names)s: not ready for a trial. The training comes first.")
            % {"names": ", ".join(late)}
        ]
    if not has_rubric:
        problems["capability"] = [_("This capability has no rubric. Choose one for it first.")]
    if not 1 <= len(plan.name.strip()) <= 200:
        problems["name"] = [_("Give the trial a name of up to 200 characters.")]
    if problems:
        first = next(iter(problems.values()))[0]
        raise TrialInvalid(first, fields=problems)
