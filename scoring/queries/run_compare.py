"""Two runs beside each other: what was different, what came of it, and where their judgments agree."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from scoring.models import Judgment, Run
from scoring.queries import run_config, run_progress
from scoring.queries.run_progress import Progress

Key = tuple[Any, ...]


@dataclass(frozen=True)
class Difference:
    """A part of the configuration that is not the same."""

    name: str
    a: str
    b: str


@dataclass(frozen=True)
class Agreement:
    """The values that two runs gave to the same responses, of one criterion or of all."""

    criterion: str
    n: int
    n_same: int
    mean_difference: float | None
    mean_distance: float | None
    n_only_a: int = 0
    n_only_b: int = 0

    @property
    def share_same(self) -> float | None:
        return 100 * self.n_same / self.n if self.n else None


@dataclass(frozen=True)
class Comparison:
    a: Progress
    b: Progress
    differences: Sequence[Difference]
    n_same: int
    #: One line for all criteria, then one for each; none while judgments may not be read.
    agreement: Sequence[Agreement]
    is_hidden: bool

    @property
    def is_scripted(self) -> bool:
        return self.a.run.scripted or self.b.run.scripted


def compare(a: Run, b: Run, now: datetime) -> Comparison:
    """Put two runs of a project beside each other."""
    differences, n_same = _differences(a, b)
    hidden = any(one.round is not None and one.round.state != "FINAL" for one in (a, b))
    return Comparison(
        a=run_progress.of(a, now),
        b=run_progress.of(b, now),
        differences=differences,
        n_same=n_same,
        agreement=[] if hidden else agreement(values(a), values(b)),
        is_hidden=hidden,
    )


def _differences(a: Run, b: Run) -> tuple[list[Difference], int]:
    left, right = _described(a), _described(b)
    names = list(dict.fromkeys([*left, *right]))
    pairs = [Difference(name, left.get(name, "–"), right.get(name, "–")) for name in names]
    different = [one for one in pairs if one.a != one.b]
    return different, len(pairs) - len(different)


def _described(run: Run) -> dict[str, str]:
    budget = _("no limit") if run.budget is None else f"{run.budget.normalize():f}"
    return {**dict(run_config.facts(run)), _("Budget"): budget}


def values(run: Run) -> dict[Key, float]:
    """Return every value of a run by response, criterion and part; of repeats, their mean."""
    rows = Judgment.objects.seen().filter(run=run, repeat=0, value__isnull=False)
    columns = ("response_id", "criterion__key", "target_level", "target_index", "value")
    return {tuple(key): value for *key, value in rows.values_list(*columns).iterator()}


def agreement(a: Mapping[Key, float], b: Mapping[Key, float]) -> list[Agreement]:
    """Return how far two sets of values agree: over all criteria, then for each that both have.

    A difference is what the second run gave less what the first one gave.
    """
    if not a or not b:
        return []
    criteria = sorted({key[1] for key in a} & {key[1] for key in b})
    lines = [_agreement(name, _only(a, name), _only(b, name)) for name in criteria]
    return lines if len(lines) < 2 else [_agreement("", a, b), *lines]


def _only(values: Mapping[Key, float], criterion: str) -> dict[Key, float]:
    return {key: value for key, value in values.items() if key[1] == criterion}


def _agreement(criterion: str, a: Mapping[Key, float], b: Mapping[Key, float]) -> Agreement:
    both = a.keys() & b.keys()
    gaps = [b[key] - a[key] for key in sorted(both, key=str)]
    n = len(gaps)
    return Agreement(
        criterion=criterion,
        n=n,
        n_same=sum(abs(gap) < 1e-9 for gap in gaps),
        mean_difference=sum(gaps) / n if n else None,
        mean_distance=sum(map(abs, gaps)) / n if n else None,
        n_only_a=len(a) - n,
        n_only_b=len(b) - n,
    )
