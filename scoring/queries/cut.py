"""A cut through the results of a round: which grades, by which weights. It stands in the address."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from evalsite import errors
from scoring.queries import labels, results, selection
from scoring.queries import weights as weighing
from scoring.queries.labels import Labels
from scoring.queries.names import Name
from scoring.queries.reading import Reading
from scoring.queries.results import Result
from scoring.queries.selection import Facet, Selection
from scoring.queries.weights import PREFIX, Weights

Query = Mapping[str, Sequence[str]]


class BadCut(errors.Invalid):
    """A weight or a filter in the address cannot be used."""

    code = "bad_setting"


@dataclass(frozen=True)
class Chip:
    """A value of a filter that is on, and the address without it."""

    facet: str
    title: str
    without: str


@dataclass(frozen=True)
class Cut:
    """Weights and a selection. `problem` says what of the address could not be used."""

    weights: Weights
    selection: Selection
    labels: Labels
    typed: Mapping[str, str] = field(default_factory=dict)
    wrong: Mapping[str, list[str]] = field(default_factory=dict)
    problem: str = ""

    @property
    def is_usual(self) -> bool:
        return self.selection.is_usual and not self.weights.is_changed

    @property
    def params(self) -> dict[str, Any]:
        """Return what the figure of scores depends on."""
        return results.params(self.selection.ground.round, self.weights, self.selection.params)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Return the one address of this cut: the same for everybody who chose the same."""
        return [*self.weights.query, *self.selection.query]

    @property
    def query(self) -> str:
        return urlencode(self.pairs)

    @property
    def weights_query(self) -> str:
        return urlencode(self.weights.query)

    @property
    def selection_query(self) -> str:
        return urlencode(self.selection.query)

    @property
    def names(self) -> dict[int, Name]:
        """Return the releases that are looked at, in the order of the draw."""
        chosen = self.selection.releases
        known = self.selection.ground.names
        return {pk: name for pk, name in known.items() if not chosen or pk in chosen}

    @property
    def facets(self) -> list[Facet]:
        return self.selection.facets

    @property
    def chips(self) -> list[Chip]:
        """Return what is chosen, each with the address that lets it go."""
        return [
            Chip(facet.title, one.title, self._without(facet.name, one.key))
            for facet in self.facets
            for one in facet.on
        ]

    def _without(self, name: str, key: str) -> str:
        return urlencode([pair for pair in self.pairs if pair != (name, key)])

    @property
    def form(self) -> list[weighing.Line]:
        return self.weights.lines(self.typed, self.wrong)

    def said(self) -> list[tuple[str, str]]:
        """Return in words what differs from the usual: filters and weights."""
        made = [
            (facet.title, ", ".join(one.title for one in facet.on))
            for facet in self.facets
            if facet.on
        ]
        for name, weight in self.weights.chosen.items():
            title = _("Weight of %(title)s") % {"title": self.weights.title(name)}
            made.append((title, weighing.written(weight)))
        return made

    def result(self, data: Mapping[str, Any]) -> Result:
        """Return the figure of this cut with names put in."""
        tree = self.weights.tree
        return Result(
            data,
            self.names,
            [tree.by_key[pk] for pk in tree.order],
            self.labels.criteria,
            self.effective,
            places=list(self.selection.ground.names),
        )

    @property
    def effective(self) -> Mapping[str, Fraction]:
        return self.weights.effective


def read(reading: Reading, query: Query) -> Cut:
    """Return the cut that an address asks for.

    Raises:
        BadCut: a weight or a filter in it cannot be used; `fields` says which and why.
    """
    usual = of(reading)
    problems: dict[str, list[str]] = {}
    used, chosen = usual.weights, usual.selection
    try:
        used = used.reading(_first(query))
    except weighing.BadWeight as refusal:
        problems |= refusal.fields
    try:
        chosen = chosen.reading(query)
    except selection.BadFilter as refusal:
        problems |= refusal.fields
    if problems:
        raise BadCut(" ".join(_texts(problems)), fields=problems)
    return Cut(used, chosen, usual.labels)


def lenient(reading: Reading, query: Query) -> Cut:
    """Return the same; where the address cannot be used, the usual cut with what is wrong."""
    try:
        return read(reading, query)
    except BadCut as refusal:
        usual = of(reading)
        typed = {name: text for name, text in _first(query).items() if name.startswith(PREFIX)}
        return Cut(
            usual.weights, usual.selection, usual.labels, typed, refusal.fields, refusal.message
        )


def of(reading: Reading) -> Cut:
    """Return the usual cut of a round: stored weights, the default filter."""
    used = weighing.of(reading.round)
    named = labels.of(reading.round, used.tree)
    return Cut(used, selection.of(reading.round, used.tree, named, reading.names), named)


def _first(query: Query) -> dict[str, str]:
    return {name: texts[-1] for name, texts in query.items() if texts}


def _texts(problems: Mapping[str, Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(text for texts in problems.values() for text in texts))
