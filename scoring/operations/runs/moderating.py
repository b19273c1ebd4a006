"""The part of a suite's run that has endpoints moderate: a conversation by one endpoint in a step."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from scoring.llm import tokens
from scoring.llm.base import ChatModel, Role
from scoring.models import Conversation, Endpoint, Run, Step
from scoring.operations.runs.kinds import StepPlan, Work
from scoring.protocols.suite import catalogue, evaluating, moderation
from scoring.protocols.suite.definition import Suite
from scoring.protocols.suite.v1 import Task
from scoring.queries import suite_frame, suite_metrics

#: Under this name a step's spec holds the endpoint that is asked.
ENDPOINT: Final = "moderator"
SHORT: Final = 80


def moderators(run: Run) -> Mapping[int, int]:
    """Return the endpoint of each metric that asks one, by its place in the suite."""
    return {int(at): endpoint for at, endpoint in run.config.get("moderators", {}).items()}


def requests(run: Run, task: Task) -> Iterator[tuple[int, int]]:
    """Yield endpoint and tokens of each request about a conversation."""
    for at, endpoint in moderators(run).items():
        for part in catalogue.measured(task.conversation, task.entries[at].level):
            asked = moderation.request(part) if task.conversation.has(part) else None
            if asked is not None:
                yield endpoint, tokens.of_messages(asked.messages)


def plan(run: Run) -> Iterator[StepPlan]:
    """Yield a step for each conversation and endpoint."""
    asked = sorted(set(moderators(run).values()))
    if not asked:
        return
    names = dict(Endpoint.objects.filter(pk__in=asked).values_list("pk", "name"))
    rows = suite_frame.conversations_of(run).values_list(
        "pk", "external_id", "item", "response", "response__release"
    )
    for pk, external_id, item, response, release in rows.iterator():
        for endpoint in asked:
            name = f"{names[endpoint][:40]} / {endpoint}"
            yield StepPlan(
                key=f"{external_id[:SHORT]} / {pk} / moderation / {name}",
                item_id=item,
                release_id=release,
                response_id=response,
                spec={"conversation": pk, ENDPOINT: endpoint},
            )


def prepare(step: Step, suite: Suite, row: Conversation) -> Work:
    """Return the work of a step: its result has the layout of functions' values."""
    endpoint = step.spec[ENDPOINT]
    wanted = [at for at, one in moderators(step.run).items() if one == endpoint]
    whole = suite_frame.read(row, step.run)
    needed = evaluating.needed(suite.entries, wanted)
    _found, known = evaluating.functions(
        whole, suite.entries, suite_metrics.available(), wanted=needed
    )

    async def ask(model: ChatModel) -> dict[str, Any]:
        rows = await moderation.moderate(model, whole, suite.entries, wanted, known)
        return {"values": [[row.response_id, *one] for one in rows]}

    return Work(ask, {Role.JUDGE: endpoint})
