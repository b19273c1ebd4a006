"""Have systems asked how likely they find the texts of a test, and texts of its kind that are none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from django.utils.translation import gettext as _

from annotation.models import Project, User
from evalsite import errors
from scoring.models import Run
from scoring.operations import interviewing
from scoring.operations.runs import estimating, kinds, requesting
from scoring.operations.runs.estimating import Estimate
from scoring.protocols.losses import v1
from scoring.queries import interview_choice, losses

MOST_TEXTS: Final = 2_000


class BadLosses(errors.Invalid):
    """Losses cannot be measured so; `fields` says which setting."""

    code = "bad_losses"


@dataclass(frozen=True)
class Wish:
    """What is wanted.

    Args:
        train_over: where texts come from to compare with, such as the train split of a set.
        test_over: where those of the test come from, which systems should not know.
        releases: who is asked.
        seed: of the draw.
        texts: of each kind, None for all.
    """

    train_over: str
    test_over: str
    releases: Sequence[int]
    seed: int
    texts: int | None = None


def check(*, project: Project, wish: Wish, now: datetime) -> Estimate:
    """Return what measuring would take; nothing is written.

    Raises:
        errors.Refusal: it cannot be done; says why.
    """
    run = Run(project=project, kind=Run.Kind.LOSSES, config=_config(project, wish, now))
    kinds.of(run.kind).check(run)
    return estimating.estimate(run)


def start(
    *,
    project: Project,
    wish: Wish,
    key: UUID,
    name: str,
    user: User | None,
    now: datetime,
    budget: Decimal | None = None,
    cloned_from: Run | None = None,
) -> Run:
    """Have losses measured in the background. The same key again is the same run.

    Raises:
        errors.Refusal: it cannot be done; says why.
    """
    if found := Run.objects.filter(project=project, key=key).first():
        return found
    return requesting.request_run(
        project=project,
        key=key,
        kind=Run.Kind.LOSSES,
        name=name,
        protocol=v1.PROTOCOL,
        config=_config(project, wish, now),
        seed=wish.seed,
        user=user,
        now=now,
        budget=budget,
        cloned_from=cloned_from,
    )


def _config(project: Project, wish: Wish, now: datetime) -> dict[str, Any]:
    known = [
        interviewing.draw(_found(project, over, field, now), wish.seed)
        for field, over in (("train_over", wish.train_over), ("test_over", wish.test_over))
    ]
    both = set(known[0]) & set(known[1])
    most = min(MOST_TEXTS, *map(len, known))
    wanted = most if wish.texts is None else wish.texts
    _refuse(
        {
            "test_over": (not both, _("Some texts are of both kinds. Choose two other sources.")),
            "releases": (bool(wish.releases), _("Choose at least one system to ask.")),
            "texts": (
                1 <= wanted <= most,
                _("Take from 1 to %(most)d texts of each kind.") % {"most": most},
            ),
        }
    )
    train, test = (one[:wanted] for one in known)
    return {
        "items": [*train, *test],
        losses.TRAIN: train,
        losses.TEST: test,
        "releases": interviewing.connected(wish.releases),
        "train_over": wish.train_over,
        "test_over": wish.test_over,
    }


def _found(project: Project, over: str, field: str, now: datetime) -> list[int]:
    try:
        found = interview_choice.found(project, over, now, fits=losses.fits)
    except interview_choice.NoSuchQuestions as missing:
        message = _("There are no such questions. Name a capability, a round or an import.")
        raise BadLosses(message, fields={field: [message]}) from missing
    if not found.items:
        message = _("There is no text here to ask about.")
        raise BadLosses(message, fields={field: [message]})
    return found.items


def _refuse(rules: Mapping[str, tuple[bool, str]]) -> None:
    problems = {name: [said] for name, (fits, said) in rules.items() if not fits}
    if problems:
        raise BadLosses(" ".join(said for (said,) in problems.values()), fields=problems)
