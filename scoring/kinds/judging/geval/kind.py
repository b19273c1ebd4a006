"""The manner of G-Eval: steps of evaluation are written once for each criterion, then forms are filled in.

Scores are weighed by the endpoint's log-probabilities where it gives them. What its test found decides
beforehand: an endpoint without them, or one that writes a value of a scale in several tokens, is asked
for samples instead; a judge that may only weigh is refused then.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from django.utils.translation import gettext_lazy

from annotation.common import scales
from annotation.common.scales import Scale
from annotation.common.sentences import gettext as _
from evalsite import errors
from evalsite.kinds import Choice, Whole, gettext_noop
from evalsite.records import Ask
from scoring.endpoints.models import Endpoint
from scoring.engine.kinds import Estimated, StepPlan, Work
from scoring.engine.models import Run, Step
from scoring.kinds.judging import manners
from scoring.kinds.judging import queries as judging
from scoring.kinds.judging import settings as judges
from scoring.kinds.judging.asking_v1 import Criterion, Task
from scoring.kinds.judging.geval import forms_v1
from scoring.kinds.judging.geval import v1 as v1
from scoring.kinds.judging.plugins import JudgeKind
from scoring.kinds.judging.queries import JudgedAnswer
from scoring.kinds.judging.settings import MOST_TOKENS, Heat, JudgeSettings, Readings
from scoring.llm import base as tokens
from scoring.llm.base import ChatModel, Message, Role
from scoring.protocols import untrusted

#: In the spec of a step that writes steps of evaluation: the rubric version, with the criterion's key.
STEPS_OF: Final = "steps_of"
#: Tokens of the steps of a criterion, about; and of a score.
STEPS, A_SCORE = 150, 4


#: Where G-Eval's scores come from: from weights, else from samples; from weights or not at all; samples.
WEIGHTS, ONLY_WEIGHTS, SAMPLES = "weights", "only_weights", "samples"
#: A form is answered by a number alone.
A_NUMBER: Final = 4
WEIGHT_NAMES: Final = (
    (WEIGHTS, gettext_lazy("probabilities; else readings")),
    (ONLY_WEIGHTS, gettext_lazy("probabilities; without them no score")),
    (SAMPLES, gettext_lazy("the mean of readings")),
)


@dataclass(frozen=True)
class GEvalSettings(JudgeSettings):
    """What decides how G-Eval grades. `repeats` samples are drawn where scores are not weighed."""

    weights: Annotated[
        str,
        Choice((WEIGHTS, ONLY_WEIGHTS, SAMPLES), titles=WEIGHT_NAMES),
        Ask(
            gettext_noop("Scores come from"),
            gettext_noop("The endpoint’s test tells whether it has probabilities."),
        ),
    ] = WEIGHTS
    repeats: Readings = 20
    temperature: Heat = 1.0
    max_tokens: Annotated[
        int,
        Whole(A_NUMBER, MOST_TOKENS),
        Ask(
            gettext_noop("Tokens of a reply at most"),
            gettext_noop("Few for a number; many for a model that reasons."),
        ),
    ] = 16

    @property
    def means(self) -> bool:
        return super().means and self.weights == SAMPLES


class CannotBeWeighed(errors.Conflict):
    """The endpoint's test says that these scores cannot be weighed."""


class FillingForms:
    def check(self, run: Run) -> None:
        """Refuse what may only be weighed, and cannot be.

        Raises:
            CannotBeWeighed: says which criterion, and why.
        """
        if run.round is None or _settings(run).weights != ONLY_WEIGHTS:
            return
        endpoint = manners.judge_of(run).endpoint
        for version in judging.versions_of(run.round):
            for one in judging.criteria_of(version.pk, manners.keys_of(run)):
                if why := unweighable(endpoint, one.scale):
                    raise CannotBeWeighed(
                        _("“%(name)s” cannot be weighed: %(why)s Take a judge that draws samples.")
                        % {"name": one.name, "why": _(why)}
                    )

    def declare(self, run: Run, versions: Collection[int]) -> dict[int, dict[str, int]]:
        return judges.declare(
            judge=manners.judge_of(run),
            versions=versions,
            keys=manners.keys_of(run),
            by=run.requested_by,
            now=run.requested_at,
        )

    def first(self, run: Run) -> Iterator[StepPlan]:
        for version, criterion in _criteria(run):
            yield StepPlan(
                key=f"steps of {criterion.key} ({version})",
                spec={STEPS_OF: version, "criterion": criterion.key},
            )

    def first_prompts(self, run: Run) -> Iterator[Estimated]:
        settings, endpoint = _settings(run), manners.judge_of(run).endpoint_id
        for version, criterion in _criteria(run):
            design = forms_v1.design(_empty(version, (criterion,), settings.language), {})
            said = tokens.of_text(design.task + design.criteria[0].definition) + manners.A_FENCE
            yield Estimated(Role.PLANNER, endpoint, said, STEPS, key=criterion.key)

    def prompts(self, run: Run, page: Sequence[JudgedAnswer]) -> Iterator[Estimated]:
        judge, settings = manners.judge_of(run), _settings(run)
        fixed = {one: _fixed(one, run) for one in {place.version for place in page}}
        found = judging.texts(page)
        for place in page:
            material = manners.material_of(found[place.pk], settings)
            for n_prompt, n_calls in fixed[place.version]:
                yield Estimated(
                    Role.JUDGE,
                    judge.endpoint_id,
                    n_prompt + material,
                    min(settings.max_tokens, A_SCORE),
                    **manners.drawn(judge.endpoint, n_calls, turned=settings.turned),
                    key=place.external_id,
                )

    def prepare(self, step: Step) -> Work:
        endpoint = manners.judge_of(step.run).endpoint_id
        if STEPS_OF in step.spec:
            return _writing(step, endpoint)
        run, settings = step.run, _settings(step.run)
        task = manners.task_of(step, settings, list(step.spec["criteria"]))
        design = forms_v1.design(task, _steps(run, step.spec["rubric_version"]))
        example, config = forms_v1.example(task), config_of(settings)
        fence = untrusted.Fence(run.secret, step.key)
        why = {one.key: unweighable(run.judge.endpoint, one.scale) for one in design.criteria}  # type: ignore[union-attr]

        together = bool(step.spec.get("together"))

        async def procedure(model: ChatModel) -> dict[str, Any]:
            return await v1.evaluate(
                model,
                design,
                example,
                config,
                fence=fence,
                seed=run.seed,
                unweighable=why,
                together=together,
            )

        return Work(procedure, {Role.JUDGE: endpoint})


def unweighable(endpoint: Endpoint, scale: Scale) -> str:
    """Return why an endpoint's scores on this scale cannot be weighed, as its test found; else nothing."""
    if not scale.levels():
        return "A scale without steps has no values to weigh."
    if _found(endpoint, "logprobs").get("value") is False:
        return "The endpoint gives no log-probabilities."
    several = _found(endpoint, "multi_token_scores")
    counts = several.get("facts") or {}
    for value in map(scales.text, scale.levels()):
        like = "4.5" if "." in value else "10" if len(value.lstrip("-")) > 1 else ""
        if like and several.get("value") and counts.get(like, 2) > 1:
            return "The endpoint writes values of this scale in several tokens."
    return ""


def config_of(settings: GEvalSettings) -> v1.Config:
    """Return what the procedure takes of a judge's settings."""
    only = settings.weights == ONLY_WEIGHTS
    return v1.Config(
        weighted=settings.weights != SAMPLES,
        samples=0 if only else settings.repeats,
        temperature=settings.temperature,
        top_p=settings.top_p,
        max_tokens=settings.max_tokens,
        fewest_valid=settings.fewest_valid,
        turned=settings.turned,
    )


def _found(endpoint: Endpoint, name: str) -> Mapping[str, Any]:
    found = endpoint.found.get(name)
    return found if isinstance(found, Mapping) else {}


def _writing(step: Step, endpoint: int) -> Work:
    """Return the work of writing the steps of evaluation of one criterion."""
    key, version = step.spec["criterion"], step.spec[STEPS_OF]
    task = _empty(version, judging.criteria_of(version, [key]), _settings(step.run).language)
    design = forms_v1.design(task, {})

    async def procedure(model: ChatModel) -> dict[str, Any]:
        return {"steps": list(await v1.steps(model, design, design.criteria[0]))}

    return Work(procedure, {Role.PLANNER: endpoint})


def _steps(run: Run, version: int) -> dict[str, tuple[str, ...]]:
    """Return the steps that were written for the criteria of a rubric version, by key."""
    rows = run.steps.filter(spec__steps_of=version, state=Step.State.DONE)
    return {
        spec["criterion"]: tuple((result or {}).get("steps", ()))
        for spec, result in rows.order_by("ordinal").values_list("spec", "result")
    }


def _criteria(run: Run) -> Iterator[tuple[int, Criterion]]:
    assert run.round is not None
    for version in judging.versions_of(run.round):
        for one in judging.criteria_of(version.pk, manners.keys_of(run)):
            yield version.pk, one


def _fixed(version: int, run: Run) -> list[tuple[int, int]]:
    """Return tokens of the form of each criterion, without the material, and how often it is asked."""
    settings = _settings(run)
    config, endpoint = config_of(settings), manners.judge_of(run).endpoint
    criteria = judging.criteria_of(version, manners.keys_of(run))
    design = forms_v1.design(_empty(version, criteria, settings.language), {})
    example = forms_v1.example(_empty(version, (), settings.language))
    fence, made = untrusted.Fence("", ""), []
    for one in design.criteria:
        asked = v1.request(design, one, example, config, fence=fence, seed=0, repeat=1)
        weighs = config.weighted and not unweighable(endpoint, one.scale)
        made.append((tokens.of_messages(asked.messages) + STEPS, 1 if weighs else config.samples))
    return made


def _empty(version: int, criteria: tuple[Criterion, ...], language: str) -> Task:
    return Task(
        question=(Message("user", ""),),
        answer=(Message("assistant", ""),),
        criteria=criteria,
        principle=manners.principle_of(version),
        language=language,
    )


def _settings(run: Run) -> GEvalSettings:
    return manners.settings_of(run, GEvalSettings)


JUDGE = JudgeKind(
    key="geval",
    protocol=v1.PROTOCOL,
    title=gettext_lazy("G-Eval"),
    about=gettext_lazy(
        "Writes evaluation steps, then fills in a form with a number, weighed by its probability."
    ),
    settings=GEvalSettings,
    prompts=lambda _language: forms_v1.sha(),
    manner=FillingForms(),
    first=("weights", "repeats"),
    place=2,
)
