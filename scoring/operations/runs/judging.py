"""Runs in which a judge grades the answers of a round, each answer a step.

An answer is graded by the criteria of its round item's rubric. Judgments are written in the transaction
that ends the step; of a run over a round they are seen once the round is final.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext as _

from annotation.models import Display, Item, Response, Round, RubricVersion
from evalsite import errors
from scoring.llm import tokens
from scoring.llm.base import ChatModel, Failed, Message, Role
from scoring.models import Judge, Judgment, Run, Step
from scoring.operations import judges
from scoring.operations.runs.kinds import Estimated, StepPlan, Work
from scoring.protocols import untrusted
from scoring.protocols.direct import v1
from scoring.protocols.direct.asking_v1 import Task
from scoring.queries import judging

#: Tokens that a judge's reasons and score on one criterion take, about.
A_CRITERION: Final = 90
#: Tokens of the two delimiters around a text.
A_FENCE: Final = 40
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


class Judging:
    """`run.judge` says how, `run.round` what; `run.config["criteria"]` names criteria, empty for all."""

    def check(self, run: Run) -> None:
        """Refuse a run without a judge or a round, or with nothing to judge.

        Raises:
            NotOpened: the round is a draft.
            NothingToJudge: it has no answers, or none of the criteria that are named.
            judges.EndpointRetired: the judge's endpoint is not in use any more.
        """
        if run.judge is None or run.round is None or run.protocol != v1.PROTOCOL:
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
        if unknown := sorted(set(_keys(run)) - known):
            raise NothingToJudge(
                _("The rubrics of this round have no criterion “%(key)s”.") % {"key": unknown[0]}
            )

    def endpoints(self, run: Run) -> Collection[int]:
        return [_judge(run).endpoint_id]

    def prompts(self, run: Run) -> Iterator[Estimated]:
        return prompts(run)

    def plan(self, run: Run) -> Iterator[StepPlan]:
        """Yield a step for each answer of the round that has a criterion to be judged by."""
        assert run.round is not None
        own = judges.declare(
            judge=_judge(run),
            versions=[one.pk for one in judging.versions_of(run.round)],
            keys=_keys(run),
            by=run.requested_by,
            now=run.requested_at,
        )
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
                    },
                )

    def prepare(self, step: Step) -> Work:
        judge, run = _judge(step.run), step.run
        settings = judges.settings_of(judge)
        task = _task(step, settings)
        fence = untrusted.Fence(run.secret, step.key)

        async def procedure(model: ChatModel) -> dict[str, Any]:
            return await v1.judge(model, task, config_of(settings), fence=fence, seed=run.seed)

        return Work(procedure, {Role.JUDGE: judge.endpoint_id})

    def record(self, step: Step, result: Mapping[str, Any], now: datetime) -> Step.Outcome:
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
        _note(step, unread[0]["reason"] if unread[0]["reason"] in v1.PLAIN_REASONS else UNREAD)
        return Step.Outcome.NO_READING

    def record_failure(self, step: Step, failed: Failed, now: datetime) -> None:
        """Nothing: no system is asked, and what the machinery does is no judgment."""


def prompts(run: Run, *, looked_at: int = LOOKED_AT, at_once: int = A_LOOK) -> Iterator[Estimated]:
    """Yield the requests of each answer; of a large round those of its first answers and a sum.

    The sum stands for the answers that are left, which are taken to be like the first ones.
    """
    assert run.round is not None
    seen: list[Estimated] = []
    n_seen = 0
    for page in judging.pages(run.round, size=at_once):
        if len(seen) >= looked_at:
            yield _like(seen, (judging.n_places(run.round) - n_seen) / n_seen)
            return
        found = list(_of_page(run, page))
        yield from found
        seen += found
        n_seen += len(page)


def _of_page(run: Run, page: Sequence[judging.Place]) -> Iterator[Estimated]:
    """Yield the requests of some answers: the fixed part counted once, their texts one by one."""
    judge = _judge(run)
    settings = judges.settings_of(judge)
    fixed = {version: _fixed(version, run, settings) for version in {one.version for one in page}}
    found = judging.texts(page)
    for place in page:
        material = _material(*found[place.pk], settings)
        for n_prompt, n_criteria in fixed[place.version]:
            yield Estimated(
                Role.JUDGE,
                judge.endpoint_id,
                n_prompt + material,
                min(settings.max_tokens, n_criteria * A_CRITERION),
                calls=settings.repeats,
                key=place.external_id,
            )


def _like(seen: Sequence[Estimated], times: float) -> Estimated:
    """Return the requests of so many times the answers that were looked at."""
    n_calls = sum(one.calls for one in seen)
    return Estimated(
        seen[0].role,
        seen[0].endpoint_id,
        round(sum(one.prompt_tokens * one.calls for one in seen) / n_calls),
        round(sum(one.completion_tokens * one.calls for one in seen) / n_calls),
        calls=round(n_calls * times),
    )


def _note(step: Step, problem: str) -> None:
    """Say at the step why it has no score, in words that quote nothing: it is shown before the rest is."""
    Step.objects.filter(pk=step.pk, state=Step.State.CLAIMED).update(problem=problem)


def config_of(settings: judges.Settings) -> v1.Config:
    """Return what the procedure takes of a judge's settings."""
    return v1.Config(**{name: getattr(settings, name) for name in v1.Config.__dataclass_fields__})


def _judge(run: Run) -> Judge:
    assert run.judge is not None
    return run.judge


def _keys(run: Run) -> list[str]:
    return [str(one) for one in run.config.get("criteria") or []]


def _task(step: Step, settings: judges.Settings) -> Task:
    version = RubricVersion.objects.get(pk=step.spec["rubric_version"])
    display = step.spec["display"]
    assert step.item_id is not None
    assert step.response_id is not None
    return judging.task(
        item=Item.objects.get(pk=step.item_id),
        response=Response.objects.get(pk=step.response_id),
        shown=Display.objects.get(pk=display) if display else None,
        criteria=judging.criteria_of(version.pk, list(step.spec["criteria"])),
        principle=version.principle,
        reference=settings.reference,
        language=settings.language,
    )


def _fixed(version: int, run: Run, settings: judges.Settings) -> list[tuple[int, int]]:
    """Return tokens and criteria of each request of one sample, without the material."""
    criteria = judging.criteria_of(version, _keys(run))
    principle = RubricVersion.objects.values_list("principle", flat=True).get(pk=version)
    if not criteria:
        return []
    empty = Task(
        question=(Message("user", ""),),
        answer=(Message("assistant", ""),),
        criteria=criteria,
        principle=principle,
        language=settings.language,
    )
    asked = v1.requests(
        empty,
        config_of(settings),
        fence=untrusted.Fence("", ""),
        seed=0,
    )
    return [
        (
            tokens.of_messages(one.messages) + tokens.of_text(str(one.schema)),
            len(one.schema["properties"]) if one.schema else 1,
        )
        for one in asked
    ]


def _material(
    item: Item, response: Response, shown: Display | None, settings: judges.Settings
) -> int:
    """Return the tokens of what stands between delimiters."""
    task = judging.task(
        item=item,
        response=response,
        shown=shown,
        criteria=(),
        principle="",
        reference=settings.reference,
        language=settings.language,
    )
    texts = [one.content for one in (*task.question, *task.answer)]
    texts += [task.reference, *task.key_points]
    return sum(tokens.of_text(one) + A_FENCE for one in texts if one)


def _judgment(
    step: Step, criterion: int, repeat: int, said: Mapping[str, Any], now: datetime
) -> Judgment:
    assert step.response_id is not None
    return Judgment(
        rater_id=_judge(step.run).rater_id,
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
        text=said.get("text", ""),
        at=now,
    )


KIND = Judging()
