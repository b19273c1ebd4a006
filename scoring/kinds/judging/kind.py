"""The manner of judges that are asked for a JSON object of scores: the direct one, and that of one score.

* Runs in which a judge grades the answers of a round, each answer a step.
"""

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from django.utils.module_loading import import_string

from annotation.common.sentences import gettext as _
from annotation.rounds.models import Round
from annotation.rubrics.rules import Measure
from evalsite import errors
from scoring.engine.kinds import Estimated, StepPlan, Work
from scoring.engine.models import Judgment, Run, Step
from scoring.kinds.judging import direct_v1, manners
from scoring.kinds.judging import geval_v1 as geval
from scoring.kinds.judging import queries as judging
from scoring.kinds.judging import settings as judges
from scoring.kinds.judging import single_v1 as single
from scoring.kinds.judging.asking_v1 import Task
from scoring.kinds.judging.direct_v1 import Config
from scoring.kinds.judging.manners import Manner
from scoring.kinds.judging.queries import Place
from scoring.kinds.judging.settings import Settings, SingleSettings
from scoring.llm import base as tokens
from scoring.llm.base import ChatModel, Failed, Message, Request, Role
from scoring.protocols import samples as protocols_samples
from scoring.protocols import untrusted

#: Tokens that a judge's reasons and score on one criterion take, about.
A_CRITERION: Final = 90
OVERALL: Final = Measure("Overall quality", single.SCALE.minimum, single.SCALE.maximum)


class Directly:
    """By the criteria of people's rubrics."""

    judge: Callable[..., Awaitable[dict[str, Any]]] = staticmethod(direct_v1.judge)
    requests: Callable[..., list[Request]] = staticmethod(direct_v1.requests)

    def check(self, run: Run) -> None:
        """Every round can be graded so."""

    def declare(self, run: Run, versions: Collection[int]) -> dict[int, dict[str, int]]:
        return judges.declare(
            judge=manners.judge_of(run),
            versions=versions,
            keys=manners.keys_of(run),
            by=run.requested_by,
            now=run.requested_at,
        )

    def first(self, run: Run) -> Iterator[StepPlan]:
        return iter(())

    def first_prompts(self, run: Run) -> Iterator[Estimated]:
        return iter(())

    def prompts(self, run: Run, page: Sequence[Place]) -> Iterator[Estimated]:
        judge, settings = manners.judge_of(run), _settings(run)
        fixed = {one: self._fixed(one, run) for one in {place.version for place in page}}
        found = judging.texts(page)
        for place in page:
            material = manners.material_of(found[place.pk], settings)
            for n_prompt, n_criteria in fixed[place.version]:
                yield Estimated(
                    Role.JUDGE,
                    judge.endpoint_id,
                    n_prompt + material,
                    min(settings.max_tokens, n_criteria * A_CRITERION),
                    **manners.drawn(judge.endpoint, settings.repeats, turned=settings.turned),
                    key=place.external_id,
                )

    def prepare(self, step: Step) -> Work:
        run, settings = step.run, _settings(step.run)
        task = manners.task_of(step, settings, self._keys(list(step.spec["criteria"])))
        fence = untrusted.Fence(run.secret, step.key)
        config, at_once = config_of(settings), bool(step.spec.get("together"))

        async def procedure(model: ChatModel) -> dict[str, Any]:
            return await self.judge(
                model, task, config, fence=fence, seed=run.seed, at_once=at_once
            )

        return Work(procedure, {Role.JUDGE: manners.judge_of(run).endpoint_id})

    def _keys(self, keys: list[str]) -> list[str]:
        return keys

    def _fixed(self, version: int, run: Run) -> list[tuple[int, int]]:
        """Return tokens and criteria of each request of one sample, without the material."""
        settings = _settings(run)
        criteria = judging.criteria_of(version, manners.keys_of(run))
        if not criteria:
            return []
        empty = Task(
            question=(Message("user", ""),),
            answer=(Message("assistant", ""),),
            criteria=criteria,
            principle=manners.principle_of(version),
            language=settings.language,
        )
        asked = self.requests(empty, config_of(settings), fence=untrusted.Fence("", ""), seed=0)
        return [
            (
                tokens.of_messages(one.messages) + tokens.of_text(str(one.schema)),
                len(one.schema["properties"]) if one.schema else 1,
            )
            for one in asked
        ]


class AsAWhole(Directly):
    """By one score from 1 to 10, whatever the rubric."""

    judge = staticmethod(single.judge)
    requests = staticmethod(single.requests)

    def declare(self, run: Run, versions: Collection[int]) -> dict[int, dict[str, int]]:
        return judges.declare_one(
            judge=manners.judge_of(run),
            versions=versions,
            key=single.KEY,
            measure=OVERALL,
            by=run.requested_by,
            now=run.requested_at,
        )

    def _keys(self, keys: list[str]) -> list[str]:
        return []  # those of the rubric are read, and left aside


def config_of(settings: Settings | SingleSettings) -> Config:
    """Return what the procedure takes of a judge's settings."""
    names = [one for one in Config.__dataclass_fields__ if hasattr(settings, one)]
    return Config(**{name: getattr(settings, name) for name in names})


def _settings(run: Run) -> Settings | SingleSettings:
    found = judges.settings_of(manners.judge_of(run))
    assert isinstance(found, Settings | SingleSettings)
    return found


DIRECTLY, AS_A_WHOLE = Directly(), AsAWhole()


#: The dotted name of the manner of each protocol.
MANNERS: Final[Mapping[str, str]] = {
    direct_v1.PROTOCOL: "scoring.kinds.judging.kind.DIRECTLY",
    geval.PROTOCOL: "scoring.kinds.judging.filling.FILLING_FORMS",
    single.PROTOCOL: "scoring.kinds.judging.kind.AS_A_WHOLE",
}
SHORT: Final = 120
UNREAD: Final = "No score could be read in the judge's reply."
REASON: Final = 300
#: After so many requests the rest is reckoned from them; fewer than estimates look at.
LOOKED_AT: Final = 3000
#: So many answers are looked at together.
A_LOOK: Final = 100


class NotOpened(errors.Conflict):
    """A draft has no answers that stay."""

    code = "round_not_opened"


class NothingToJudge(errors.Invalid):
    code = "nothing_to_judge"


def _manner(protocol: str) -> Manner:
    found: Manner = import_string(MANNERS[protocol])
    return found


class Judging:
    """`run.judge` says how, `run.round` what; `run.config["criteria"]` names criteria, empty for all."""

    def check(self, run: Run) -> None:
        """Refuse a run without a judge or a round, or with nothing to judge.

        Raises:
            NotOpened: the round is a draft.
            NothingToJudge: it has no answers, or none of the criteria that are named.
            judges.EndpointRetired: the judge's endpoint is not in use any more.
            errors.Refusal: the judge's manner says why it cannot grade this round.
        """
        if run.judge is None or run.round is None or run.protocol not in MANNERS:
            raise NothingToJudge(_("Choose a judge, and a round whose answers it grades."))
        if run.round.project_id != run.project_id or run.judge.project_id != run.project_id:
            raise NothingToJudge(_("The judge and the round belong to another project."))
        if run.round.state == Round.State.DRAFT:
            raise NotOpened(_("The round is a draft. Its answers can be judged once it is open."))
        if run.judge.endpoint.retired_at is not None:
            raise judges.EndpointRetired(
                _("The endpoint “%(name)s” was changed or retired. Make a judge with the new one.")
                % {"name": run.judge.endpoint.name}
            )
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
        for place in judging.places(run.round):
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
            Judgment.objects.bulk_create(rows)
            _note(step, result["skipped"])
            return Step.Outcome.SKIPPED
        samples = [(one["repeat"], one["criteria"]) for one in result["samples"]]
        Judgment.objects.bulk_create(
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
    assert run.round is not None
    manner = _manner(run.protocol)
    yield from manner.first_prompts(run)
    seen: list[Estimated] = []
    n_seen = 0
    for page in judging.pages(run.round, size=at_once):
        if len(seen) >= looked_at:
            yield _like(seen, (judging.n_places(run.round) - n_seen) / n_seen)
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
