"""The grades of a round that a selection lets through, and how many it wanted. Loads pandas."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import pandas as pd
from django.db.models import Sum

from annotation.rounds.models import Round, RoundItem
from annotation.rubrics.models import Criterion
from scoring.figures import selection
from scoring.figures import snapshots as ratings
from scoring.figures.labels import NONE
from scoring.stats import frame
from scoring.stats.preferences import agreeing


@dataclass(frozen=True, slots=True)
class WantedMarks:
    """How many marks a round asks for of one kind, on one criterion."""

    release: int
    capability: int | None
    difficulty: str
    domain: int | None
    criterion: str
    n: int


@dataclass(frozen=True)
class Selected:
    """What is looked at: all rows in sight, and those of them that count."""

    round: Round
    params: Mapping[str, Any]

    @property
    def chosen(self) -> Mapping[str, Any]:
        """Return the selection as `selection.Selection.params` says it."""
        found: Mapping[str, Any] = self.params.get("selection", {})
        return found

    @property
    def purposes(self) -> Sequence[str] | None:
        found: Sequence[str] | None = self.chosen.get("purpose")
        return found

    @cached_property
    def everything(self) -> pd.DataFrame:
        """Return all rows of the items, annotators and releases that were chosen."""
        rows = ratings.table([self.round])
        review = self.chosen.get("review", ())
        if "adjudicated" in review:
            settle = agreeing.settled if self.round.of_pairs else frame.settled
            rows = settle(rows)
        if "struck" in review:
            rows = frame.with_struck(rows)
        for column, name in (("rater", "annotator"), ("release", "release")):
            if name in self.chosen:
                rows = rows[rows[column].isin(self.chosen[name])]
        if {"capability", "difficulty", "domain"} & set(self.chosen):
            places = RoundItem.objects.filter(round=self.round)
            found = places.filter(selection.where(self.chosen)).order_by()
            rows = rows[rows["item"].isin(list(found.values_list("item_id", flat=True)))]
        return rows

    @property
    def counted(self) -> pd.DataFrame:
        return frame.default_filter(self.everything, purposes=self.purposes)

    @property
    def labelled(self) -> pd.DataFrame:
        """Return the grades that are labels: they have shares, and no mean."""
        return frame.default_filter(self.everything, purposes=self.purposes, marks=frame.LABELLED)

    @property
    def worded(self) -> pd.DataFrame:
        """Return the grades that have no score: labels and texts."""
        return frame.default_filter(self.everything, purposes=self.purposes, marks=frame.WORDED)

    @cached_property
    def wanted(self) -> list[WantedMarks] | None:
        """Return what was wanted; None where nobody planned: imported grades, single annotators."""
        if self.round.kind == Round.Kind.IMPORTED or "annotator" in self.chosen:
            return None
        places = RoundItem.objects.filter(round=self.round, responses__isnull=False)
        keys: dict[int, list[str]] = {}
        criteria = Criterion.objects.filter(
            mark__in=frame.MEASURED,
            rubric_version__in=RoundItem.objects.filter(round=self.round).values(
                "rubric_version_id"
            ),
        )
        for version, key in criteria.values_list("rubric_version_id", "key"):
            keys.setdefault(version, []).append(key)
        found = places.filter(selection.where(self.chosen)).order_by()
        by = (
            "responses__release_id",
            "item__capability_id",
            "item__difficulty",
            "item__domain_id",
            "rubric_version_id",
        )
        return [
            WantedMarks(release, capability, difficulty or NONE, domain, key, n)
            for release, capability, difficulty, domain, version, n in found.values_list(
                *by
            ).annotate(n=Sum("n_seats"))
            if "release" not in self.chosen or release in self.chosen["release"]
            for key in keys.get(version or 0, ())
        ]

    @cached_property
    def drawn(self) -> set[int | None]:
        """Return the capabilities that have items here, graded or not."""
        places = RoundItem.objects.filter(round=self.round)
        found = places.filter(selection.where(self.chosen)).order_by()
        return set(found.values_list("item__capability_id", flat=True).distinct())

    @property
    def weights(self) -> dict[Any, Fraction]:
        """Return the weights of the capabilities that have items here."""
        return {
            key: Fraction(weight)
            for key, weight in _keyed(self.params.get("weights", {}))
            if key in self.drawn
        }

    @property
    def criterion_weights(self) -> dict[Any, Fraction]:
        """Return the weights of criteria, by (capability, criterion)."""
        made: dict[Any, Fraction] = {}
        for name, weight in self.params.get("criteria", {}).items():
            capability, _dot, criterion = name.partition(".")
            made[_key(capability), criterion] = Fraction(weight)
        return made

    @property
    def groups(self) -> dict[str, list[int]]:
        """Return the groups of capabilities that have items here, without those that are empty."""
        found = {
            group: [pk for pk in members if pk in self.drawn]
            for group, members in self.params.get("groups", {}).items()
        }
        return {group: members for group, members in found.items() if members}


def _keyed(weights: Mapping[str, Any]) -> Iterator[tuple[int | None, Any]]:
    for key, weight in weights.items():
        yield _key(key), weight


def _key(text: str) -> int | None:
    return None if text == NONE else int(text)
