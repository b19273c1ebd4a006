"""Runs that ask connected releases for the answers they have not given yet.

* Ask for the answers that connected releases have not given yet.
* Whose answers are missing, and which of them could be collected here.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from annotation.common import draws as seeds
from annotation.common import texts as contents
from annotation.common.sentences import gettext as _
from annotation.common.sentences import ngettext
from annotation.imports import collecting
from annotation.imports.collecting import WantedAnswers
from annotation.people.models import Project
from annotation.rounds import queries as rounds
from annotation.rounds.models import Round
from annotation.systems import operations as responses
from annotation.systems.models import Item, SystemRelease
from annotation.systems.rules import Output
from evalsite import errors
from evalsite.kinds import Whole, gettext_noop
from evalsite.records import Ask
from scoring.endpoints import operations
from scoring.endpoints import queries as connections
from scoring.endpoints.models import SystemConnection
from scoring.engine.kinds import (
    LARGEST_SEED,
    AskedRun,
    BeginRun,
    Estimated,
    RunAsking,
    StepPlan,
    Work,
)
from scoring.engine.models import Run, Step
from scoring.llm import base as tokens
from scoring.llm.base import ChatModel, Failed, Role
from scoring.protocols import collect_v1 as v1
from scoring.protocols import hearing
from scoring.shown import scripts as script_marks

PAGE = 500
#: Tokens of an answer where the connection sets no limit.
USUAL = 400
SEEDS = 2**31
SHORT = 80


class NothingMissing(errors.Invalid): ...


MOST_SAMPLES = 10
#: Answers of a run: it keeps the list of what it asks.
MOST = 20_000


class TooManyAnswers(errors.Invalid): ...


class NoDraft(errors.Invalid): ...


@dataclass(frozen=True, kw_only=True)
class Collected(BeginRun):
    """Which answers are collected. With `estimate` nothing is started.

    Args:
        round: the draft whose missing answers they are; else those of all that can be drawn.
        releases: of which releases; all that are connected unless given.
        capabilities: of which questions that can be drawn; all unless given.
        samples: how many answers to each question.
    """

    round: Annotated[int | None, Whole(1, LARGEST_SEED)] = None
    releases: Annotated[
        tuple[Annotated[int, Whole(1, LARGEST_SEED)], ...], Ask(gettext_noop("Releases"))
    ] = ()
    capabilities: tuple[Annotated[int, Whole(1, LARGEST_SEED)], ...] = ()
    samples: Annotated[
        int,
        Whole(1, MOST_SAMPLES),
        Ask(
            gettext_noop("Answers to each question"),
            gettext_noop("Rounds grade one; more show variation."),
        ),
    ] = 1


class Collecting:
    """Asks by name: `config["releases"]` says how each is asked, `config["items"]` what it lacks."""

    kind = Run.Kind.COLLECT
    wish = Collected
    writes = False

    def asked(self, of: Project, wish: Collected, asking: RunAsking) -> AskedRun:
        """Find what is missing, of a draft or of all that can be drawn.

        Raises:
            errors.Refusal: nothing can be collected; says why.
        """
        round_ = None if wish.round is None else _draft(of, wish.round)
        wanted = (
            collecting.of_round(round_, asking.now)
            if round_
            else collecting.of_bank(of, wish.capabilities, wish.releases, asking.now)
        )
        config = configure(
            wanted=wanted, releases=wish.releases, samples=wish.samples, round_=round_
        )
        n_in_all = sum(len(items) for items in config["items"].values())
        return AskedRun(protocol=v1.PROTOCOL, config=config, round=round_, n_in_all=n_in_all)

    def again(self, run: Run) -> dict[str, Any]:
        chosen: Mapping[str, Any] = run.config.get("releases", {})
        return {
            "releases": [one["release"] for one in chosen.values()],
            "samples": run.config.get("samples", 1),
        }

    def check(self, run: Run) -> None:
        """Refuse a run that has nothing to ask, or whose endpoints are not in use any more.

        Raises:
            NothingMissing: every answer is there.
            connections.EndpointRetired: a release has to be connected again.
        """
        if not any(run.config.get("items", {}).values()):
            raise NothingMissing(
                _("No answer of these releases is missing. There is nothing to collect.")
            )
        connections.refuse_retired(self.endpoints(run), _("Connect the release again."))

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
class _AskedRelease:
    """A release as a run asks it."""

    name: str
    release: int
    connection: int
    endpoint: int
    settings: Mapping[str, Any]
    items: Sequence[int]


def _asked_of(run: Run) -> list[_AskedRelease]:
    """Return the releases of a run by name: the database may keep them in another order."""
    kept = run.config.get("releases", {})
    return [_one(run, name, kept[name]) for name in sorted(kept)]


def _one(run: Run, name: str, kept: Mapping[str, Any]) -> _AskedRelease:
    return _AskedRelease(
        name,
        kept["release"],
        kept["connection"],
        kept["endpoint"],
        kept["settings"],
        run.config["items"].get(str(kept["release"]), []),
    )


def _items(chosen: _AskedRelease) -> Iterator[Item]:
    """Yield the items that a release lacks, in their order."""
    pks = chosen.items
    for start in range(0, len(pks), PAGE):
        some = pks[start : start + PAGE]
        found = Item.objects.only("external_id", "messages").in_bulk(some)
        yield from (found[pk] for pk in some if pk in found)


def _chosen(step: Step) -> _AskedRelease:
    kept = step.run.config["releases"]
    return next(
        _one(step.run, name, one) for name, one in kept.items() if one["release"] == step.release_id
    )


def _key(item: Item, chosen: _AskedRelease, sample: int) -> str:
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


def configure(
    *,
    wanted: WantedAnswers,
    releases: Collection[int] = (),
    samples: int = 1,
    round_: Round | None = None,
) -> dict[str, Any]:
    """Return all that decides a run: by release, how it is asked and which items it lacks.

    Args:
        wanted: what is missing.
        releases: of which releases; all that are connected unless given.
        samples: how many answers to each question.
        round_: the draft they are collected for.

    Raises:
        ReleaseNotConnected: no endpoint answers as one of them, or as any.
        TooManyAnswers: more are missing than a run asks for.
    """
    gaps = [one for one in wanted.gaps if not releases or one.release.pk in releases]
    found = connections.current(one.release.pk for one in gaps)
    if lacking := [one.release for one in gaps if releases and one.release.pk not in found]:
        raise operations.ReleaseNotConnected(
            _("No endpoint answers as %(release)s. Connect it on its page first.")
            % {"release": lacking[0]}
        )
    if not found:
        raise operations.ReleaseNotConnected(
            _(
                "None of these releases is connected with an endpoint. Connect one on its page first."
            )
        )
    askable = _askable({pk for one in gaps for pk in wanted.missing[one.release.pk]})
    items = {
        str(gap.release.pk): [pk for pk in wanted.missing[gap.release.pk] if pk in askable]
        for gap in gaps
        if gap.release.pk in found
    }
    _check_size(sum(map(len, items.values())) * samples)
    return {
        "round": round_.number if round_ else None,
        "samples": samples,
        "releases": {
            str(gap.release): {
                "release": gap.release.pk,
                "connection": found[gap.release.pk].pk,
                "endpoint": found[gap.release.pk].endpoint_id,
                "settings": found[gap.release.pk].settings,
                "n_items": len(items[str(gap.release.pk)]),
            }
            for gap in gaps
            if gap.release.pk in found
        },
        "items": items,
    }


def _check_size(n_answers: int) -> None:
    if n_answers > MOST:
        message = _(
            "%(n)d answers would be asked for, and a run asks for %(most)d at most. Choose fewer "
            "releases, or capabilities."
        )
        raise TooManyAnswers(message % {"n": n_answers, "most": MOST})


def _draft(project: Project, number: int) -> Round:
    found = rounds.rounds_of(project).filter(number=number, state=Round.State.DRAFT).first()
    if found is None:
        message = _("There is no draft of a round with this number.")
        raise NoDraft(message, fields={"round": [message]})
    return found


def _askable(items: Collection[int]) -> frozenset[int]:
    """Return which items can be sent to a system: those that end with a question, without tools."""
    fit: set[int] = set()
    pks: Sequence[int] = sorted(items)
    for start in range(0, len(pks), 500):
        rows = Item.objects.filter(pk__in=pks[start : start + 500]).values_list("pk", "messages")
        fit.update(pk for pk, messages in rows if not v1.unfit(messages))
    return frozenset(fit)


@dataclass(frozen=True)
class CollectOffer:
    """A release that lacks answers, and what would give them."""

    release: SystemRelease
    n_missing: int
    connection: SystemConnection | None

    @property
    def is_ready(self) -> bool:
        """Whether it can be asked just now."""
        return (
            self.n_missing > 0
            and self.connection is not None
            and self.connection.endpoint.retired_at is None
        )

    @property
    def label(self) -> str:
        n = self.n_missing
        said = ngettext("%(n)d answer missing", "%(n)d answers missing", n) % {"n": n}
        return f"{self.release}: {said}"


def offers(wanted: WantedAnswers) -> list[CollectOffer]:
    """Return every release of what is wanted, with what answers as it."""
    found = connections.current(one.release.pk for one in wanted.gaps)
    return [
        CollectOffer(one.release, one.n_missing, found.get(one.release.pk)) for one in wanted.gaps
    ]
