"""The manner of judges that are asked for a JSON object of scores: the direct one, and that of one score."""

from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from typing import Any, Final

from annotation.rubrics.rules import Measure
from scoring.llm import tokens
from scoring.llm.base import ChatModel, Message, Request, Role
from scoring.models import Run, Step
from scoring.operations import judge_settings, judges
from scoring.operations.judge_settings import Settings, SingleSettings
from scoring.operations.runs import manners
from scoring.operations.runs.kinds import Estimated, StepPlan, Work
from scoring.protocols import untrusted
from scoring.protocols.direct import v1 as direct
from scoring.protocols.direct.asking_v1 import Task
from scoring.protocols.direct.v1 import Config
from scoring.protocols.single import v1 as single
from scoring.queries import judging
from scoring.queries.judging import Place

#: Tokens that a judge's reasons and score on one criterion take, about.
A_CRITERION: Final = 90
OVERALL: Final = Measure("Overall quality", single.SCALE.minimum, single.SCALE.maximum)


class Directly:
    """By the criteria of people's rubrics."""

    judge: Callable[..., Awaitable[dict[str, Any]]] = staticmethod(direct.judge)
    requests: Callable[..., list[Request]] = staticmethod(direct.requests)

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
    found = judge_settings.settings_of(manners.judge_of(run))
    assert isinstance(found, Settings | SingleSettings)
    return found


DIRECTLY, AS_A_WHOLE = Directly(), AsAWhole()
