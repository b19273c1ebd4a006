"""What a run of accuracy came to. Loads numpy and scipy: workers only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from scoring.engine.models import Run, Step
from scoring.kinds.accuracy.outcome import LEFT_OUT, OWN, STRICT, VOTE, AccuracyOptions, of_params
from scoring.kinds.interviews import queries as interviews
from scoring.protocols import choices
from scoring.stats.machines import candidates
from scoring.stats.plain import Plain, plain

RESAMPLES = 1000
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """What a system chose for a question: an option's own place in each order, None where none was read.

    `places` are those of the chosen options as they were put.
    """

    item: int
    release: int
    chosen: tuple[int | None, ...]
    places: tuple[int | None, ...]
    right: int

    def value(self, options: AccuracyOptions) -> float | None:
        """Return 0 to 1, or None where no reply counts."""
        first = self.chosen[:1] if options.rule == OWN else self.chosen
        counted = [one for one in first if one is not None or options.unread != LEFT_OUT]
        if not counted:
            return None
        over = choices.over_orders(counted, self.right)
        if options.rule == STRICT:
            return float(over.strict)
        return float(over.vote) if options.rule == VOTE else over.mean


@dataclass(frozen=True)
class AccuracyReplies:
    """The replies of a run, read once."""

    run: Run

    @cached_property
    def steps(self) -> list[tuple[int, int, str, Mapping[str, Any] | None]]:
        ended = (Step.State.DONE, Step.State.FAILED)
        rows = Step.objects.filter(run=self.run, state__in=ended).order_by("ordinal")
        return list(rows.values_list("item_id", "release_id", "outcome", "result"))

    @cached_property
    def asked(self) -> list[AskedQuestion]:
        return [
            _asked(item, release, result)
            for item, release, outcome, result in self.steps
            if outcome == Step.Outcome.OK and result
        ]

    @cached_property
    def releases(self) -> list[int]:
        return [one["release"] for one in self.run.config["releases"]]

    @cached_property
    def items(self) -> list[int]:
        """Return the questions that somebody was asked, in the order of the draw."""
        done = {item for item, *_rest in self.steps}
        return [pk for pk in self.run.config["items"] if pk in done]

    @cached_property
    def sets(self) -> Mapping[int, str]:
        return {one.pk: interviews.dataset_of(one) for one in interviews.items_of(self.run)}

    @cached_property
    def datasets(self) -> list[str]:
        return sorted({self.sets[pk] for pk in self.items})

    def standings(self, values: Mapping[tuple[int, int], float | None]) -> candidates.Standings:
        """Return accuracies from 0 to 100 and pairs; `values` by item and release."""
        shape = (len(self.releases), len(self.items))
        scores, held = np.full(shape, np.nan), np.zeros(shape, dtype=np.bool_)
        places = {name: place for place, name in enumerate(self.datasets)}
        dataset = np.array([places[self.sets[pk]] for pk in self.items], dtype=np.int64)
        rows = {pk: place for place, pk in enumerate(self.releases)}
        columns = {pk: place for place, pk in enumerate(self.items)}
        for (item, release), value in values.items():
            held[rows[release], columns[item]] = True
            if value is not None:
                scores[rows[release], columns[item]] = 100 * value
        return candidates.standings(scores, held, dataset, resamples=RESAMPLES, seed=self.run.seed)

    def values(self, options: AccuracyOptions) -> dict[tuple[int, int], float | None]:
        return {(one.item, one.release): one.value(options) for one in self.asked}

    def of_order(self, order: int, options: AccuracyOptions) -> dict[tuple[int, int], float | None]:
        """Return what came of one order alone."""
        only = AccuracyOptions(OWN, options.unread)
        return {
            (one.item, one.release): AskedQuestion(
                one.item, one.release, one.chosen[order : order + 1], (), one.right
            ).value(only)
            for one in self.asked
            if order < len(one.chosen)
        }

    def facts(self, release: int) -> dict[str, Plain]:
        """Return how a system replied."""
        mine = [one for one in self.asked if one.release == release]
        replies = [one for asked in mine for one in asked.chosen]
        outcomes = [outcome for _i, one, outcome, _r in self.steps if one == release]
        places = [one for asked in mine for one in asked.places if one is not None]
        return {
            "release": release,
            "n": len(mine),
            "n_replies": len(replies),
            "n_unread": replies.count(None),
            "n_system_failed": outcomes.count(Step.Outcome.SYSTEM_FAILED),
            "n_machinery_failed": outcomes.count(Step.Outcome.MACHINERY_FAILED),
            "places": plain([places.count(one) for one in range(max(places, default=-1) + 1)]),
        }


def _asked(item: int, release: int, result: Mapping[str, Any]) -> AskedQuestion:
    rows: Sequence[Mapping[str, Any]] = result["asked"]
    chosen = tuple(one["chosen"] for one in rows)
    places = tuple(
        None if one["chosen"] is None else list(one["order"]).index(one["chosen"]) for one in rows
    )
    return AskedQuestion(item, release, chosen, places, result["right"])


def compute(run: Run, params: Mapping[str, Any]) -> Plain:
    """Return accuracies with intervals, pairs, every order by itself, and how replies were read."""
    options, held = of_params(params), AccuracyReplies(run)
    found = held.standings(held.values(options))
    orders = range(run.config["orders"])
    return {
        "candidates": plain(held.releases),
        "datasets": plain(held.datasets),
        "accuracy": plain(found.candidates),
        "pairs": plain(found.pairs),
        "orders": [
            plain([one.overall for one in held.standings(held.of_order(k, options)).candidates])
            for k in orders
            if len(orders) > 1
        ],
        "facts": [held.facts(one) for one in held.releases],
        "n_questions": found.n_questions,
        "resamples": found.resamples,
        "seed": found.seed,
        "method": found.method,
        "test": found.test,
    }
