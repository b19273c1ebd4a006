"""Runs that measure accuracy on questions of multiple choice: one step is one question with one system.

Several orders of the options are several requests of the same step. What was chosen stands in the
step's result: the figures are made of it, and a reply that names no option is counted, never guessed.
"""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext as _

from annotation.models import Item
from evalsite import errors
from scoring.llm import tokens
from scoring.llm.base import ChatModel, Failed, Role
from scoring.models import Endpoint, Run, Step
from scoring.operations.runs.kinds import Estimated, StepPlan, Work
from scoring.protocols.accuracy import v1
from scoring.queries import quizzes

#: Tokens of a reply that thinks briefly and names a letter.
A_REPLY: Final = 60
SHORT: Final = 90


class NothingToAsk(errors.Invalid):
    code = "nothing_to_ask"


class EndpointRetired(errors.Conflict):
    code = "endpoint_retired"


class Quizzing:
    """`run.config` names the drawn items, the releases, and how they are asked.

    Its keys: items, releases (release, connection, endpoint, settings, name), orders, shots, examples
    (by data set and subject), language.
    """

    def check(self, run: Run) -> None:
        """Refuse a run with nobody to ask, or questions without options.

        Raises:
            NothingToAsk: no items, no releases, or an item that is no question of multiple choice.
            EndpointRetired: an endpoint is not in use any more.
        """
        if not run.config.get("items") or not run.config.get("releases"):
            raise NothingToAsk(_("Choose questions of multiple choice, and systems to ask."))
        if other := next((one for one in quizzes.items_of(run) if not quizzes.fits(one)), None):
            raise NothingToAsk(
                _("The question “%(name)s” has no options to choose from.")
                % {"name": other.external_id}
            )
        gone = Endpoint.objects.filter(pk__in=self.endpoints(run), retired_at__isnull=False)
        if retired := gone.first():
            raise EndpointRetired(
                _("The endpoint “%(name)s” was changed or retired. Connect the release again.")
                % {"name": retired.name}
            )

    def endpoints(self, run: Run) -> Collection[int]:
        return {one["endpoint"] for one in run.config.get("releases") or ()}

    def prompts(self, run: Run) -> Iterator[Estimated]:
        found = quizzes.pool(run.config)
        for item in quizzes.items_of(run):
            question = quizzes.question_of(item)
            if question is None:
                continue
            examples = quizzes.shown(item, found, run.config)
            for one in run.config["releases"]:
                config = quizzes.config_of(run.config, item, one["settings"])
                first, *_rest = v1.requests(question, examples, config, seed=run.seed)
                yield Estimated(
                    Role.CANDIDATE,
                    one["endpoint"],
                    tokens.of_messages(first.messages),
                    A_REPLY,
                    calls=run.config["orders"],
                    key=item.external_id,
                )

    def plan(self, run: Run) -> Iterator[StepPlan]:
        for item in quizzes.items_of(run):
            for one in run.config["releases"]:
                name = f"{item.external_id[:SHORT]} / {item.pk}"
                key = f"{name} / {one['name'][: SHORT // 2]} / {one['release']}"
                yield StepPlan(key, item_id=item.pk, release_id=one["release"])

    def prepare(self, step: Step) -> Work:
        assert step.item_id is not None
        run = step.run
        item = Item.objects.select_related("capability").get(pk=step.item_id)
        chosen = next(one for one in run.config["releases"] if one["release"] == step.release_id)
        question = quizzes.question_of(item)
        assert question is not None
        examples = quizzes.shown(item, _examples(item, run.config), run.config)
        config = quizzes.config_of(run.config, item, chosen["settings"])

        async def ask(model: ChatModel) -> dict[str, Any]:
            found = await v1.answer(model, question, examples, config, seed=run.seed)
            return {**found, "right": question.right}

        return Work(ask, {Role.CANDIDATE: chosen["endpoint"]})

    def record(self, step: Step, result: Mapping[str, Any], now: datetime) -> Step.Outcome:
        """Nothing more is written: the result of the step is the measurement."""
        return Step.Outcome.OK

    def record_failure(self, step: Step, failed: Failed, now: datetime) -> None:
        """Nothing: a system without a reply chose nothing; the step says why, and figures count it."""


def _examples(item: Item, config: Mapping[str, Any]) -> Mapping[int, Item]:
    keys = quizzes.examples_for(item, config)
    return Item.objects.select_related("capability").in_bulk(keys)


KIND = Quizzing()
