"""Several evaluators of the same dialogues, side by side and as a panel. Loads scipy: workers only."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, cast

import numpy as np

from scoring.models import Judgment, Run
from scoring.protocols.kieval.verdicts_v1 import OVERALL, SCORES
from scoring.protocols.kieval.verdicts_v1 import SCORED as ASPECTS
from scoring.queries import interview_voices
from scoring.queries.interview_figures import Held, Scores
from scoring.queries.interview_profiles import Options, of_params
from scoring.queries.interview_voices import Voice
from scoring.stats import candidates, deviation, evaluator_panels, interviews
from scoring.stats.interviews import Exchanges
from scoring.stats.linear import FloatArray
from scoring.stats.plain import Plain, plain

RESAMPLES = 1_000


@dataclass(frozen=True)
class Panel:
    """The dialogues of a run with every voice's verdicts, read once."""

    run: Run

    @cached_property
    def held(self) -> Held:
        return Held(self.run)

    @cached_property
    def voices(self) -> list[Voice]:
        """Return those that have judged anything, the run's own evaluator first."""
        known = {key for key, _response, _aspect in self.verdicts}
        every = interview_voices.of(self.run)
        return [one for one in every if one.is_first or (one.run.pk, one.rater) in known]

    @cached_property
    def verdicts(self) -> Mapping[tuple[tuple[int, int], int, str], Scores]:
        """Return scores in the order of the exchanges, by (run, rater), response and aspect."""
        runs = [self.run, *interview_voices.again(self.run)]
        rows = Judgment.objects.seen().filter(run__in=runs, target_level=Judgment.Target.TURN)
        found: dict[tuple[tuple[int, int], int, str], list[int | None]] = defaultdict(list)
        fields = ("run_id", "rater_id", "response_id", "criterion__name", "value")
        for run, rater, response, aspect, value in rows.order_by("target_index").values_list(
            *fields
        ):
            found[(run, rater), response, aspect].append(None if value is None else int(value))
        return {key: tuple(scores) for key, scores in found.items()}

    @cached_property
    def stops(self) -> Mapping[tuple[tuple[int, int], int], int | None]:
        """Return where each voice would have stopped each dialogue."""
        made: dict[tuple[tuple[int, int], int], int | None] = {}
        for run in {one.run.pk: one.run for one in self.voices if not one.is_first}.values():
            for (rater, response), stopped in interview_voices.stops(run).items():
                made[(run.pk, rater), response] = stopped
        return made

    @cached_property
    def dataset(self) -> Any:
        of_item = {one.item_id: one.dataset for one in self.held.dialogues}
        names = self.held.datasets
        return np.array([names.index(of_item[pk]) for pk in self.held.items], dtype=np.int64)

    def scores(self, voice: Voice, options: Options) -> FloatArray:
        """Return aspects × candidates × questions under a profile, each voice with its own stop."""
        made = self._empty()
        for row, column, response, planned, own in self._places():
            stopped = own if voice.is_first else self.stops.get((self._key(voice), response))
            for place, aspect in enumerate(ASPECTS):
                said = self.verdicts.get((self._key(voice), response, aspect), ())
                known = stopped if stopped is not None and stopped < len(said) else None
                value = interviews.score(Exchanges(said, planned, known), options.profile)
                if value is not None:
                    made[place, row, column] = value
        return made

    def marks(self, voice: Voice, aspect: str) -> tuple[FloatArray, Any]:
        """Return every exchange's verdict of a voice, NaN where it has none, and whose question it is."""
        values: list[float] = []
        cluster: list[int] = []
        first = next(one for one in self.voices if one.is_first)
        for _row, column, response, _planned, _own in self._places():
            n = len(self.verdicts.get((self._key(first), response, aspect), ()))
            said = self.verdicts.get((self._key(voice), response, aspect), ())
            padded = [*said, *[None] * n][:n]
            values += [np.nan if one is None else float(one) for one in padded]
            cluster += [column] * n
        return np.array(values, dtype=np.float64), np.array(cluster, dtype=np.int64)

    def standings(self, scores: FloatArray) -> list[Plain]:
        """Return each candidate with its interval, on every aspect."""
        places = self._held_places()
        return [
            plain(
                candidates.standings(
                    one, places, self.dataset, resamples=RESAMPLES, seed=self.run.seed
                ).candidates
            )
            for one in scores
        ]

    def _empty(self) -> FloatArray:
        shape = (len(ASPECTS), len(self.held.releases), len(self.held.items))
        return np.full(shape, np.nan)

    def _held_places(self) -> Any:
        made = np.zeros((len(self.held.releases), len(self.held.items)), dtype=np.bool_)
        for row, column, *_rest in self._places():
            made[row, column] = True
        return made

    def _places(self) -> list[tuple[int, int, int, int, int | None]]:
        rows = {pk: place for place, pk in enumerate(self.held.releases)}
        columns = {pk: place for place, pk in enumerate(self.held.items)}
        return [
            (
                rows[one.release_id],
                columns[one.item_id],
                one.response_id,
                one.n_planned,
                one.stopped_at,
            )
            for one in self.held.dialogues
        ]

    @staticmethod
    def _key(voice: Voice) -> tuple[int, int]:
        return voice.run.pk, voice.rater


def compute(run: Run, params: Mapping[str, Any]) -> Plain:
    """Return every voice's scores, the panel's, and how far each two agree; nobody is asked anything.

    Args:
        run: of interviews.
        params: the axes of the profile, the aspect that is looked at, and `vote`.
    """
    options, vote, panel = of_params(params), interview_voices.vote_of(params), Panel(run)
    scores = {one.key: panel.scores(one, options) for one in panel.voices}
    voted = evaluator_panels.voted(np.stack(list(scores.values())), vote)
    pairs = [
        _pair(panel, left, right, scores, options) for left, right in combinations(panel.voices, 2)
    ]
    return {
        "candidates": plain(panel.held.releases),
        "voices": [
            {
                "rater": one.rater,
                "run": one.run.number,
                "name": one.name,
                "first": one.is_first,
                "scores": panel.standings(scores[one.key]),
                **_counted(panel, one),
            }
            for one in panel.voices
        ],
        "vote": vote,
        "panel": panel.standings(voted),
        "pairs": cast("list[Plain]", pairs),
        "resamples": RESAMPLES,
        "n_questions": len(panel.held.items),
        "method": evaluator_panels.METHOD,
    }


def of_figure(params: Mapping[str, Any]) -> Plain:
    """Compute the figure of a run that its parameters name.

    Raises:
        ValueError: there is no such run of interviews.
    """
    run = Run.objects.filter(kind=Run.Kind.KIEVAL, pk=params.get("run", 0)).first()
    if run is None:
        raise ValueError("There is no such run of interviews.")
    return compute(run, params)


def _counted(panel: Panel, voice: Voice) -> dict[str, Plain]:
    # A verdict has all aspects or none.
    values, _cluster = panel.marks(voice, OVERALL)
    stopped = (
        [one.stopped_at for one in panel.held.dialogues]
        if voice.is_first
        else [
            panel.stops.get(((voice.run.pk, voice.rater), one.response_id))
            for one in panel.held.dialogues
        ]
    )
    return {
        "n_exchanges": len(values),
        "n_unscored": int(np.isnan(values).sum()),
        "n_stopped": sum(one is not None for one in stopped),
    }


def _pair(
    panel: Panel,
    left: Voice,
    right: Voice,
    scores: Mapping[str, FloatArray],
    options: Options,
) -> dict[str, Plain]:
    """Return how far the second of two voices is from the first: offset, agreement, Table 14."""
    seed = panel.run.seed
    together = evaluator_panels.together(
        scores[left.key], scores[right.key], panel.dataset, resamples=RESAMPLES, seed=seed
    )
    offsets: dict[str, Plain] = {}
    for aspect in ASPECTS:
        first, cluster = panel.marks(left, aspect)
        second, _same = panel.marks(right, aspect)
        found = deviation.deviation(
            judge=second, human=first, cluster=cluster, resamples=RESAMPLES, seed=seed
        )
        offsets[aspect] = {"shift": plain(found.shift), "n": found.n}
    first, cluster = panel.marks(left, options.aspect)
    second, _same = panel.marks(right, options.aspect)
    verdicts = deviation.confusion(
        judge=second,
        human=first,
        cluster=cluster,
        levels=[float(one) for one in SCORES],
        resamples=RESAMPLES,
        seed=seed,
    )
    return {
        "left": left.key,
        "right": right.key,
        "together": plain(together),
        "offsets": offsets,
        "same": plain(verdicts.accuracy),
        "kappa": plain(verdicts.kappa),
        "kappa_quadratic": plain(verdicts.kappa_quadratic),
        "n": verdicts.n,
    }
