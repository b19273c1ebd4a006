"""All that a published round was drawn from, with what a judge said of each: the frame of its sample. Workers only.

People grade responses that were made of parts, such as exchanges of an interview. A judge's verdicts on the
parts that were not drawn are verdicts on turns of what the run put out; they belong to the frame all
the same.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from annotation.models import Round
from scoring.models import Judgment, Publication
from scoring.queries import judge_sides, outputs
from scoring.queries.interview_outputs import Place
from scoring.queries.judge_human import Human, Judged
from scoring.queries.judge_sides import Sides
from scoring.stats.linear import FloatArray, IntArray

CHUNK: Final = 500
Where = tuple[int, int | None]


@dataclass(frozen=True, slots=True)
class Frame:
    """The columns that a prediction-powered mean takes, a place for each response; NaN where there is none.

    `publication` is that of the round, where it was drawn from what a run put out.
    """

    judge: FloatArray
    human: FloatArray
    inclusion: FloatArray
    cluster: IntArray
    release: npt.NDArray[np.int64]
    capability: npt.NDArray[np.int64]
    publication: Publication | None = None


def frame_of(round_: Round, both: Sides, human: Human, judged: Judged) -> Frame | None:
    """Return the frame of a published round; none of one that was drawn otherwise."""
    found = Publication.objects.filter(round=round_).select_related("run").first()
    if found is None or found.run is None:
        return None
    places = outputs.places(found.run, found.sort)
    said = _said(judged.rater, judged.criterion, places)
    index = {pk: at for at, pk in enumerate(both.columns.response)}
    at = np.array([_column(one, index) for one in places], dtype=np.int64)
    here = np.array([said.get((one.source, one.index), np.nan) for one in places], dtype=np.float64)
    # What a judge said of the published response alone counts too: its own, where it judged the round.
    judge = np.where(np.isnan(here), _taken(judged.values, at), here)
    return Frame(
        judge=judge,
        human=_taken(judge_sides.human_means(human), at),
        inclusion=_taken(both.columns.inclusion_p, at),
        cluster=np.unique([one.group for one in places], return_inverse=True)[1],
        release=np.array([one.release for one in places], dtype=np.int64),
        capability=np.array([one.capability or 0 for one in places], dtype=np.int64),
        publication=found,
    )


def _column(place: Place, index: dict[int, int]) -> int:
    """Return where the response stands among those that were compared; -1 where it does not."""
    return next((index[one] for one in place.published if one in index), -1)


def _taken(values: FloatArray, at: npt.NDArray[np.int64]) -> FloatArray:
    found: FloatArray = np.append(values, np.nan)[at]
    return found


def _said(rater: int, criterion: str, places: Sequence[Place]) -> dict[Where, float]:
    """Return what a judge said of each place, in the run that finished last."""
    found: dict[Where, float] = {}
    for sources in _chunks(sorted({one.source for one in places})):
        rows = Judgment.objects.counted().filter(
            rater=rater,
            criterion__key=criterion,
            response__in=sources,
            target_level__in=(Judgment.Target.TURN, Judgment.Target.RESPONSE),
            repeat=0,
            value__isnull=False,
        )
        ordered = rows.order_by("run__finished_at", "pk")
        for level, response, index, value in ordered.values_list(
            "target_level", "response", "target_index", "value"
        ):
            where = index if level == Judgment.Target.TURN else None
            found[response, where] = np.nan if value is None else value
    return found


def _chunks(keys: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(keys), CHUNK):
        yield keys[start : start + CHUNK]
