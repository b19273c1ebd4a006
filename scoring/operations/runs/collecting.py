"""Runs that ask connected releases for the answers they have not given yet."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Item
from annotation.operations import responses
from annotation.rules import contents, seeds
from annotation.rules.outputs import Output
from evalsite import errors
from scoring.llm import tokens
from scoring.llm.base import ChatModel, Failed, Role
from scoring.models import Endpoint, Run, Step
from scoring.operations.runs.kinds import Estimated, StepPlan, Work
from scoring.protocols import hearing
from scoring.protocols.collect import v1
from scoring.queries import connections, script_marks

PAGE = 500
#: Tokens of an answer where the connection sets no limit.
USUAL = 400
SEEDS = 2**31
SHORT = 80


class NothingMissing(errors.Invalid):
    code = "nothing_missing"


class EndpointRetired(errors.Conflict):
    code = "endpoint_retired"


class Collecting:
    """Asks by name: `config["releases"]` says how each is asked, `config["items"]` what it lacks."""

    def check(self, run: Run) -> None:
        """Refuse a run that has nothing to ask, or whose endpoints are not in use any more.

        Raises:
            NothingMissing: every answer is there.
            EndpointRetired: a release has to be connected again.
        """
        if not any(run.config.get("items", {}).values()):
            raise NothingMissing(
                _("No answer of these releases is missing. There is nothing to collect.")
            )
        retired = Endpoint.objects.filter(pk__in=self.endpoints(run), retired_at__isnull=False)
        if gone := retired.first():
            raise EndpointRetired(
                _("The endpoint “%(name)s” was changed or retired. Connect the release again.")
                % {"name": gone.name}
            )

    def endpoints(self, run: Run) -> Collection[int]:
        return {one.endpoint for one in _asked_of(run)}

    def prompts(self, run: Run) -> Iterator[Estimated]:
        for chosen in _asked_of(run):
            manner = connections.manner_of(chosen.settings)
            expected = manner.settings.max_tokens or USUAL
            for item in _items(chosen):
                asked = connections.asked(item)
                n_prompt = tokens.of_messages(v1.opening(asked, manner))
                for turns in v1.scripted(asked):
                    n_prompt += tokens.of_messages(turns)
                    yield Estimated(
                        Role.CANDIDATE,
                        chosen.endpoint,
                        n_prompt,
                        expected,
                        calls=run.config["samples"],
                        key=item.external_id,
                    )
                    n_prompt += expected  # the next turn comes after this reply

    def plan(self, run: Run) -> Iterator[StepPlan]:
        for chosen in _asked_of(run):
            for item in _items(chosen):
                for sample in range(1, run.config["samples"] + 1):
                    yield StepPlan(
                        key=_key(item, chosen, sample),
                        item_id=item.pk,
                        release_id=chosen.release,
                        spec={"sample": sample},
                    )

    def prepare(self, step: Step) -> Work:
        assert step.item_id is not None
        item = Item.objects.get(pk=step.item_id)
        chosen = _chosen(step)
        seed = seeds.integer(step.run.seed, "collect", step.key, below=SEEDS)
        asked = connections.asked(item)
        manner = connections.manner_of(chosen.settings, seed=seed)
        repeat = step.spec["sample"] - 1

        async def procedure(model: ChatModel) -> dict[str, Any]:
            return (await v1.collect(model, asked, manner, repeat=repeat)).as_dict()

        return Work(procedure, {Role.CANDIDATE: chosen.endpoint})

    def record(self, step: Step, result: Mapping[str, Any], now: datetime) -> Step.Outcome:
        self._keep(step, result, now)
        return Step.Outcome.SYSTEM_FAILED if result["failed"] else Step.Outcome.OK

    def record_failure(self, step: Step, failed: Failed, now: datetime) -> None:
        """Keep an answer without a word: the system had nothing to say."""
        nothing = {
            "messages": contents.as_messages("", v1.ASSISTANT),
            "failed": failed.trouble.value,
            "truncated": False,
            "reasoning": [one] if (one := hearing.thought_of(failed.reply)) else [],
        }
        self._keep(step, nothing, now)

    def _keep(self, step: Step, result: Mapping[str, Any], now: datetime) -> None:
        assert step.item_id is not None
        assert step.release_id is not None
        output = Output(
            release_id=step.release_id,
            messages=result["messages"],
            details=_details(step, result),
            sample_no=step.spec["sample"],
        )
        pk = responses.record_response(item_id=step.item_id, output=output, now=now)
        said = {"trouble": result["failed"], "problem": str(result.get("problem", ""))[:500]}
        Step.objects.filter(pk=step.pk, state=Step.State.CLAIMED).update(response_id=pk, **said)


@dataclass(frozen=True)
class _Asked:
    """A release as a run asks it."""

    name: str
    release: int
    connection: int
    endpoint: int
    settings: Mapping[str, Any]
    items: Sequence[int]


def _asked_of(run: Run) -> list[_Asked]:
    """Return the releases of a run by name: the database may keep them in another order."""
    kept = run.config.get("releases", {})
    return [_one(run, name, kept[name]) for name in sorted(kept)]


def _one(run: Run, name: str, kept: Mapping[str, Any]) -> _Asked:
    return _Asked(
        name,
        kept["release"],
        kept["connection"],
        kept["endpoint"],
        kept["settings"],
        run.config["items"].get(str(kept["release"]), []),
    )


def _items(chosen: _Asked) -> Iterator[Item]:
    """Yield the items that a release lacks, in their order."""
    pks = chosen.items
    for start in range(0, len(pks), PAGE):
        some = pks[start : start + PAGE]
        found = Item.objects.only("external_id", "messages").in_bulk(some)
        yield from (found[pk] for pk in some if pk in found)


def _chosen(step: Step) -> _Asked:
    kept = step.run.config["releases"]
    return next(
        _one(step.run, name, one) for name, one in kept.items() if one["release"] == step.release_id
    )


def _key(item: Item, chosen: _Asked, sample: int) -> str:
    """Return the name of a step; names that are cut are told apart by number."""
    name = chosen.name
    parts = [
        item.external_id
        if len(item.external_id) <= SHORT
        else f"{item.external_id[:60]}…{item.pk}",
        name if len(name) <= SHORT else f"{name[:60]}…{chosen.release}",
    ]
    return " / ".join(parts) + (f" / {sample}" if sample > 1 else "")


def _details(step: Step, result: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is kept beside an answer; no annotator is shown any of it."""
    kept: dict[str, Any] = {
        "run": step.run.number,
        "step": step.ordinal,
        "connection": _chosen(step).connection,
        "truncated": bool(result["truncated"]),
    }
    if result["failed"]:
        kept["failed"] = result["failed"]
    if result.get("reasoning"):
        kept["reasoning"] = list(result["reasoning"])
    return kept | script_marks.of_text(step.run, [_chosen(step).endpoint])


KIND = Collecting()
