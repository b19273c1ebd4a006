"""Runs that ask how likely systems find texts: one step is one text with one system, and nobody writes.

* Have systems asked how likely they find the texts of a test, and texts of its kind that are none.
* The figure of a run of losses: computed anew when more texts are in.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final

from annotation.common.sentences import gettext as _
from annotation.people.models import Project
from annotation.systems.models import Item
from evalsite import errors
from evalsite.kinds import Text, Whole, gettext_noop
from evalsite.records import Ask
from scoring.endpoints import queries as connections
from scoring.engine.kinds import AskedRun, BeginRun, Estimated, RunAsking, StepPlan, Work
from scoring.engine.models import Run, Step
from scoring.kinds.interviews import operations as interviewing
from scoring.kinds.interviews import queries as interviews
from scoring.kinds.interviews.operations import Releases
from scoring.kinds.losses import queries as losses
from scoring.kinds.losses import v1
from scoring.llm import base as tokens
from scoring.llm.base import ChatModel, Failed, Role

SHORT: Final = 90


class NothingToWeigh(errors.Invalid): ...


MOST_TEXTS: Final = 2_000


class BadLosses(errors.Invalid):
    """Losses cannot be measured so; `fields` says which setting."""


Over = Annotated[str, Text(40, empty=False)]


@dataclass(frozen=True, kw_only=True)
class Losses(BeginRun):
    """Whose loss is measured on which texts. With `estimate` nothing is started.

    Args:
        train_over: where texts come from to compare with, such as the train split of a set.
        test_over: where those of the test come from, which systems should not know.
        texts: of each kind, None for all.
        releases: who is asked.
    """

    train_over: Annotated[
        Over,
        Ask(
            gettext_noop("Texts to compare with (train)"),
            gettext_noop("Such as a train split: same kind, no test."),
        ),
    ]
    test_over: Annotated[
        Over,
        Ask(
            gettext_noop("Texts of the test"),
            gettext_noop("Such as the test split of the same set."),
        ),
    ]
    texts: Annotated[
        int | None,
        Whole(1, MOST_TEXTS),
        Ask(
            gettext_noop("How many of each"),
            gettext_noop("Drawn by lot. Empty: all both have."),
        ),
    ] = None
    releases: Releases


class Weighing:
    """`run.config` names the texts of both kinds and the releases.

    Its keys: items (all of them), train, test, releases (release, connection, endpoint, settings, name).
    """

    kind = Run.Kind.LOSSES
    wish = Losses
    writes = False

    def asked(self, of: Project, wish: Losses, asking: RunAsking) -> AskedRun:
        """Draw the texts of both kinds.

        Raises:
            BadLosses: there are none, not so many, or some are of both kinds.
            interviews.NotConnected: no endpoint answers as one of the systems.
        """
        return AskedRun(protocol=v1.PROTOCOL, config=_config(of, wish, asking.now))

    def again(self, run: Run) -> dict[str, Any]:
        return {
            "train_over": run.config["train_over"],
            "test_over": run.config["test_over"],
            "texts": len(run.config["train"]),
            "releases": [one["release"] for one in run.config["releases"]],
        }

    def check(self, run: Run) -> None:
        """Refuse a run without texts of both kinds, or with nobody to ask.

        Raises:
            NothingToWeigh: there are none.
            connections.EndpointRetired: an endpoint is not in use any more.
        """
        config = run.config
        if not all(config.get(name) for name in (losses.TRAIN, losses.TEST, "releases")):
            raise NothingToWeigh(_("Choose texts of both kinds, and systems to ask."))
        connections.refuse_retired(self.endpoints(run), _("Connect the release again."))

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


def _config(project: Project, wish: Losses, now: datetime) -> dict[str, Any]:
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
        "releases": interviewing.connected(project, wish.releases),
        "train_over": wish.train_over,
        "test_over": wish.test_over,
    }


def _found(project: Project, over: str, field: str, now: datetime) -> list[int]:
    try:
        found = interviews.known_questions(project, over, now, fits=losses.fits)
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
