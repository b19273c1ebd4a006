"""Runs in which an endpoint writes the plan of an evaluation: one step, and a plan of it.

* Runs of Fusion-Eval: each answer evaluated by each of the run's judges, a judge and an answer a step.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext as _

from annotation.rounds.models import Round
from annotation.systems.models import Display, Item, Response
from evalsite import errors
from scoring.endpoints import queries as connections
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine.kinds import Estimated, StepPlan, Work
from scoring.engine.models import Judgment, Run, Step
from scoring.kinds.fusion import operations as fusion_judges
from scoring.kinds.fusion import plans_v1, v1, v2
from scoring.kinds.fusion import queries as fusion
from scoring.kinds.fusion import task_operations as evaluation_plans
from scoring.kinds.fusion.models import Plan, TaskVersion
from scoring.kinds.fusion.tasks import FusionTask
from scoring.kinds.fusion.v1 import Variant
from scoring.kinds.judging import manners
from scoring.llm import base as tokens
from scoring.llm.base import ChatModel, Failed, Message, Role
from scoring.protocols import untrusted
from scoring.protocols.task_asking_v1 import Example

#: Tokens of a plan of some length.
A_PLAN: Final = 900


class NoTask(errors.Invalid): ...


class PlanningEvaluation:
    """`run.config` names a version of a task and the endpoint that writes."""

    def check(self, run: Run) -> None:
        """Refuse a run without a task or an endpoint.

        Raises:
            NoTask: the task is none of this project.
            connections.EndpointRetired: the endpoint is not in use any more.
        """
        version = _version(run)
        if version is None or version.task.project_id != run.project_id:
            raise NoTask(_("Choose a task to write a plan for."))
        endpoint = Endpoint.objects.filter(pk=run.config.get("endpoint", 0)).first()
        connections.refuse_unless_of(run.project, endpoint)

    def endpoints(self, run: Run) -> Collection[int]:
        return [int(run.config["endpoint"])]

    def prompts(self, run: Run) -> Iterator[Estimated]:
        version = _version(run)
        assert version is not None
        asked = plans_v1.request(fusion.content(version).design)
        yield Estimated(
            Role.PLANNER,
            int(run.config["endpoint"]),
            tokens.of_messages(asked.messages),
            A_PLAN,
            key=version.task.name,
        )

    def plan(self, run: Run) -> Iterator[StepPlan]:
        yield StepPlan(key="plan")

    def prepare(self, step: Step) -> Work:
        version = _version(step.run)
        assert version is not None
        design = fusion.content(version).design
        settings = replace(plans_v1.PLANNER, seed=step.run.seed)

        async def procedure(model: ChatModel) -> dict[str, Any]:
            return (await plans_v1.write(model, design, settings)).plain()

        return Work(procedure, {Role.PLANNER: int(step.run.config["endpoint"])})

    def record(self, step: Step, result: Mapping[str, Any], now: datetime) -> Step.Outcome:
        version = _version(step.run)
        assert version is not None
        if not result["text"].strip():
            return Step.Outcome.NO_READING
        evaluation_plans.write(
            version=version,
            text=result["text"],
            alignment=result["alignment"],
            source=Plan.Source.ENDPOINT,
            by=step.run.requested_by,
            now=now,
            run=step.run,
            endpoint=Endpoint.objects.get(pk=step.run.config["endpoint"]),
            problem=result["problem"],
            unknown=result["unknown"],
        )
        return Step.Outcome.OK

    def record_failure(self, step: Step, failed: Failed, now: datetime) -> None:
        """Nothing: no system is asked."""


def _version(run: Run) -> TaskVersion | None:
    rows = TaskVersion.objects.select_related("task__project")
    return rows.filter(pk=run.config.get("version", 0)).first()


KIND = PlanningEvaluation()


#: Tokens that a score and its explanation take, about.
A_CRITERION: Final = 90
#: Tokens of the two delimiters around a text.
A_FENCE: Final = 40
SHORT: Final = 120
REASON: Final = 300
UNREAD: Final = "No score could be read in the judge's replies."


class RoundIsDraft(errors.Conflict):
    code = "round_not_opened"


class NoAnswersToJudge(errors.Invalid):
    code = "nothing_to_evaluate"


class Fusing:
    """`run.config` has task, version, plan, import and `judges`, one for each variant that is asked.

    An entry of `judges` has the keys of the judge, its rater, its endpoint, its variant, its settings'
    hash, and its own criteria by the task's keys.
    """

    def check(self, run: Run) -> None:
        """Refuse a run with nobody to ask or nothing to evaluate.

        Raises:
            NoAnswersToJudge: no judges, no answers, or a task of another project.
            RoundIsDraft: the answers of the round may still change.
            connections.EndpointRetired: an endpoint is not in use any more.
        """
        version = _version_of_task(run)
        if version is None or version.task.project_id != run.project_id or not _asked(run):
            raise NoAnswersToJudge(_("Choose a task, and at least one way of judging."))
        if run.round is not None and run.round.project_id != run.project_id:
            raise NoAnswersToJudge(_("The round belongs to another project."))
        if run.round is not None and run.round.state == Round.State.DRAFT:
            raise RoundIsDraft(
                _("The round is a draft. Its answers can be judged once it is open.")
            )
        if not fusion.count(run.project, run.round, run.config.get("import")):
            raise NoAnswersToJudge(_("There is no answer here. Choose another round or import."))
        keys = [one["judge"] for one in _asked(run) if one["judge"]]
        rows = Judge.objects.filter(project=run.project, pk__in=keys)
        known = list(rows.select_related("endpoint"))
        if len(known) < len(keys) or any(one.endpoint.retired_at for one in known):
            raise connections.EndpointRetired(
                _("An endpoint of this run was changed or retired. Start it with the new one.")
            )

    def endpoints(self, run: Run) -> Collection[int]:
        return {int(one["endpoint"]) for one in _asked(run)}

    def prompts(self, run: Run) -> Iterator[Estimated]:
        """Yield what each judge is asked of each answer: the fixed part counted once, texts one by one."""
        version = _version_of_task(run)
        assert version is not None
        content = fusion.content(version)
        plan = _plan(run)
        fixed = [(one, *said) for one in _asked(run) for said in _fixed(content, one, plan)]
        for page in fusion.pages(run.project, run.round, run.config.get("import")):
            found = fusion.texts(page)
            for place in page:
                example = fusion.example(content, *found[place.response], {})
                material = _material(example)
                for one, n_fixed, n_wanted, drawn, most in fixed:
                    yield Estimated(
                        Role.JUDGE,
                        int(one["endpoint"]),
                        n_fixed + material,
                        min(most, A_CRITERION * n_wanted),
                        **drawn,
                        key=place.external_id,
                    )

    def plan(self, run: Run) -> Iterator[StepPlan]:
        """Yield a step for each answer and judge, the judges of an answer side by side."""
        version = _version_of_task(run)
        assert version is not None
        content = fusion.content(version)
        several = {
            one.pk
            for one in Endpoint.objects.filter(pk__in=self.endpoints(run))
            if one.gives_several
        }
        for page in fusion.pages(run.project, run.round, run.config.get("import")):
            scores = fusion.scores(content, [one.response for one in page])
            for place in page:
                for one in _asked(run):
                    blind = one["variant"] == Variant.DE
                    together = {"together": True} if one["endpoint"] in several else {}
                    yield StepPlan(
                        key=f"{one['variant']} {place.external_id[:SHORT]} / {place.response}",
                        item_id=place.item,
                        release_id=place.release,
                        response_id=place.response,
                        spec={
                            "judge": one["judge"],
                            "display": place.display,
                            "scores": {} if blind else scores.get(place.response, {}),
                            **together,
                        },
                    )

    def prepare(self, step: Step) -> Work:
        run = step.run
        version = _version_of_task(run)
        assert version is not None
        judge = Judge.objects.get(pk=step.spec["judge"])
        content = fusion.content(version)
        plan = Plan.objects.filter(pk=judge.config["plan"] or 0).first()
        config = fusion_judges.config_of(
            Variant(judge.config["variant"]), judge.config, "" if plan is None else plan.text
        )
        evaluate = v2.evaluate if judge.config.get("apart") else v1.evaluate
        example = _example(step, content)
        fence = untrusted.Fence(run.secret, step.key)
        together = bool(step.spec.get("together"))

        async def procedure(model: ChatModel) -> dict[str, Any]:
            return await evaluate(
                model,
                content.design,
                example,
                config,
                fence=fence,
                seed=run.seed,
                together=together,
            )

        return Work(procedure, {Role.JUDGE: judge.endpoint_id})

    def record(self, step: Step, result: Mapping[str, Any], now: datetime) -> Step.Outcome:
        one = next(one for one in _asked(step.run) if one["judge"] == step.spec["judge"])
        own: Mapping[str, int] = one["criteria"]
        if result["skipped"]:
            left_out = {"outcome": "SKIPPED", "reason": result["skipped"]}
            Judgment.objects.bulk_create(
                _judgment(step, one, pk, 0, left_out, now) for pk in own.values()
            )
            _note(step, result["skipped"])
            return Step.Outcome.SKIPPED
        samples = [(said["repeat"], said["criteria"]) for said in result["samples"]]
        Judgment.objects.bulk_create(
            _judgment(step, one, own[key], repeat, said, now)
            for repeat, criteria in [(0, result["criteria"]), *samples]
            for key, said in criteria.items()
        )
        if all(said["outcome"] == "SCORED" for said in result["criteria"].values()):
            return Step.Outcome.OK
        _note(step, UNREAD)
        return Step.Outcome.NO_READING

    def record_failure(self, step: Step, failed: Failed, now: datetime) -> None:
        """Nothing: no system is asked, and what the machinery does is no judgment."""


def _asked(run: Run) -> Sequence[Mapping[str, Any]]:
    found: Sequence[Mapping[str, Any]] = run.config.get("judges") or ()
    return found


def _version_of_task(run: Run) -> TaskVersion | None:
    rows = TaskVersion.objects.select_related("task__project")
    return rows.filter(pk=run.config.get("version", 0)).first()


def _plan(run: Run) -> Plan | None:
    return Plan.objects.filter(pk=run.config.get("plan") or 0).first()


def _example(step: Step, content: FusionTask) -> Example:
    assert step.item_id is not None
    assert step.response_id is not None
    shown = step.spec["display"]
    return fusion.example(
        content,
        Item.objects.get(pk=step.item_id),
        Response.objects.get(pk=step.response_id),
        Display.objects.get(pk=shown) if shown else None,
        step.spec["scores"],
    )


def _fixed(
    content: FusionTask, one: Mapping[str, Any], plan: Plan | None
) -> Iterator[tuple[int, int, dict[str, int], int]]:
    """Yield of each request its tokens without material, of how many criteria, how many are made, the most."""
    settings = one["settings"]
    variant = Variant(one["variant"])
    # One that is still to be written is taken to be of some length.
    text = (plan.text if plan is not None else "plan" * A_PLAN) if variant is Variant.FE else ""
    config = fusion_judges.config_of(variant, settings, text)
    empty = Example(
        tuple((field.name, "") for field in content.fields), (Message("assistant", ""),)
    )
    endpoint = Endpoint.objects.get(pk=one["endpoint"])
    drawn = manners.drawn(endpoint, config.predictions, turned=config.turned)
    whole = content.design
    for design in v2.parts(whole) if settings.get("apart") else (whole,):
        asked = v1.request(design, empty, config, fence=untrusted.Fence("", ""), seed=0)
        n_fixed = tokens.of_messages(asked.messages) + tokens.of_text(str(asked.schema))
        yield n_fixed, len(design.wanted), drawn, config.max_tokens


def _material(example: Example) -> int:
    """Return the tokens of what stands between delimiters."""
    texts = [text for _name, text in example.fields] + [one.content for one in example.answer]
    return sum(tokens.of_text(one) for one in texts) + A_FENCE * (len(example.answer) - 1)


def _note(step: Step, problem: str) -> None:
    """Say at the step why it has no score, in words that quote nothing: it is shown before the rest is."""
    Step.objects.filter(pk=step.pk, state=Step.State.CLAIMED).update(problem=problem)


def _judgment(
    step: Step,
    one: Mapping[str, Any],
    criterion: int,
    repeat: int,
    said: Mapping[str, Any],
    now: datetime,
) -> Judgment:
    assert step.response_id is not None
    return Judgment(
        rater_id=one["rater"],
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


FUSION_KIND = Fusing()
