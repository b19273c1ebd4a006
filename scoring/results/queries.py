"""The result of a round as its page shows it: plain data of the figure, with names put in.

* What somebody asks of a figure in the address of its page: rules, weights, sizes.
* A cut through the results of a round: which grades, by which weights. It stands in the address.
* Figures that are ready, with what their keys are called: what tables and drawings are made of.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.utils.translation import gettext_lazy

from annotation.common.sentences import gettext as _
from annotation.domains.models import Capability
from annotation.people import queries as settings
from annotation.people.models import Project
from annotation.people.rules import Section
from annotation.rounds.models import Round
from evalsite import errors
from scoring.figures import cells, labels, selection, typed, weights
from scoring.figures import labels as branches
from scoring.figures import weights as weighing
from scoring.figures.cells import Cell, Count, Gap, Line, Notes, Part, Row, Standing, Widest
from scoring.figures.labels import Labels, Reading, criteria_names
from scoring.figures.selection import Facet, Selection
from scoring.figures.typed import Named
from scoring.figures.weights import PREFIX, Weights
from scoring.results import agreement, disputes, model, plan, raters
from scoring.shown.names import Name
from scoring.shown.wording import why
from scoring.stats.claims import MARGIN, Certainty, Claim
from scoring.stats.plain import percent

FIGURE = "scores"
T = TypeVar("T")
#: What systems are ranked by unless somebody asks for accuracy, or for one criterion alone.
SCORE = "score"
OVERALL = "overall"
#: How a score is made of marks, by what the address calls it; the first is usual.
WAYS = {
    "": gettext_lazy("marks above the lowest, over all grades"),
    "printed": gettext_lazy("ΣAS / ΣTS over all grades, as printed in LalaEval"),
    "questions": gettext_lazy("mean over questions of their ratio"),
}
#: What an interval says.
BOUNDS = ("low", "high", "interval_reason")


def params(
    round_: Round,
    weights: Weights | None = None,
    selection: Mapping[str, Any] | None = None,
    margin: float | None = None,
    way: str = "",
) -> dict[str, Any]:
    """Return what the figure of a round depends on besides its grades.

    Args:
        round_: whose figure.
        weights: others than the stored ones.
        selection: which grades, as `selection.Selection.params` says it; nothing for the usual.
        margin: how far apart two systems are still called equal, as a share; the project's if not said.
        way: how a score is made of marks, one of `WAYS`.
    """
    margin = usual_margin(round_) if margin is None else margin
    used = weights or weighing.of(round_)
    made = {
        **used.params,
        "groups": {kind: list(pks) for kind, pks in used.tree.kinds.items()},
    }
    if margin != MARGIN:
        made["margin"] = margin
    if way:
        made["way"] = way
    return {**made, "selection": dict(selection)} if selection else made


def usual_margin(round_: Round) -> float:
    """Return how far apart the project still calls two systems equal, as a share."""
    return settings.verdicts_of(round_.project).within / 100


def capabilities(round_: Round) -> list[Capability]:
    """Return what the items of a round are about, in the order of the tree."""
    tree = branches.capabilities(round_)
    return [tree.by_key[pk] for pk in tree.order]


@dataclass(frozen=True, slots=True)
class Piece:
    """A capability, a criterion or an area by itself: its cells by release, and the pair on top."""

    by: str
    key: Any
    cells: Mapping[int, Cell]
    lead: Gap | None


class Result:
    """Reads the figure of a round for its page; `names` decides what the releases are called."""

    def __init__(
        self,
        data: Mapping[str, Any],
        names: Mapping[int, Name],
        parts: Sequence[Capability],
        criteria: Mapping[str, str],
        weights: Mapping[str, Fraction] | None = None,
        *,
        places: Sequence[int] | None = None,
        claim: Claim = Claim.OTHERS,
        view: str = SCORE,
    ) -> None:
        data = {**data, **data["views"].get(view, {})}
        self._data = data
        self.figure, _slash, self.criterion = view.partition("/")
        self.widest_claim = Claim(data["claim"])
        self.claim = min(claim, self.widest_claim, key=list(Claim).index)
        self.names = [names[pk] for pk in data["releases"] if pk in names]
        self.names += [name for pk, name in names.items() if pk not in data["releases"]]
        self._titles = {str(one.pk): one.name for one in parts}
        stored = {str(one.pk): Fraction(one.weight) for one in parts}
        self._weights = stored if weights is None else weights
        self.places = {pk: n for n, pk in enumerate(places or names, start=1)}
        self.headline_notes, self.gap_notes = Notes(), Notes()
        self._order = {one.pk: place for place, one in enumerate(parts)}
        self._kinds = {one.pk: one.kind for one in parts}
        self._criteria = criteria
        self.counts: Mapping[str, int] = data["counts"]
        self.level: float = data["level"]
        self.methods: Mapping[str, str] = data["methods"]
        self._rows = {
            (
                row["figure"],
                row["level"],
                row["release"],
                row["group"] or row["capability"],
                row["criterion"],
            ): {**row, **{name: row[self.claim][name] for name in BOUNDS}}
            for row in data["scores"]
        }

    @property
    def is_empty(self) -> bool:
        return not self.counts["grades"]

    def title(self, capability: object) -> str:
        """Return the name of a capability by its key; those that have gone, by what is left."""
        if capability is None or capability == "None":
            return _("Without a capability")
        return self._titles.get(str(capability), _("Removed capability"))

    @cached_property
    def capabilities(self) -> list[int | None]:
        """Return the keys of the capabilities that were graded, in the order of the project."""
        known: list[int | None] = self._data["capabilities"]
        return sorted(known, key=lambda pk: (pk is None, self._order.get(pk or 0, 0)))

    @cached_property
    def groups(self) -> list[str]:
        found = {row["group"]: None for row in self._data["scores"] if row["level"] == "group"}
        return list(found)

    @cached_property
    def headline(self) -> list[Line]:
        return [self._line(name) for name in self.names]

    def _line(self, name: Name) -> Line:
        notes = self.headline_notes
        made = [self._cell("accuracy", "overall", name.release, OVERALL, notes=notes)]
        made += [
            self._cell("score", "group", name.release, group, notes=notes) for group in self.groups
        ]
        overall = self._cell(self.figure, "overall", name.release, OVERALL, notes=notes)
        return Line(name, tuple(made), overall, self.better_than(name), self._standing(name))

    def better_than(self, name: Name) -> tuple[Name, ...]:
        """Return the releases that one is above beyond doubt, by the claim that is shown."""
        above = [gap for gap in self.gaps if gap.is_clear]
        better = [gap.right for gap in above if gap.left == name and (gap.value or 0) > 0]
        return (*better, *(gap.left for gap in above if gap.right == name and (gap.value or 0) < 0))

    def _standing(self, name: Name) -> Standing:
        return self.standing(name, self.claim)

    def standing(self, name: Name, claim: Claim) -> Standing:
        """Return between which ranks a release lies by a claim."""
        for row in self._data["ranks"][claim]["ranks"]:
            if row["release"] == name.release:
                return Standing(row["low"], row["high"])
        return Standing(None, None)

    @property
    def pieces(self) -> list[Piece]:
        """Return the parts of what is ranked here, one by one: capabilities, criteria, areas."""
        return [
            Piece(row["by"], row["key"], self._scored(row), self._lead(row))
            for row in self._data["parts"]
            if row["criterion"] == self.criterion
        ]

    def _scored(self, row: Row) -> dict[int, Cell]:
        found = row[self.figure]["scores"]
        return {
            one["release"]: cells.cell(
                {**one, **{name: one[self.claim][name] for name in BOUNDS}}, notes=Notes()
            )
            for one in found
        }

    def _lead(self, row: Row) -> Gap | None:
        pair, by_key = row[self.figure]["lead"], {name.release: name for name in self.names}
        if pair is None or not {pair["left"], pair["right"]} <= set(by_key):
            return None
        return self._gap(pair, by_key[pair["left"]], by_key[pair["right"]], Notes())

    @property
    def not_separable(self) -> list[list[Name]]:
        """Return the groups of two or more releases of which no two differ beyond doubt."""
        by_key = {name.release: name for name in self.names}
        groups = [
            [by_key[key] for key in group if key in by_key]
            for group in self._data["ranks"][self.claim]["groups"]
        ]
        return [group for group in groups if len(group) > 1]

    def parts(self, figure: str, *, criteria: bool, notes: Notes | None = None) -> list[Part]:
        """Return a line for each capability and, if asked for, its criteria; overall comes first."""
        notes = notes or Notes()
        lines = [self._part(figure, "overall", OVERALL, _("Overall"), "", notes)]
        for capability in self.capabilities:
            title = self.title(capability)
            lines.append(self._part(figure, "capability", capability, title, "", notes))
            if criteria:
                lines += self._criteria_of(figure, capability, title, notes)
        return lines

    def _criteria_of(
        self, figure: str, capability: int | None, title: str, notes: Notes
    ) -> list[Part]:
        keys = {
            key[4]: None
            for key in self._rows
            if key[:2] == (figure, "criterion") and key[3] == capability
        }
        if len(keys) < 2:
            return []
        return [
            self._part(
                figure, "criterion", capability, self._criteria.get(key, key), title, notes, key
            )
            for key in keys
        ]

    def _part(
        self,
        figure: str,
        level: str,
        of: object,
        title: str,
        below: str,
        notes: Notes,
        criterion: object = None,
    ) -> Part:
        made = [
            self._cell(figure, level, name.release, of, criterion, notes=notes)
            for name in self.names
        ]
        return Part(title, below, tuple(made))

    def _cell(
        self,
        figure: str,
        level: str,
        release: int,
        of: object,
        criterion: object = None,
        *,
        notes: Notes,
    ) -> Cell:
        row = self._rows.get((figure, level, release, of, criterion))
        at: dict[str, object] = {"release": self.places[release], "node": _node(level, of)}
        if criterion is not None or self.criterion:
            at["criterion"] = criterion or self.criterion
        elif row is not None:
            row = {**row, **self.covered(level, release, of)}
        missing = tuple(self.missing(row)) if row else ()
        return cells.cell(row, notes=notes, at=at, missing=missing)

    def covered(self, level: str, release: int, of: object) -> dict[str, Any]:
        """Return how many grades a cell wanted, and how many there are."""
        mine = [row for row in self._data["coverage"]["rows"] if row["release"] == release]
        if level == "group":
            mine = [row for row in mine if self._kinds.get(row["capability"]) == of]
        elif level == "capability":
            mine = [row for row in mine if row["capability"] == of]
        planned = bool(mine) and mine[0]["wanted"] is not None
        return {
            "wanted": sum(row["wanted"] for row in mine) if planned else None,
            "came": sum(row["given"] + row["cannot_grade"] for row in mine),
        }

    def missing(self, row: Row) -> list[str]:
        """Return what a partial figure leaves out, by name."""
        return self.named(row["missing"]) if row["partial"] else []

    def named(self, missing: Sequence[str]) -> list[str]:
        """Return the parts that something leaves out, by name."""
        found = []
        for name in missing:
            capability, _slash, criterion = name.partition(" / ")
            title = self.title(capability)
            known = self._criteria.get(criterion, criterion)
            found.append(f"{title}, {known}" if criterion else title)
        return found

    @cached_property
    def gaps(self) -> list[Gap]:
        by_key = {name.release: name for name in self.names}
        return [
            self._gap(row, by_key[row["left"]], by_key[row["right"]], self.gap_notes)
            for row in self._data["differences"]
            if row["left"] in by_key and row["right"] in by_key
        ]

    def _gap(self, row: Row, left: Name, right: Name, notes: Notes) -> Gap:
        by_claim = row[self.claim]
        reason = why(row["reason"] or by_claim["interval_reason"])
        certainty, p = Certainty(row["certainty"]), by_claim["p_holm"]
        return Gap(
            left,
            right,
            percent(cells.fraction(row["value"])) if row["value"] else None,
            *cells.ends(by_claim),
            row["n_questions"],
            row["n_either"],
            reason,
            p,
            is_clear=p is not None and p < 1 - self.level,
            certainty=certainty,
            note=notes.number(reason),
            n_raters=row["n_raters"],
            n_pairs=row["n_pairs"],
            n_left_out=row["n_left_out"],
            missing=tuple(self.named(row["missing"])),
            these=cells.ends(row[Claim.THESE]),
        )

    @property
    def margin(self) -> float:
        """Return how many points two systems may lie apart and still be called equal."""
        return 100 * float(self._data["margin"])

    @property
    def few_shared(self) -> list[Gap]:
        """Return the pairs that fewer than half of their questions are common to."""
        return [gap for gap in self.gaps if gap.shares_few]

    @property
    def is_uneven(self) -> bool:
        """Whether some systems were graded on what others were not, so that differences leave it out."""
        return any(row["n_left_out"] for row in self._data["differences"])

    @property
    def widest(self) -> Widest | None:
        """Return the largest difference in a capability, on what both were graded on."""
        row, by_key = self._data["widest"], {name.release: name for name in self.names}
        if row is None or row["left"] not in by_key or row["right"] not in by_key:
            return None
        points = percent(cells.fraction(row["value"]))
        return Widest(
            self.title(row["capability"]), by_key[row["left"]], by_key[row["right"]], points
        )

    @cached_property
    def coverage(self) -> list[Count]:
        """Return a line for each capability, summed over its releases; all of them come last."""
        by_part: dict[object, list[Row]] = {}
        for row in self._data["coverage"]["rows"]:
            by_part.setdefault(row["capability"], []).append(row)
        place = {pk: n for n, pk in enumerate(self.capabilities)}
        lines = [
            _count(self.title(part), rows)
            for part, rows in sorted(by_part.items(), key=lambda pair: place.get(pair[0], -1))  # type: ignore[call-overload]
        ]
        return [*lines, _count(_("All"), [self._data["coverage"]["total"]])]

    @property
    def method_of_scores(self) -> str:
        return self.methods.get("score.overall", "")

    @property
    def method_of_accuracy(self) -> str:
        return self.methods.get("accuracy.overall", "")

    @property
    def weights(self) -> list[tuple[str, str]]:
        """Return the weights that were used, those of groups in them, by capability."""
        return [
            (self.title(pk), weighing.written(Fraction(self._weights.get(_key(pk), Decimal(1)))))
            for pk in self.capabilities
        ]


def of(
    round_: Round,
    data: Mapping[str, Any],
    names: Mapping[int, Name],
    weights: Mapping[str, Fraction] | None = None,
) -> Result:
    """Return the result of a round from its figure; `weights` are those it was computed with."""
    return Result(data, names, capabilities(round_), criteria_names(round_), weights)


def _key(capability: int | None) -> str:
    return branches.NONE if capability is None else str(capability)


def _node(level: str, of: object) -> str:
    """Return how an address names the part of a cell."""
    if level == "overall":
        return branches.ALL
    return f"g-{of}" if level == "group" else f"c-{branches.NONE if of is None else of}"


def _count(title: str, rows: Sequence[Row]) -> Count:
    def added(name: str) -> int:
        return sum(row[name] or 0 for row in rows)

    planned = rows[0]["wanted"] is not None
    return Count(
        title,
        added("wanted") if planned else None,
        added("given"),
        added("cannot_grade"),
        added("late"),
        added("invalid"),
        added("missing") if planned else None,
    )


class BadSetting(errors.Invalid): ...


@dataclass(frozen=True)
class Asked:
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


def of_disputes(query: Mapping[str, str], project: Project | None = None) -> Asked:
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
    return Asked(params, typed)


def of_agreement(query: Mapping[str, str], groups: Mapping[str, tuple[int, ...]]) -> Asked:
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
    return Asked(params, {"kappa": kappa, "raters": raters})


def of_plan(query: Mapping[str, str], round_: Round) -> Asked:
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
        **weights.of(round_).params,
    }
    return Asked(params, typed)


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

    weights: Weights
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
        if self.margin != self.usual_margin:
            points = _("%(n)s points") % {"n": f"{100 * self.margin:g}"}
            made.append((_("Equal within"), points))
        if self.way:
            made.append((_("Score"), self.way_text))
        return made

    def result(
        self, data: Mapping[str, Any], claim: Claim = Claim.OTHERS, view: str = SCORE
    ) -> Result:
        """Return the figure of this cut with names put in, by a claim or the widest there is."""
        tree = self.weights.tree
        return Result(
            data,
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


def read(reading: Reading, query: Query) -> Cut:
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


def lenient(reading: Reading, query: Query) -> Cut:
    """Return the same; where the address cannot be used, the usual cut with what is wrong."""
    try:
        return read(reading, query)
    except BadCut as refusal:
        usual = of_cut(reading)
        typed = {name: text for name, text in _first(query).items() if name.startswith(PREFIX)}
        return replace(usual, typed=typed, wrong=refusal.fields, problem=refusal.message)


def of_cut(reading: Reading) -> Cut:
    """Return the usual cut of a round: stored weights, the default filter."""
    used = weighing.of(reading.round)
    named = labels.of(reading.round, used.tree)
    chosen = selection.of(reading.round, used.tree, named, reading.names)
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
#: Likewise, of figures that are in no report.
PAGES: Mapping[str, str] = {**TABS, model.FIGURE: "results_model"}


@dataclass(frozen=True)
class Source:
    """The data of a figure of a round; `names` decides what its releases are called."""

    round: Round
    data: Mapping[str, Any]
    labels: Labels
    names: Mapping[int, Name]

    def read(self, kind: type[T]) -> T:
        """Return the figure as its type."""
        return typed.read(kind, self.data)

    @property
    def named(self) -> Named:
        return Named(self.labels, self.names)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was graded."""
        return not any(
            self.data.get(key) for key in ("parts", "raters", "drift", "scores", "curves")
        )


def wish(figure: str, mine: Reading, query: Query) -> Asked:
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
    if figure in {FIGURE, model.FIGURE}:
        return Asked(read(mine, query).params)
    return Asked({raters.FIGURE: raters.PARAMS}[figure])
