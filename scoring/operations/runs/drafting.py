"""Runs in which an endpoint drafts: one step, and proposals of it."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext as _

from evalsite import errors
from scoring.llm import tokens
from scoring.llm.base import ChatModel, Failed, Role
from scoring.models import Proposal, Run, Step
from scoring.operations.runs.kinds import Estimated, StepPlan, Work
from scoring.protocols import untrusted
from scoring.protocols.drafting import v1
from scoring.queries import drafting as reads

#: Tokens of proposals of some length.
PROPOSALS: Final = 900


class DraftingNotAllowed(errors.NotAllowed):
    code = "drafting_not_allowed"


class Drafting:
    """`run.config` holds what is drafted of (v1.Material) and the endpoint that drafts."""

    def check(self, run: Run) -> None:
        """Refuse a run by an endpoint that does not help with drafting here (any more).

        Raises:
            DraftingNotAllowed: the owner has not allowed it, or it is not in use any more.
        """
        allowed = reads.endpoint_of(run.project)
        if allowed is None or allowed.pk != run.config.get("endpoint"):
            raise DraftingNotAllowed(
                _("No endpoint helps with drafting here. The owner allows one under Settings.")
            )

    def endpoints(self, run: Run) -> Collection[int]:
        return [int(run.config["endpoint"])]

    def prompts(self, run: Run) -> Iterator[Estimated]:
        asked = v1.request(material_of(run), untrusted.Fence("", ""))
        yield Estimated(
            Role.DRAFTER,
            int(run.config["endpoint"]),
            tokens.of_messages(asked.messages),
            PROPOSALS,
            key="draft",
        )

    def plan(self, run: Run) -> Iterator[StepPlan]:
        yield StepPlan(key="draft")

    def prepare(self, step: Step) -> Work:
        material = material_of(step.run)
        fence = untrusted.Fence(step.run.secret, step.key)
        settings = replace(v1.DRAFTER, seed=step.run.seed)

        async def procedure(model: ChatModel) -> dict[str, Any]:
            return (await v1.draft(model, material, fence, settings)).plain()

        return Work(procedure, {Role.DRAFTER: int(step.run.config["endpoint"])})

    def record(self, step: Step, result: Mapping[str, Any], now: datetime) -> Step.Outcome:
        drafting = step.run.drafting
        if not result["proposals"]:
            return Step.Outcome.NO_READING
        Proposal.objects.bulk_create(
            Proposal(drafting=drafting, number=number, content=content)
            for number, content in enumerate(result["proposals"], start=1)
        )
        return Step.Outcome.OK

    def record_failure(self, step: Step, failed: Failed, now: datetime) -> None:
        """Nothing: no system is asked."""


def material_of(run: Run) -> v1.Material:
    return v1.Material(**run.config["material"])


KIND = Drafting()
