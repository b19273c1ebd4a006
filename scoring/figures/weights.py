"""The weights of capabilities, groups and criteria: those that are stored, and those in the address.

The overall score is the mean of capabilities by weight × the weights of the groups they belong to.
In an address `w.c-12=2` is the weight of a capability, `w.t-7=0.5` of a node with all below it,
`w.g-GENERAL=0` of a kind, `w.c-12.wording=3` of a criterion within a capability.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from annotation.common.sentences import gettext as _
from annotation.rounds.models import Round
from annotation.rubrics.models import Criterion
from evalsite import errors
from scoring.figures import labels as branches
from scoring.figures.labels import ALL, NONE, AreaLabel, Capabilities

PREFIX = "w."
MOST = 1000
#: A text longer than this is no weight that anybody means.
LONGEST = 12


class BadWeight(errors.Invalid): ...


@dataclass(frozen=True, slots=True)
class WeightLine:
    """A line of the form: whose weight, what is stored, what is used, and what it comes to."""

    name: str
    title: str
    below: str
    depth: int
    stored: str
    used: str
    is_changed: bool
    is_group: bool
    #: The share of the overall score in percent; None for a criterion.
    share: Fraction | None
    problem: str = ""

    @property
    def percent(self) -> str:
        return "" if self.share is None else f"{float(self.share):.1f}"


@dataclass(frozen=True)
class ChosenWeights:
    """Weights by their name in an address; `chosen` holds those that differ from the stored ones."""

    tree: Capabilities
    criteria: Mapping[int | None, list[Criterion]]
    chosen: Mapping[str, Fraction] = field(default_factory=dict)

    @cached_property
    def stored(self) -> dict[str, Fraction]:
        """Return every weight there is by its name, as stored; a group multiplies by 1."""
        made: dict[str, Fraction] = {}
        for branch in self.tree.branches:
            if branch.key == ALL:
                continue
            made[PREFIX + branch.key] = Fraction(branch.weight or 1)
            for one in self._criteria(branch):
                made[f"{PREFIX}{branch.key}.{one.key}"] = Fraction(one.weight)
        return made

    def _criteria(self, branch: AreaLabel) -> list[Criterion]:
        if not branch.key.startswith("c-"):
            return []
        key = branch.key.removeprefix("c-")
        found = self.criteria.get(None if key == NONE else int(key), [])
        return found if len(found) > 1 else []

    def used(self, name: str) -> Fraction:
        return self.chosen.get(name, self.stored[name])

    @property
    def is_changed(self) -> bool:
        return bool(self.chosen)

    @cached_property
    def effective(self) -> dict[str, Fraction]:
        """Return the weight of every capability with those of its groups, by key or "none"."""
        made = {}
        for pk in self.tree.order:
            weight = self.used(f"{PREFIX}c-{pk}")
            for group in self.tree.above(pk):
                weight *= self.used(PREFIX + group)
            made[str(pk)] = weight
        if self.tree.with_none:
            made[NONE] = self.used(f"{PREFIX}c-{NONE}")
        return made

    @cached_property
    def of_criteria(self) -> dict[str, Fraction]:
        """Return the weights of criteria other than 1, by capability and criterion."""
        names = (name for name in self.stored if name.count(".") > 1)
        return {
            name.removeprefix(f"{PREFIX}c-"): self.used(name)
            for name in names
            if self.used(name) != 1
        }

    @property
    def params(self) -> dict[str, Any]:
        """Return what a figure depends on."""
        return {
            "weights": {key: str(weight) for key, weight in self.effective.items()},
            "criteria": {key: str(weight) for key, weight in self.of_criteria.items()},
        }

    @property
    def query(self) -> list[tuple[str, str]]:
        """Return the part of an address that says these weights."""
        return [(name, written(weight)) for name, weight in self.chosen.items()]

    def lines(
        self, typed: Mapping[str, str] | None = None, wrong: Mapping[str, list[str]] | None = None
    ) -> list[WeightLine]:
        """Return the form; what was typed stands in it, with what is wrong about it."""
        made = []
        total = sum(self.effective.values(), Fraction(0))
        for branch in self.tree.branches:
            if branch.key == ALL:
                continue
            below = "" if branch.below == ALL else branch.below
            name = PREFIX + branch.key
            is_group = not branch.key.startswith("c-")
            share = 100 * self._effective_of(branch.key) / total if total else None
            made.append(
                self._line(name, branch.title, below, branch.depth, is_group, share, typed, wrong)
            )
            made += [
                self._line(
                    f"{name}.{one.key}",
                    one.name,
                    branch.title,
                    branch.depth + 1,
                    False,
                    None,
                    typed,
                    wrong,
                )
                for one in self._criteria(branch)
            ]
        return made

    def _effective_of(self, key: str) -> Fraction:
        members = self.tree.groups.get(key)
        names = [key.removeprefix("c-")] if members is None else [str(pk) for pk in members]
        return sum((self.effective[name] for name in names), Fraction(0))

    def _line(
        self,
        name: str,
        title: str,
        below: str,
        depth: int,
        is_group: bool,
        share: Fraction | None,
        typed: Mapping[str, str] | None,
        wrong: Mapping[str, list[str]] | None,
    ) -> WeightLine:
        used = (typed or {}).get(name) or written(self.used(name))
        stored = written(self.stored[name])
        problem = " ".join((wrong or {}).get(name, []))
        return WeightLine(
            name, title, below, depth, stored, used, used != stored, is_group, share, problem
        )

    def reading(self, query: Mapping[str, str]) -> "ChosenWeights":
        """Return these weights with those of an address in their place.

        Raises:
            BadWeight: a name is unknown, a weight cannot be used, or nothing would weigh anything.
        """
        chosen: dict[str, Fraction] = {}
        problems: dict[str, list[str]] = {}
        for name, text in query.items():
            if not name.startswith(PREFIX) or not text.strip():
                continue
            if name not in self.stored:
                problems[name] = [
                    _(
                        "%(name)s names nothing in this round. Take the weights from the page "
                        "or reset them."
                    )
                    % {"name": name[:60]}
                ]
                continue
            weight = read_weight(text)
            if weight is None:
                problems[name] = [
                    _(
                        "%(title)s: “%(text)s” is no weight. Write a number from 0 to %(most)d, "
                        "such as 2, 0.5 or 1/3."
                    )
                    % {"title": self.title(name), "text": text[:20], "most": MOST}
                ]
            elif weight != self.stored[name]:
                chosen[name] = weight
        made = ChosenWeights(self.tree, self.criteria, chosen)
        problems = problems or made._weightless()
        if problems:
            said = " ".join(text for texts in problems.values() for text in texts)
            raise BadWeight(said, fields=problems)
        return made

    def _weightless(self) -> dict[str, list[str]]:
        if self.is_changed and self.effective and not any(self.effective.values()):
            said = _("All weights are 0, so there is no overall score. Raise one of them.")
            return {name: [said] for name in list(self.chosen)[:1]}
        for branch in self.tree.branches:
            names = [f"{PREFIX}{branch.key}.{one.key}" for one in self._criteria(branch)]
            if set(names) & set(self.chosen) and not any(self.used(name) for name in names):
                return {
                    names[0]: [
                        _(
                            "All criteria of %(title)s weigh 0. Raise one of them, or give the "
                            "capability the weight 0."
                        )
                        % {"title": branch.title}
                    ]
                }
        return {}

    def title(self, name: str) -> str:
        """Return what a weight is of, in words."""
        key, _dot, criterion = name.removeprefix(PREFIX).partition(".")
        branch = next(one for one in self.tree.branches if one.key == key)
        for one in self._criteria(branch):
            if one.key == criterion:
                return f"{branch.title}, {one.name}"
        return branch.title


def weights_of(round_: Round) -> ChosenWeights:
    """Return the stored weights of a round."""
    return ChosenWeights(branches.capabilities(round_), branches.criteria(round_))


def read_weight(text: str) -> Fraction | None:
    """Return a weight as written: 2, 0.5 or 1/3; None if it is none."""
    try:
        value = Fraction(text.strip().replace(",", ".")) if len(text) <= LONGEST else None
    except (ValueError, ZeroDivisionError):
        return None
    return value if value is not None and 0 <= value <= MOST else None


def written(weight: Fraction) -> str:
    """Return a weight as a short decimal where there is an exact one, else as a fraction."""
    for places in range(5):
        if (weight * 10**places).denominator == 1:
            return f"{float(weight):.{places}f}"
    return str(weight)
