"""Runs that ask how likely systems find texts: one step is one text with one system, and nobody writes."""

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
from scoring.protocols.losses import v1
from scoring.queries import interviews, losses

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
