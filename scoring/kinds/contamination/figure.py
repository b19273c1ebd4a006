"""Interview scores against accuracies and figures of other benchmarks. Loads scipy: workers only.

References:
    Yu et al. (2024), KIEval, section 4.4, figure 4 and table 7.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from scoring.engine.models import Run
from scoring.kinds.accuracy import figure as quiz_figures
from scoring.kinds.accuracy.outcome import AccuracyOptions
from scoring.kinds.contamination import queries as contamination_options
from scoring.kinds.contamination.models import BenchmarkFigure
from scoring.kinds.contamination.queries import (
    FIGURE,
    RUN,
    TEST_LOSS,
    TRAIN_LOSS,
    ContaminationOptions,
)
from scoring.kinds.interviews.figure import HeldDialogues
from scoring.stats.judges import coefficients
from scoring.stats.machines import contamination
from scoring.stats.plain import Plain, plain
from scoring.stats.resampled.weighted import Coefficient

#: A value of a release on a data set; "" is all data sets together.
Values = Mapping[str, Mapping[int, float]]
NAMES: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall_b")


@dataclass(frozen=True)
class ContaminationSides:
    """What the interviews came to, and what they are set against, by data set and release."""

    run: Run
    options: ContaminationOptions

    @cached_property
    def held(self) -> HeldDialogues:
        return HeldDialogues(self.run)

    @cached_property
    def interviews(self) -> Values:
        """Return the score of each release on each data set."""
        profile = self.options.profile
        table = self.held.table(profile.aspect, profile.profile)
        found: dict[str, dict[int, float]] = {}
        for place, dataset in enumerate(self.held.datasets):
            part = table.scores[:, table.dataset == place]
            found[dataset] = {
                release: float(np.nanmean(row))
                for release, row in zip(self.held.releases, part, strict=True)
                if not np.isnan(row).all()
            }
        return found

    @cached_property
    def others(self) -> Values:
        """Return what stands on the other axis, under the names that the interviews' sets have."""
        axis = self.options.axis
        if axis.startswith(RUN):
            found = self._measured(axis.removeprefix(RUN))
        elif axis.startswith(FIGURE):
            found = self._brought(axis.removeprefix(FIGURE))
        else:
            found = self._first_answers()
        known = {name.casefold(): name for name in self.held.datasets}
        return {known.get(name.casefold(), name): values for name, values in found.items()}

    def _first_answers(self) -> Values:
        decided: dict[str, dict[int, list[bool]]] = defaultdict(lambda: defaultdict(list))
        for one in self.held.dialogues:
            if one.right is not None:
                decided[one.dataset][one.release_id].append(one.right)
        return {
            dataset: {release: 100 * sum(one) / len(one) for release, one in rows.items()}
            for dataset, rows in decided.items()
        }

    def _measured(self, number: str) -> Values:
        runs = Run.objects.filter(project=self.run.project_id, kind=Run.Kind.QUIZ)
        run = runs.filter(number=int(number) if number.isdecimal() else 0).first()
        if run is None:
            raise ValueError("There is no such run of accuracy.")
        quiz = quiz_figures.AccuracyReplies(run)
        found: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
        for (item, release), value in quiz.values(AccuracyOptions()).items():
            if value is not None:
                found[quiz.sets[item]][release].append(100 * value)
        return {
            dataset: {release: sum(each) / len(each) for release, each in rows.items()}
            for dataset, rows in found.items()
        }

    def _brought(self, name: str) -> Values:
        found: dict[str, dict[int, float]] = defaultdict(dict)
        for release, figure, dataset, value in self.figures:
            if figure == name:
                found[dataset][release] = value
        return found

    @cached_property
    def figures(self) -> list[tuple[int, str, str, float]]:
        """Return every figure of these releases that was brought in."""
        rows = BenchmarkFigure.objects.filter(
            release__in=self.held.releases, batch__state="APPLIED"
        ).order_by("name", "dataset", "release")
        return list(rows.values_list("release_id", "name", "dataset", "value"))

    def overall(self, sets: Sequence[str]) -> Mapping[int, float]:
        """Return the mean interview score over data sets of each release that has one in all."""
        return _mean(self.interviews, sets)

    def parts(self) -> Iterator[dict[str, Plain]]:
        """Yield each data set that both sides have, and all of them together."""
        shared = [one for one in self.held.datasets if self.others.get(one)]
        for dataset in shared:
            yield _part(dataset, self.others[dataset], self.interviews[dataset])
        if "" in self.others and "" not in shared:
            yield _part("", self.others[""], self.overall(self.held.datasets))
        elif len(shared) > 1:
            yield _part("", _mean(self.others, shared), self.overall(shared))


def compute(run: Run, params: Mapping[str, Any]) -> Plain:
    """Return the lines and distances by data set, correlations with other benchmarks, and losses."""
    options = contamination_options.of_params(params)
    sides = ContaminationSides(run, options)
    return {
        "candidates": plain(sides.held.releases),
        "datasets": plain(sides.held.datasets),
        "parts": list(sides.parts()),
        "benchmarks": list(_benchmarks(sides)),
        "losses": list(_losses(sides.figures)),
        "figures": [
            {"release": release, "name": name, "dataset": dataset, "value": value}
            for release, name, dataset, value in sides.figures
        ],
    }


def _mean(of: Values, sets: Sequence[str]) -> dict[int, float]:
    releases = set.intersection(*(set(of.get(one, ())) for one in sets)) if sets else set[int]()
    return {
        release: sum(of[one][release] for one in sets) / len(sets) for release in sorted(releases)
    }


def _part(dataset: str, x: Mapping[int, float], y: Mapping[int, float]) -> dict[str, Plain]:
    releases = [one for one in y if one in x]
    across = np.array([x[one] for one in releases], dtype=np.float64)
    up = np.array([y[one] for one in releases], dtype=np.float64)
    found = contamination.against_accuracy(across, up)
    return {
        "dataset": dataset,
        "releases": plain(releases),
        "x": plain(across),
        "y": plain(up),
        "line": plain(found.line),
        "distances": plain(found.distances),
        "flagged": plain(found.flagged()),
        "n": found.n,
        "reason": plain(found.reason),
        "coefficients": _correlated(across, up),
    }


def _correlated(x: contamination.FloatArray, y: contamination.FloatArray) -> list[Plain]:
    reason = coefficients.reason_for(y, x)
    made: list[Plain] = []
    for name in NAMES:
        value = None if reason else coefficients.coefficient(x, y, name)
        bounds = coefficients.fisher(name, value, len(x))
        made.append(
            {
                "name": name,
                "value": value,
                "low": bounds.low,
                "high": bounds.high,
                "n": len(x),
                "reason": plain(reason or bounds.reason),
            }
        )
    return made


def _benchmarks(sides: ContaminationSides) -> Iterator[dict[str, Plain]]:
    """Yield the correlation of interview scores with each figure that was brought in."""
    grouped: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    for release, name, dataset, value in sides.figures:
        grouped[name, dataset][release] = value
    known = {name.casefold(): name for name in sides.held.datasets}
    for (name, dataset), values in grouped.items():
        own = known.get(dataset.casefold()) if dataset else None
        scores = sides.interviews[own] if own else sides.overall(sides.held.datasets)
        releases = [one for one in scores if one in values]
        yield {
            "name": name,
            "dataset": dataset,
            "against": own or "",
            "n": len(releases),
            "coefficients": _correlated(
                np.array([values[one] for one in releases], dtype=np.float64),
                np.array([scores[one] for one in releases], dtype=np.float64),
            ),
        }


def _losses(figures: Sequence[tuple[int, str, str, float]]) -> Iterator[dict[str, Plain]]:
    """Yield test loss less train loss where both were brought in."""
    found: dict[tuple[int, str], dict[str, float]] = defaultdict(dict)
    for release, name, dataset, value in figures:
        if (plain_name := name.casefold()) in {TRAIN_LOSS, TEST_LOSS}:
            found[release, dataset][plain_name] = value
    for (release, dataset), each in found.items():
        train, test = each.get(TRAIN_LOSS), each.get(TEST_LOSS)
        difference = None if train is None or test is None else test - train
        yield {
            "release": release,
            "dataset": dataset,
            "train": train,
            "test": test,
            "difference": difference,
        }
