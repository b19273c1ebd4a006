"""The figure of agreement, and how its page shows it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Annotated
from urllib.parse import urlencode

from django.utils.translation import gettext_lazy

from annotation.common.sentences import gettext as _
from annotation.rubrics.models import Criterion
from scoring.figures.cells import BANDS, Ends, Notes, ends, points
from scoring.figures.labels import Labels
from scoring.shown.names import Name
from scoring.shown.wording import why
from scoring.stats.claims import Certainty
from scoring.stats.people.said import (
    AgreementFigures,
    AgreementTogether,
    AnnotatorPair,
    Coefficient,
    Disagreement,
    GroupDifference,
    GroupDifferences,
    IccForm,
    IntraclassCorrelation,
    MeanCoefficient,
    SystemGroupDifference,
)
from scoring.stats.preferences.said import PairAgreement
from scoring.stats.told import CapabilityKey, CriterionKey, Number, RaterKey, Told, Why

FIGURE = "agreement"
#: Columns after α: the coefficient and its sign.
SHOWN = (("ac2_ordinal", "AC2"), ("ac1", "AC1"), ("fleiss", "κ"), ("raw", "%"))
#: α of labels by the kind of mark; of what has a scale it is ordinal.
ALPHAS = {"LABEL": "alpha_nominal", "LABELS": "alpha_masi", "CHOICE": "alpha_nominal"}
#: What a choice means once it is turned, so that the same system is always the first.
SEEN = {
    1: gettext_lazy("first, much"),
    2: gettext_lazy("first"),
    3: gettext_lazy("same"),
    4: gettext_lazy("second"),
    5: gettext_lazy("second, much"),
    6: gettext_lazy("both bad"),
}
#: Raw agreement above this with α below that is the κ paradox.
HIGH_RAW, LOW_ALPHA = 0.8, 0.4
#: From where α is called tentative and reliable (Krippendorff 2004).
TENTATIVE, RELIABLE = (band.start for band in BANDS["krippendorff"].bands)
#: Pairs on fewer responses are greyed.
FEW = 15
#: How far apart two grades of a pair are, by what the address calls it; the first is usual.
KAPPAS = {
    "quadratic": gettext_lazy("quadratic weights"),
    "linear": gettext_lazy("linear weights"),
    "nominal": gettext_lazy("no weights"),
}


@dataclass(frozen=True, slots=True)
class AgreementPart:
    capability: CapabilityKey
    criterion: CriterionKey
    scale: tuple[float, ...]
    agreement: AgreementFigures
    icc: Annotated[IntraclassCorrelation | None, Told("Null for labels, which have no spread.")]
    mark: Annotated[
        str, Told("What the criterion asks for: `LABEL`, `LABELS`, or what has a scale.")
    ]
    names: Annotated[tuple[str, ...], Told("Of labels: what the levels of `agreement` are called.")]


@dataclass(frozen=True, slots=True)
class WithoutAnnotator:
    rater: RaterKey
    value: Annotated[Number, Told(column="alpha")]
    change: Number


@dataclass(frozen=True, slots=True)
class AgreementOfGroups:
    """Ordinal α within a group of annotators, or how far two groups agree with each other.

    Means over capabilities and criteria, as everything together.
    """

    left: Annotated[str, Told(column="group")]
    right: Annotated[str | None, Told("The other group; null: within the group.", column="with")]
    value: Annotated[Number, Told(column="agreement")]
    low: Number
    high: Number
    reason: Why
    interval_reason: Why
    n_pairable: Annotated[int, Told("Responses with two marks to compare.", column="responses")]
    n_clusters: Annotated[int, Told(column="questions")]
    n_raters: Annotated[int, Told(column="annotators")]


@dataclass(frozen=True, slots=True)
class AgreementFigure:
    parts: tuple[AgreementPart, ...]
    overall: AgreementTogether
    again: AgreementTogether
    has_repeats: Annotated[bool, Told("Whether questions were drawn to be graded again.")]
    pairs: tuple[AnnotatorPair, ...]
    without: tuple[WithoutAnnotator, ...]
    disagreement: Mapping[str, tuple[Disagreement, ...]]
    groups: Annotated[
        tuple[AgreementOfGroups, ...],
        Told("Of all annotators, whichever group the other figures are of; empty without groups."),
    ]
    differences: Annotated[GroupDifferences, Told("By how much groups grade apart; likewise.")]
    systems: Annotated[
        tuple[PairAgreement, ...], Told("Of preferences: by pair of systems, mean over criteria.")
    ] = ()
    of_labels: Annotated[
        bool,
        Told(
            "Whether all but `parts` is of labels, since nothing has a scale: nominal, several labels "
            "compared whole."
        ),
    ] = False


@dataclass(frozen=True, slots=True)
class AgreementValue:
    """A coefficient with its interval, or why there is none."""

    value: float | None
    low: float | None
    high: float | None
    why: str
    why_no_interval: str
    #: The number of its footnote: why there is no value.
    note: int | None = None


NOT_OF_LABELS = AgreementValue(None, None, None, "", "")


@dataclass(frozen=True, slots=True)
class LevelBar:
    """The share of marks at a level; `top` is where a bar of at most 16 pixels begins."""

    level: str
    share: float
    height: float
    top: float
    left: int


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """Agreement on one criterion of a capability, or on everything."""

    title: str
    below: str
    alpha: AgreementValue
    others: tuple[AgreementValue, ...]
    icc: AgreementValue | None
    n_units: int
    n_pairable: int
    n_raters: int
    bars: tuple[LevelBar, ...]
    paradox: bool
    method: str
    #: Of a mean over criteria, or pairs of systems: how many have no α and are left out.
    n_left_out: int = 0
    #: Of labels: which α this is.
    kind: str = ""


@dataclass(frozen=True, slots=True)
class AgreementSquare:
    """A place of the heat map; without a value it says why."""

    value: float | None
    n: int
    shade: str
    why: str


@dataclass(frozen=True, slots=True)
class Without:
    rater: str
    value: float | None
    change: float | None


@dataclass(frozen=True, slots=True)
class DifferingShare:
    """Of `of` responses, the percentage on which grades differ by a rule, or why there is none."""

    value: float | None
    n: int
    of: int
    why: str
    note: int | None


@dataclass(frozen=True, slots=True)
class Ratio:
    """Of a capability, the share of responses on which grades differ, by each rule."""

    title: str
    shares: tuple[DifferingShare, ...]


@dataclass(frozen=True, slots=True)
class OfGroups:
    """A line of the groups: one of them, or two beside each other."""

    title: str
    alpha: AgreementValue
    n_pairable: int
    n_raters: int
    #: Of one group: the query of the page with the scores that it gave.
    scores: str = ""


@dataclass(frozen=True, slots=True)
class ApartGroups:
    """By how many points two groups grade apart: all systems together, where `name` is None, or one."""

    title: str
    name: Name | None
    value: Decimal | None
    these: Ends
    others: Ends
    why: str
    note: int | None
    p: float | None
    certainty: Certainty
    n_responses: int
    n_questions: int


class RoundAgreement:
    """Reads the figure; `labels` says what everything is called."""

    def __init__(
        self, figure: AgreementFigure, labels: Labels, names: Mapping[int, Name] | None = None
    ) -> None:
        self._figure = figure
        self._labels = labels
        self._names = names or {}
        self.system_notes = Notes()
        #: Under the table of coefficients, and under that of disagreement.
        self.notes, self.ratio_notes = Notes(), Notes()
        self.group_notes, self.apart_notes = Notes(), Notes()
        #: The annotators of each group, where a page leads to their scores.
        self.members: Mapping[str, Sequence[int]] = {}

    @property
    def is_empty(self) -> bool:
        return not self._figure.parts

    @property
    def of_labels(self) -> bool:
        """Whether what spans criteria is of labels, or of choices, and so nominal."""
        return self._figure.of_labels or self.is_of_pairs

    @property
    def metric(self) -> str:
        """Return which α it is over everything."""
        return _("Nominal α") if self.of_labels else _("Ordinal α")

    @property
    def caption(self) -> str:
        if self.of_labels:
            return _("Krippendorff’s α, nominal")
        return _("Krippendorff’s α, ordinal")

    @property
    def overall(self) -> AgreementRow:
        return _part(self._figure.overall, None, _("Everything together"), "", self.notes)

    @property
    def verdict(self) -> str:
        """Return in a sentence how far annotators agree, by the lower end of the interval of α."""
        found = of_everything(self._figure)
        if found.value is None:
            return ""
        words = {"value": f"{found.value:.2f}", "low": f"{found.low or 0:.2f}"}
        if found.low is None or found.high is None:
            return _("Agreement is %(value)s, from too little to say more.") % words
        if found.low >= RELIABLE:
            return _("Annotators agree: α is %(value)s.") % words
        if found.low >= TENTATIVE:
            return (
                _("Annotators agree well enough for tentative conclusions: α is %(value)s.") % words
            )
        if found.high < TENTATIVE:
            return _("Annotators disagree: α is %(value)s.") % words
        return _("Agreement is %(value)s, but may be as low as %(low)s.") % words

    @property
    def ceiling(self) -> AgreementValue:
        """Return ordinal α of the annotators with themselves: nobody agrees more with others."""
        again = self._figure.again
        value = _alpha(again)
        if value.value is None and not again.n_marks:
            reason = "not_met_again" if self._figure.has_repeats else "no_repeats"
            return AgreementValue(None, None, None, why(reason), "")
        return value

    @property
    def n_again(self) -> int:
        """Return how many grades were given a second time."""
        return self._figure.again.n_pairable

    @property
    def parts(self) -> list[AgreementRow]:
        order = self._labels.in_order(one.capability for one in self._figure.parts)
        return [
            _part(
                one.agreement,
                one.icc,
                self._labels.capability(one.capability),
                self._labels.criterion(one.criterion),
                self.notes,
                one,
            )
            for one in sorted(self._figure.parts, key=lambda one: order.index(one.capability))
        ]

    @cached_property
    def groups(self) -> list[OfGroups]:
        return [
            OfGroups(
                _("%(one)s with %(other)s") % {"one": row.left, "other": row.right}
                if row.right
                else row.left,
                _value(row, self.group_notes),
                row.n_pairable,
                row.n_raters,
                ""
                if row.right
                else urlencode([("annotator", pk) for pk in self.members.get(row.left, ())]),
            )
            for row in self._figure.groups
        ]

    def apart(self, names: Mapping[int, Name]) -> list[ApartGroups]:
        """Return how far every two groups grade apart, in all and then by system.

        Args:
            names: of the systems.
        """
        made = []
        for row in self._figure.differences.overall:
            made.append(self._apart(row, None))
            made += [
                self._apart(one, names[one.release])
                for one in self._figure.differences.systems
                if (one.left, one.right) == (row.left, row.right) and one.release in names
            ]
        return made

    def _apart(
        self, row: GroupDifference | SystemGroupDifference, name: Name | None
    ) -> ApartGroups:
        reason = why(row.reason or row.these.interval_reason)
        if not reason:
            self.apart_notes.tell(why(row.others.interval_reason))
        widest = row.these if row.others.interval_reason else row.others
        return ApartGroups(
            _("%(one)s minus %(other)s") % {"one": row.left, "other": row.right},
            name,
            points(row.value),
            ends(row.these),
            ends(row.others),
            reason,
            self.apart_notes.number(reason),
            widest.p_holm,
            row.certainty,
            row.n_responses,
            row.n_questions,
        )

    @property
    def is_of_pairs(self) -> bool:
        """Whether people chose between answers; choices have neither a pass mark nor a range."""
        return any(one.mark == Criterion.Mark.CHOICE for one in self._figure.parts)

    @cached_property
    def systems(self) -> list[tuple[Name, Name, PairAgreement, AgreementValue]]:
        """Return of preferences how far people agree on every two systems."""
        return [
            (self._names[one.left], self._names[one.right], one, _value(one, self.system_notes))
            for one in self._figure.systems
            if {one.left, one.right} <= self._names.keys()
        ]

    @property
    def paradoxes(self) -> list[AgreementRow]:
        return [part for part in self.parts if part.paradox]

    @property
    def raters(self) -> list[int]:
        return sorted({key for one in self._figure.pairs for key in (one.left, one.right)})

    @property
    def columns(self) -> list[str]:
        return [self._labels.rater(key) for key in self.raters[:-1]]

    @property
    def triangle(self) -> list[tuple[str, list[AgreementSquare]]]:
        """Return a line for each rater but the first, with a square for each before them."""
        found = {(one.left, one.right): one for one in self._figure.pairs}
        keys = self.raters
        return [
            (
                self._labels.rater(low),
                [_square(found.get((left, low)) or found.get((low, left))) for left in keys[:n]],
            )
            for n, low in enumerate(keys)
            if n
        ]

    @property
    def without(self) -> list[Without]:
        rows = [
            Without(self._labels.rater(one.rater), one.value, one.change)
            for one in self._figure.without
        ]
        return sorted(rows, key=lambda one: -(one.change or 0))

    @property
    def ratios(self) -> list[Ratio]:
        by_part: dict[int | None, dict[str, Disagreement]] = {}
        for rule, rows in self._figure.disagreement.items():
            for row in rows:
                by_part.setdefault(row.capability, {})[rule] = row
        return [
            Ratio(
                self._labels.capability(part),
                tuple(
                    _share(by_part[part][rule], self.ratio_notes)
                    for rule in ("any", "polar", "range", "modal")
                    if rule in by_part[part]
                ),
            )
            for part in self._labels.in_order(by_part)
        ]


def _part(
    found: AgreementFigures | AgreementTogether,
    icc: IntraclassCorrelation | None,
    title: str,
    below: str,
    notes: Notes,
    of: AgreementPart | None = None,
) -> AgreementRow:
    known: dict[str, Coefficient] = {one.name: one for one in found.coefficients}
    alpha = known[ALPHAS[of.mark]] if of and of.mark in ALPHAS else _usual(known)
    raw = known["raw"]
    form = next((one for one in icc.forms if one.form == "2,k"), None) if icc else None
    return AgreementRow(
        title,
        below,
        _value(alpha, notes),
        tuple(
            _value(known[name], notes) if name in known else NOT_OF_LABELS for name, _sign in SHOWN
        ),
        _value(form, notes) if form else None,
        found.n_units,
        found.n_pairable,
        found.n_raters,
        _bars(found, of) if isinstance(found, AgreementFigures) and of else (),
        (raw.value or 0) >= HIGH_RAW and alpha.value is not None and alpha.value < LOW_ALPHA,
        found.method,
        alpha.n_left_out if isinstance(alpha, MeanCoefficient) else 0,
        _kind(of.mark, known) if of else "",
    )


def _kind(mark: str, known: Mapping[str, Coefficient]) -> str:
    """Return which α that of labels is; nothing of what has a scale."""
    if mark in {"LABEL", "CHOICE"}:
        return _("nominal α")
    if mark != "LABELS":
        return ""
    jaccard = known["alpha_jaccard"].value
    if jaccard is None:
        return _("α by MASI")
    return _("α by MASI; by Jaccard %(value)s") % {"value": f"{jaccard:.2f}"}


def _bars(found: AgreementFigures, of: AgreementPart) -> tuple[LevelBar, ...]:
    if of.mark == "LABELS":
        return ()  # many sets, each given seldom
    names = called(of)
    return tuple(
        LevelBar(name, 100 * share, 16 * share, 16 - 16 * share, 8 * n)
        for n, (name, share) in enumerate(zip(names, found.marginals, strict=True))
    )


def called(of: AgreementPart) -> tuple[str, ...]:
    """Return what the levels of a criterion are called; of choices, of the one and the other system."""
    if of.mark == Criterion.Mark.CHOICE:
        return tuple(str(SEEN[int(level)]) for level in of.agreement.levels)
    return of.names or tuple(f"{level:g}" for level in of.agreement.levels)


def of_everything(figure: AgreementFigure) -> AgreementValue:
    """Return α over everything together: ordinal; of labels alone, and of choices, nominal."""
    return _alpha(figure.overall)


def _alpha(together: AgreementTogether) -> AgreementValue:
    return _value(_usual({one.name: one for one in together.coefficients}))


def _usual(known: Mapping[str, Coefficient]) -> Coefficient:
    """Return ordinal α; of labels alone there is the nominal one."""
    return known.get("alpha_ordinal") or known["alpha_nominal"]


def _value(
    row: Coefficient | IccForm | AgreementOfGroups | PairAgreement, notes: Notes | None = None
) -> AgreementValue:
    """Return a coefficient as it is read; why it is not whole goes among the notes."""
    reason = why(row.reason)
    no_interval = "" if row.reason else why(row.interval_reason)
    note = notes.number(reason) if notes else None
    if notes:
        notes.tell(no_interval)
    return AgreementValue(row.value, row.low, row.high, reason, no_interval, note)


def _square(row: AnnotatorPair | None) -> AgreementSquare:
    if row is None or row.value is None:
        return AgreementSquare(
            None, row.n_units if row else 0, "few", why(row.reason if row else None)
        )
    shade = "few" if row.n_units < FEW else f"h{min(4, max(0, int(row.value * 5)))}"
    return AgreementSquare(row.value, row.n_units, shade, "")


def _share(row: Disagreement, notes: Notes) -> DifferingShare:
    value = None if row.value is None else float(row.value) * 100
    reason = why(row.reason)
    return DifferingShare(value, row.n_disputed, row.n_pairs, reason, notes.number(reason))
