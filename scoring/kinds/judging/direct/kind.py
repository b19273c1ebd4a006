"""The direct judge: it reads the rubric and gives a score with reasons for each criterion."""

from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from django.utils.translation import gettext_lazy as _

from evalsite.kinds import YesNo, gettext_noop
from evalsite.records import Ask
from scoring.engine.kinds import Estimated, StepPlan, Work
from scoring.engine.models import Run, Step
from scoring.kinds.judging import manners, prompts_v1
from scoring.kinds.judging import queries as judging
from scoring.kinds.judging import settings as judges
from scoring.kinds.judging.asking_v1 import Task
from scoring.kinds.judging.direct import v1
from scoring.kinds.judging.direct.v1 import Config
from scoring.kinds.judging.plugins import JudgeKind
from scoring.kinds.judging.queries import JudgedAnswer
from scoring.kinds.judging.settings import JudgeSettings
from scoring.llm import base as tokens
from scoring.llm.base import ChatModel, Message, Request, Role
from scoring.protocols import untrusted

#: Tokens that a judge's reasons and score on one criterion take, about.
A_CRITERION: Final = 90


@dataclass(frozen=True)
class Settings(JudgeSettings):
    """What decides how a direct judge grades."""

    together: Annotated[
        bool,
        YesNo(),
        Ask(
            gettext_noop("Ask for all criteria in one request"),
            gettext_noop("Otherwise one each: dearer, but independent."),
        ),
    ] = True


class Directly:
    """By the criteria of people's rubrics."""

    judge: Callable[..., Awaitable[dict[str, Any]]] = staticmethod(v1.judge)
    requests: Callable[..., list[Request]] = staticmethod(v1.requests)

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

    def prompts(self, run: Run, page: Sequence[JudgedAnswer]) -> Iterator[Estimated]:
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


def config_of(settings: JudgeSettings) -> Config:
    """Return what the procedure takes of a judge's settings."""
    names = [one for one in Config.__dataclass_fields__ if hasattr(settings, one)]
    return Config(**{name: getattr(settings, name) for name in names})


def _settings(run: Run) -> JudgeSettings:
    return judges.settings_of(manners.judge_of(run))


JUDGE = JudgeKind(
    key="direct",
    protocol=v1.PROTOCOL,
    title=_("Direct"),
    about=_("Scores and reasons by the whole rubric."),
    settings=Settings,
    prompts=prompts_v1.sha,
    manner=Directly(),
    first=("repeats", "fewest_valid", "temperature", "top_p", "max_tokens", "together"),
    place=1,
)
