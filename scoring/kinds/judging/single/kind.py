"""One score from 1 to 10 for the answer as a whole, as MT-Bench gives it; the rubric is left aside."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext_lazy as _

from annotation.rubrics.rules import Measure
from scoring.engine.models import Run
from scoring.kinds.judging import manners
from scoring.kinds.judging import settings as judges
from scoring.kinds.judging.direct.kind import Directly
from scoring.kinds.judging.plugins import JudgeKind
from scoring.kinds.judging.settings import JudgeSettings
from scoring.kinds.judging.single import v1

OVERALL: Final = Measure("Overall quality", v1.SCALE.minimum, v1.SCALE.maximum)


@dataclass(frozen=True)
class SingleSettings(JudgeSettings):
    """What decides how a judge gives one score from 1 to 10."""


class AsAWhole(Directly):
    """By one score from 1 to 10, whatever the rubric."""

    judge = staticmethod(v1.judge)
    requests = staticmethod(v1.requests)

    def declare(self, run: Run, versions: Collection[int]) -> dict[int, dict[str, int]]:
        return judges.declare_one(
            judge=manners.judge_of(run),
            versions=versions,
            key=v1.KEY,
            measure=OVERALL,
            by=run.requested_by,
            now=run.requested_at,
        )

    def _keys(self, keys: list[str]) -> list[str]:
        return []  # those of the rubric are read, and left aside


JUDGE = JudgeKind(
    key="single",
    protocol=v1.PROTOCOL,
    title=_("One score, 1 to 10"),
    about=_("Scores the whole answer without rubric, as MT-Bench."),
    settings=SingleSettings,
    prompts=v1.sha,
    manner=AsAWhole(),
    place=3,
)
