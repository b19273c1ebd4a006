"""What somebody asks of a figure in the address of its page: rules, weights, sizes.

* A cut through the results of a round: which grades, by which weights. It stands in the address.
* Figures that are ready, with what their keys are called: what tables and drawings are made of.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, TypeVar
from urllib.parse import urlencode

from annotation.common.sentences import gettext as _
from annotation.people import queries as settings
from annotation.people.models import Project
from annotation.people.rules import Section
from annotation.rounds.models import Round
from evalsite import errors
from scoring.figures import labels, selection, typed, weights
from scoring.figures import weights as weighing
from scoring.figures.labels import Labels, ReadRound
from scoring.figures.selection import Facet, Selection
from scoring.figures.typed import KeyNames
from scoring.figures.weights import PREFIX, ChosenWeights
from scoring.results import agreement, disputes, model, plan, raters
from scoring.results.queries import (
    BESIDE_GRADES,
    FIGURE,
    PREFERENCES,
    SCORE,
    WAYS,
    RoundResult,
    params,
    round_beside,
    usual_margin,
)
from scoring.shown.names import Name
from scoring.stats.claims import MARGIN, Claim, ScoresFigure

T = TypeVar("T")


class BadSetting(errors.Invalid): ...


@dataclass(frozen=True)
class AskedSettings:
    """Settings as the figure takes them; `typed` is what stands in the form."""

    params: Mapping[str, Any]
    typed: Mapping[str, str] = field(default_factory=dict)


#: The usual rules of disputes, where a project has set none.
DISPUTES = {
    "rater": "alone",
    "question": "near_half",
    "far": "2",
    "share": "0.4",
    "span": "2",
    "w1": "1/2",
    "w2": "1/2",
}


def of_disputes(query: Mapping[str, str], project: Project | None = None) -> AskedSettings:
    """Return the rules of disputes: as asked for, else as the project has set them, else the usual ones.

    Raises:
        BadSetting: a rule is unknown, or a number cannot be used.
    """
    usual = {**DISPUTES, **(settings.body_of(project, Section.DISPUTES) if project else {})}
    said = {"rater": "rater_rule", "question": "question_rule"}
    typed = {name: query.get(said.get(name, name), usual[name]) for name in DISPUTES}
    if typed["rater"] not in disputes.RATER_RULES:
        raise BadSetting(_("Choose one of the rules for annotators."))
    if typed["question"] not in disputes.QUESTION_RULES:
        raise BadSetting(_("Choose one of the rules for questions."))
    params: dict[str, Any] = {**typed}
    for name in ("far", "share", "span"):
        params[name] = _number(typed[name], name, most=1 if name == "share" else 1000)
    for name in ("w1", "w2"):
        params[name] = str(_fraction(typed[name], name))
    return AskedSettings(params, typed)


def of_agreement(query: Mapping[str, str], groups: Mapping[str, tuple[int, ...]]) -> AskedSettings:
    """Return how κ of pairs is weighted and whose grades count; groups are those there are now.

    Raises:
        BadSetting: there is no such weighting, or no such group.
    """
    kappa, raters = query.get("kappa", "quadratic"), query.get("raters", "")
    if kappa not in agreement.KAPPAS:
        raise BadSetting(_("Choose one of the weights of κ."))
    if raters and raters not in groups:
        raise BadSetting(_("There is no such group of annotators in this round."))
    params: dict[str, Any] = {"groups": groups} if groups else {}
    if kappa != next(iter(agreement.KAPPAS)):
        params["kappa"] = kappa
    if raters:
        params["raters"] = raters
    return AskedSettings(params, {"kappa": kappa, "raters": raters})


def of_annotators(groups: Mapping[str, tuple[int, ...]]) -> AskedSettings:
    """Return what is asked of the figure of annotators: groups are those there are now."""
    return AskedSettings({"groups": groups} if groups else {})


def of_plan(query: Mapping[str, str], round_: Round) -> AskedSettings:
    """Return the difference and the power to plan with, and the width that is narrow enough.

    Raises:
        BadSetting: one of them is no number, or out of reach.
    """
    usual = {"delta": "5", "power": "0.8", "width": plan.WIDTH}
    typed = {name: query.get(name, value) for name, value in usual.items()}
    params = {
        "delta": _number(typed["delta"], _("The difference"), most=100),
        "power": _number(typed["power"], _("The power"), most=0.999),
        "width": _number(typed["width"], _("The width"), most=100),
        **weights.weights_of(round_).params,
    }
    return AskedSettings(params, typed)


def _number(text: str, name: str, *, most: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= most:  # NaN too
        raise BadSetting(
            _("%(name)s must be a number above 0 and at most %(most)s, such as %(example)s.")
            % {"name": name, "most": f"{most:g}", "example": "0.5"}
        )
    return value


def _fraction(text: str, name: str) -> Fraction:
    try:
        value = Fraction(text) if len(text) <= 12 else Fraction(-1)
    except (ValueError, ZeroDivisionError):
        value = Fraction(-1)
    if not 0 <= value <= 1000:
        raise BadSetting(
            _("%(name)s must be a number from 0 up, such as 0.5 or 1/2.") % {"name": name}
        )
    return value


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
    """Weights, a selection and a margin. `problem` says what of the address could not be used."""

    weights: ChosenWeights
    selection: Selection
    labels: Labels
    typed: Mapping[str, str] = field(default_factory=dict)
    wrong: Mapping[str, list[str]] = field(default_factory=dict)
    problem: str = ""
    margin: float = MARGIN
    #: The project's, from which an address may differ.
    usual_margin: float = MARGIN
    way: str = ""

    @property
    def is_usual(self) -> bool:
        is_changed = self.weights.is_changed or self.margin != self.usual_margin
        return self.selection.is_usual and not is_changed and not self.way

    @property
    def params(self) -> dict[str, Any]:
        """Return what the figure of scores depends on."""
        round_ = self.selection.ground.round
        return params(round_, self.weights, self.selection.params, self.margin, self.way)

    @property
    def preferences(self) -> dict[str, Any]:
        """Return what the figure of preferences depends on: it knows no weights of parts."""
        areas, looked_at = self.selection.ground.domains, self.selection.params
        titles = {one.key: one.title for one in areas.branches}
        topics = {str(pk): titles.get(str(line[0]), "") for pk, line in areas.lines.items()}
        made = {"margin": self.margin, "selection": looked_at, "areas": topics}
        return {name: one for name, one in made.items() if one}

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Return the one address of this cut: the same for everybody who chose the same."""
        margin = [] if self.margin == self.usual_margin else [("margin", f"{100 * self.margin:g}")]
        way = [("way", self.way)] if self.way else []
        return [*self.weights.query, *self.selection.query, *margin, *way]

    @property
    def ways(self) -> list[tuple[str, str]]:
        return [(key, str(text)) for key, text in WAYS.items()]

    @property
    def way_text(self) -> str:
        return str(WAYS[self.way])

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
    def form(self) -> list[weighing.WeightLine]:
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
        if self.margin != self.usual_margin:
            points = _("%(n)s points") % {"n": f"{100 * self.margin:g}"}
            made.append((_("Equal within"), points))
        if self.way:
            made.append((_("Score"), self.way_text))
        return made

    def result(
        self, data: Mapping[str, Any], claim: Claim = Claim.OTHERS, view: str = SCORE
    ) -> RoundResult:
        """Return the figure of this cut with names put in, by a claim or the widest there is."""
        tree = self.weights.tree
        return RoundResult(
            typed.read_figure(ScoresFigure, data),
            self.names,
            [tree.by_key[pk] for pk in tree.order],
            self.labels.criteria,
            self.effective,
            places=list(self.selection.ground.names),
            claim=claim,
            view=view,
        )

    @property
    def effective(self) -> Mapping[str, Fraction]:
        return self.weights.effective


def read_cut(reading: ReadRound, query: Query) -> Cut:
    """Return the cut that an address asks for.

    Raises:
        BadCut: a weight or a filter in it cannot be used; `fields` says which and why.
    """
    usual = of_cut(reading)
    problems: dict[str, list[str]] = {}
    used, chosen, margin = usual.weights, usual.selection, usual.margin
    try:
        used = used.reading(_first(query))
    except weighing.BadWeight as refusal:
        problems |= refusal.fields
    try:
        chosen = chosen.reading(query)
    except selection.BadFilter as refusal:
        problems |= refusal.fields
    try:
        margin = _margin(_first(query), usual.margin)
    except BadSetting as refusal:
        problems |= {"margin": [str(refusal)]}
    way = _first(query).get("way", "")
    if way not in WAYS:
        problems |= {"way": [_("Choose one of the ways in which a score is made of marks.")]}
    if problems:
        raise BadCut(" ".join(_texts(problems)), fields=problems)
    return replace(usual, weights=used, selection=chosen, margin=margin, way=way)


def _margin(query: Mapping[str, str], usual: float) -> float:
    """Return how far apart two systems are still called equal, as a share."""
    return round(
        _number(query.get("margin", f"{100 * usual:g}"), _("The margin"), most=50) / 100, 6
    )


def lenient(reading: ReadRound, query: Query) -> Cut:
    """Return the same; where the address cannot be used, the usual cut with what is wrong."""
    try:
        return read_cut(reading, query)
    except BadCut as refusal:
        usual = of_cut(reading)
        typed = {name: text for name, text in _first(query).items() if name.startswith(PREFIX)}
        return replace(usual, typed=typed, wrong=refusal.fields, problem=refusal.message)


def of_cut(reading: ReadRound) -> Cut:
    """Return the usual cut of a round: stored weights, the default filter."""
    used = weighing.weights_of(reading.round)
    named = labels.labels_of(reading.round, used.tree)
    chosen = selection.selection_of(reading.round, used.tree, named, reading.names)
    margin = usual_margin(reading.round)
    return Cut(used, chosen, named, margin=margin, usual_margin=margin)


def _first(query: Query) -> dict[str, str]:
    return {name: texts[-1] for name, texts in query.items() if texts}


def _texts(problems: Mapping[str, Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(text for texts in problems.values() for text in texts))


#: The tab on which a figure stands.
TABS: Mapping[str, str] = {
    FIGURE: "results",
    agreement.FIGURE: "results_agreement",
    disputes.FIGURE: "results_disputes",
    raters.FIGURE: "results_annotators",
    plan.FIGURE: "results_plan",
}
#: Likewise, of a round of pairs.
TABS_OF_PAIRS: Mapping[str, str] = {
    PREFERENCES: "results",
    agreement.FIGURE: "results_agreement",
    disputes.FIGURE: "results_disputes",
    plan.FIGURE: "results_plan",
}
#: Likewise, of figures that are in no report.
PAGES: Mapping[str, str] = {
    **TABS,
    **TABS_OF_PAIRS,
    BESIDE_GRADES: "results_beside",
    model.FIGURE: "results_model",
    model.WHOLE: "results_whole",
}


@dataclass(frozen=True)
class FigureSource:
    """The data of a figure of a round; `names` decides what its releases are called."""

    round: Round
    data: Mapping[str, Any]
    labels: Labels
    names: Mapping[int, Name]

    def read(self, kind: type[T]) -> T:
        """Return the figure as its type."""
        return typed.read_figure(kind, self.data)

    @property
    def named(self) -> KeyNames:
        return KeyNames(self.labels, self.names)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was graded."""
        return not any(
            self.data.get(key) for key in ("parts", "raters", "drift", "pieces", "curves")
        )


def tabs_of(round_: Round) -> Mapping[str, str]:
    """Return the figures that a report of a round holds, and the tabs they stand on."""
    return TABS_OF_PAIRS if round_.of_pairs else TABS


def wish(figure: str, mine: ReadRound, query: Query) -> AskedSettings:
    """Return what an address asks of a figure.

    Raises:
        BadSetting: a setting cannot be used; BadCut: a weight or a filter.
        KeyError: there is no such figure.
    """
    last = {name: texts[-1] for name, texts in query.items() if texts}
    if figure == disputes.FIGURE:
        return of_disputes(last, mine.round.project)
    if figure == plan.FIGURE:
        return of_plan(last, mine.round)
    if figure == agreement.FIGURE:
        return of_agreement(last, mine.groups)
    if figure == BESIDE_GRADES:
        other, _known = round_beside(mine, last.get("other", ""))
        return AskedSettings({"rounds": [other.number]}, {"other": str(other.number)})
    if figure == PREFERENCES:
        return AskedSettings(read_cut(mine, query).preferences)
    if figure == model.WHOLE:
        return AskedSettings(params(mine.round))
    if figure in {FIGURE, model.FIGURE}:
        return AskedSettings(read_cut(mine, query).params)
    return {raters.FIGURE: of_annotators}[figure](mine.groups)
