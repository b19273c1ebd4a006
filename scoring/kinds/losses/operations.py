"""Runs that ask how likely systems find texts: one step is one text with one system, and nobody writes.

* Have systems asked how likely they find the texts of a test, and texts of its kind that are none.
* The figure of a run of losses: computed anew when more texts are in.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from annotation.common.sentences import gettext as _
from annotation.people.models import Project, User
from annotation.systems.models import Item
from evalsite import errors
from scoring.endpoints.models import Endpoint
from scoring.engine import estimating, kinds
from scoring.engine import requests as requesting
from scoring.engine.estimating import Estimate
from scoring.engine.kinds import Estimated, StepPlan, Work
from scoring.engine.models import Run, Step
from scoring.figures import operations as figures
from scoring.figures.models import Figure
from scoring.kinds.interviews import operations as interviewing
from scoring.kinds.interviews import queries as interviews
from scoring.kinds.losses import queries as losses
from scoring.kinds.losses import v1
from scoring.llm import base as tokens
from scoring.llm.base import ChatModel, Failed, Role

SHORT: Final = 90


class NothingToWeigh(errors.Invalid):
    code = "nothing_to_weigh"


class EndpointRetired(errors.Conflict):
    code = "endpoint_retired"


class Weighing:
    """`run.config` names the texts of both kinds and the releases.

    Its keys: items (all of them), train, test, releases (release, connection, endpoint, settings, name).
    """

    def check(self, run: Run) -> None:
        """Refuse a run without texts of both kinds, or with nobody to ask.

        Raises:
            NothingToWeigh: there are none.
            EndpointRetired: an endpoint is not in use any more.
        """
        config = run.config
        if not all(config.get(name) for name in (losses.TRAIN, losses.TEST, "releases")):
            raise NothingToWeigh(_("Choose texts of both kinds, and systems to ask."))
        gone = Endpoint.objects.filter(pk__in=self.endpoints(run), retired_at__isnull=False)
        if retired := gone.first():
            raise EndpointRetired(
                _("The endpoint “%(name)s” was changed or retired. Connect the release again.")
                % {"name": retired.name}
            )

    def endpoints(self, run: Run) -> Collection[int]:
        return {one["endpoint"] for one in run.config.get("releases") or ()}

    def prompts(self, run: Run) -> Iterator[Estimated]:
        for item in interviews.items_of(run):
            n = tokens.of_text(losses.text_of(item))
            for one in run.config["releases"]:
                yield Estimated(Role.CANDIDATE, one["endpoint"], n, 0, key=item.external_id)

    def plan(self, run: Run) -> Iterator[StepPlan]:
        split = losses.split_of(run.config)
        for item in interviews.items_of(run):
            for one in run.config["releases"]:
                name = f"{split[item.pk]} / {item.external_id[:SHORT]} / {item.pk}"
                key = f"{name} / {one['name'][: SHORT // 2]} / {one['release']}"
                yield StepPlan(
                    key, item_id=item.pk, release_id=one["release"], spec={"split": split[item.pk]}
                )

    def prepare(self, step: Step) -> Work:
        assert step.item_id is not None
        text = losses.text_of(Item.objects.get(pk=step.item_id))
        chosen = next(
            one for one in step.run.config["releases"] if one["release"] == step.release_id
        )

        async def weigh(model: ChatModel) -> dict[str, Any]:
            return await v1.weigh(model, text)

        return Work(weigh, {Role.CANDIDATE: chosen["endpoint"]})

    def record(self, step: Step, result: Mapping[str, Any], now: datetime) -> Step.Outcome:
        """Nothing more is written: the result of the step is the measurement."""
        return Step.Outcome.OK

    def record_failure(self, step: Step, failed: Failed, now: datetime) -> None:
        """Nothing: the step says why, and figures count it."""


KIND = Weighing()


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
        found = interviews.found(project, over, now, fits=losses.fits)
    except interviews.NoSuchQuestions as missing:
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


def figure_of(*, run: Run, share: int, now: datetime) -> Figure:
    """Return the losses of a run as far as it has come; if they are not there, ask for them."""
    ended = Step.objects.filter(run=run, state__in=(Step.State.DONE, Step.State.FAILED)).count()
    return figures.of_run(
        name=losses.FIGURE,
        run=run,
        params={"share": share},
        now=now,
        version=f"{ended} texts",
    )
