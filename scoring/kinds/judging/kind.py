"""The manner of judges that are asked for a JSON object of scores: the direct one, and that of one score.

* Runs in which a judge grades the answers of a round, each answer a step.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final

from annotation.common.sentences import gettext as _
from annotation.rounds.models import Round
from evalsite import errors
from evalsite.kinds import Text, Whole, gettext_noop
from evalsite.records import Ask
from scoring.endpoints import queries as connections
from scoring.engine.kinds import (
    LARGEST_SEED,
    AskedRun,
    BeginRun,
    Estimated,
    RunAsking,
    StepPlan,
    Work,
    keep,
)
from scoring.engine.models import Judgment, Run, Step
from scoring.kinds.judging import manners, plugins
from scoring.kinds.judging import queries as judging
from scoring.kinds.judging.direct import v1 as direct_v1
from scoring.kinds.judging.manners import JudgingManner
from scoring.llm.base import Failed
from scoring.protocols import samples as protocols_samples

SHORT: Final = 120
UNREAD: Final = "No score could be read in the judge's reply."
REASON: Final = 300
#: After so many requests the rest is reckoned from them; fewer than estimates look at.
LOOKED_AT: Final = 3000
#: So many answers are looked at together.
A_LOOK: Final = 100


class RoundNotOpened(errors.Conflict):
    """A draft has no answers that stay."""


class NothingToJudge(errors.Invalid): ...


def _manner(protocol: str) -> JudgingManner:
    found: JudgingManner = plugins.of_protocol(protocol).manner
    return found


@dataclass(frozen=True, kw_only=True)
class Judged(BeginRun):
    """Which judge grades a round, by which criteria (none named: all). With `estimate` nothing is started.

    Args:
        judge: by the key of its rater.
        criteria: by key.
    """

    judge: Annotated[int, Whole(1, LARGEST_SEED), Ask(gettext_noop("Judge"))]
    criteria: Annotated[
        tuple[Annotated[str, Text(120, empty=False)], ...],
        Ask(
            gettext_noop("Criteria"),
        ),
    ] = ()


class Judging:
    """`run.judge` says how, `run.round` what; `run.config["criteria"]` names criteria, empty for all."""

    kind = Run.Kind.JUDGE
    wish = Judged
    writes = False

    def asked(self, of: Round, wish: Judged, asking: RunAsking) -> AskedRun:
        """Find the judge of a round's answers.

        Raises:
            NothingToJudge: the project has no such judge.
        """
        judge = judging.judges_of(of.project).filter(rater=wish.judge).first()
        if judge is None:
            message = _("There is no judge of this number in the project.")
            raise NothingToJudge(message, fields={"judge": [message]})
        config = {"criteria": sorted(set(wish.criteria))}
        return AskedRun(protocol=judge.protocol, config=config, round=of, judge=judge)

    def again(self, run: Run) -> dict[str, Any]:
        chosen = run.config.get("criteria")
        judge = {"judge": run.judge.rater_id} if run.judge else {}
        return {**judge, **({"criteria": chosen} if chosen else {})}

    def check(self, run: Run) -> None:
        """Refuse a run without a judge or a round, or with nothing to judge.

        Raises:
            RoundNotOpened: the round is a draft.
            NothingToJudge: it has no answers, or none of the criteria that are named.
            connections.EndpointRetired: the judge's endpoint is not in use any more.
            errors.Refusal: the judge's manner says why it cannot grade this round.
        """
        if run.judge is None or run.round is None or run.protocol not in plugins.protocols():
            raise NothingToJudge(_("Choose a judge, and a round whose answers it grades."))
        if run.round.project_id != run.project_id or run.judge.project_id != run.project_id:
            raise NothingToJudge(_("The judge and the round belong to another project."))
        if run.round.state == Round.State.DRAFT:
            raise RoundNotOpened(
                _("The round is a draft. Its answers can be judged once it is open.")
            )
        connections.refuse_retired([run.judge.endpoint_id], _("Make a judge with the new one."))
        known = {one.key for one in judging.choices_of(run.round)}
        if not known:
            raise NothingToJudge(_("This round has no answers that could be judged."))
        if unknown := sorted(set(manners.keys_of(run)) - known):
            raise NothingToJudge(
                _("The rubrics of this round have no criterion “%(key)s”.") % {"key": unknown[0]}
            )
        _manner(run.protocol).check(run)

    def endpoints(self, run: Run) -> Collection[int]:
        return [manners.judge_of(run).endpoint_id]

    def prompts(self, run: Run) -> Iterator[Estimated]:
        return prompts(run)

    def plan(self, run: Run) -> Iterator[StepPlan]:
        """Yield what the judge needs first, or else a step for each answer of the round."""
        first = list(_manner(run.protocol).first(run))
        return iter(first) if first else self._answers(run)

    def more(self, run: Run) -> Iterator[StepPlan]:
        """Yield the steps of the answers, once everything that comes first is there."""
        first = [one.key for one in _manner(run.protocol).first(run)]
        there = run.steps.filter(key__in=first, state=Step.State.DONE).count()
        return self._answers(run) if first and there == len(first) else iter(())

    def _answers(self, run: Run) -> Iterator[StepPlan]:
        """Yield a step for each answer that has a criterion to be judged by."""
        assert run.round is not None
        versions = [one.pk for one in judging.versions_of(run.round)]
        own = _manner(run.protocol).declare(run, versions)
        together = {"together": True} if manners.judge_of(run).endpoint.gives_several else {}
        for place in judging.places(run):
            if place.version in own:
                yield StepPlan(
                    key=f"{place.external_id[:SHORT]} / {place.response}",
                    item_id=place.item,
                    release_id=place.release,
                    response_id=place.response,
                    spec={
                        "rubric_version": place.version,
                        "criteria": own[place.version],
                        "display": place.display,
                        **together,
                    },
                )

    def prepare(self, step: Step) -> Work:
        return _manner(step.run.protocol).prepare(step)

    def record(self, step: Step, result: Mapping[str, Any], now: datetime) -> Step.Outcome:
        if step.response_id is None:  # what comes first is kept as the step's result
            return Step.Outcome.OK
        own: Mapping[str, int] = step.spec["criteria"]
        if result["skipped"]:
            left_out = {"outcome": "SKIPPED", "reason": result["skipped"]}
            rows = [_judgment(step, pk, 0, left_out, now) for pk in own.values()]
            keep(rows)
            _note(step, result["skipped"])
            return Step.Outcome.SKIPPED
        samples = [(one["repeat"], one["criteria"]) for one in result["samples"]]
        keep(
            _judgment(step, own[key], repeat, said, now)
            for repeat, criteria in [(0, result["criteria"]), *samples]
            for key, said in criteria.items()
        )
        unread = [said for said in result["criteria"].values() if said["outcome"] != "SCORED"]
        if not unread:
            return Step.Outcome.OK
        _note(
            step, unread[0]["reason"] if unread[0]["reason"] in direct_v1.PLAIN_REASONS else UNREAD
        )
        return Step.Outcome.NO_READING

    def record_failure(self, step: Step, failed: Failed, now: datetime) -> None:
        """Nothing: no system is asked, and what the machinery does is no judgment."""


def prompts(run: Run, *, looked_at: int = LOOKED_AT, at_once: int = A_LOOK) -> Iterator[Estimated]:
    """Yield the requests of each answer; of a large round those of its first answers and a sum.

    The sum stands for the answers that are left, which are taken to be like the first ones.
    """
    manner = _manner(run.protocol)
    yield from manner.first_prompts(run)
    seen: list[Estimated] = []
    n_seen = 0
    for page in judging.pages(run, size=at_once):
        if len(seen) >= looked_at:
            yield _like(seen, (judging.n_judged(run) - n_seen) / n_seen)
            return
        found = list(manner.prompts(run, page))
        yield from found
        seen += found
        n_seen += len(page)


def _like(seen: Sequence[Estimated], times: float) -> Estimated:
    """Return the requests of so many times the answers that were looked at."""
    n_calls = sum(one.calls for one in seen)
    return Estimated(
        seen[0].role,
        seen[0].endpoint_id,
        round(sum(one.prompt_tokens * one.calls for one in seen) / n_calls),
        round(sum(one.completion_tokens * one.calls * one.replies for one in seen) / n_calls),
        calls=round(n_calls * times),
    )


def _note(step: Step, problem: str) -> None:
    """Say at the step why it has no score, in words that quote nothing: it is shown before the rest is."""
    Step.objects.filter(pk=step.pk, state=Step.State.CLAIMED).update(problem=problem)


def _judgment(
    step: Step, criterion: int, repeat: int, said: Mapping[str, Any], now: datetime
) -> Judgment:
    assert step.response_id is not None
    return Judgment(
        rater_id=manners.judge_of(step.run).rater_id,
        response_id=step.response_id,
        criterion_id=criterion,
        run_id=step.run_id,
        step=step,
        repeat=repeat,
        outcome=said["outcome"],
        reason=said["reason"][:REASON],
        value=said.get("value"),
        n_valid=said.get("n_valid"),
        sd=said.get("sd"),
        mass=said.get("mass") if said.get("how") == protocols_samples.WEIGHTED else None,
        label=said.get("how", ""),
        text=said.get("text", ""),
        at=now,
    )


KIND = Judging()
