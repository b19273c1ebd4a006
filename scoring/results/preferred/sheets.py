"""Preferences as tables that can be downloaded."""

from collections.abc import Iterator

from scoring.figures import typed
from scoring.results.asked import FigureSource
from scoring.shown.sheet import Sheet
from scoring.shown.wording import why
from scoring.stats.claims import ClaimEstimate
from scoring.stats.preferences.said import (
    AnnotatorChoices,
    GradedApart,
    GradesBesideFigure,
    PreferencesFigure,
    SystemPair,
    SystemRate,
)

Row = tuple[object, ...]
ENDS = ("rate", "low", "high", "low_others", "high_others")
RANKS = ("rank_low", "rank_high", "rank_low_others", "rank_high_others")
N = ("choices", "questions", "why")
SAID = "rates in percent, a tie counted half; intervals at 95 %, for these annotators and for others too"


def _ends(these: ClaimEstimate, others: ClaimEstimate) -> Row:
    found = (these.value, these.low, these.high, others.low, others.high)
    return tuple(None if one is None else round(100 * float(one), 4) for one in found)


def _rate(one: SystemRate) -> Row:
    ranks = (*(one.ranks_these or (None, None)), *(one.ranks_others or (None, None)))
    reason = why(one.these.reason or one.others.interval_reason)
    return (*_ends(one.these, one.others), *ranks, one.n, one.these.n, reason)


def strengths(source: FigureSource) -> Sheet:
    """The rate of every system against the mean of the others, by criterion."""
    found = source.read(PreferencesFigure)

    def rows() -> Iterator[Row]:
        for of in found.criteria:
            criterion = source.labels.criterion(of.criterion)
            for one in typed.there(of.systems, source.named):
                yield (criterion, source.names[one.release].text, *_rate(one))

    methods = sorted({of.method for of in found.criteria})
    columns = ("criterion", "system", *ENDS, *RANKS, *N)
    return Sheet("rates", columns, rows(), "; ".join([SAID, *methods]))


def parts(source: FigureSource) -> Sheet:
    """The same by capability and by topic, each as if its choices were all there are."""
    found = source.read(PreferencesFigure)

    def rows() -> Iterator[Row]:
        for of in found.criteria:
            criterion = source.labels.criterion(of.criterion)
            for part in of.parts:
                of_area = part.by == "area"
                title = part.area if of_area else source.labels.capability(part.capability)
                for one in typed.there(part.systems, source.named):
                    yield (criterion, part.by, title, source.names[one.release].text, *_rate(one))

    columns = ("criterion", "by", "part", "system", *ENDS, *RANKS, *N)
    return Sheet("rates-by-part", columns, rows(), SAID)


def wins(source: FigureSource) -> Sheet:
    """How often one system was preferred to another, of every two of them."""
    found = source.read(PreferencesFigure)

    def rows() -> Iterator[Row]:
        for of in found.criteria:
            criterion = source.labels.criterion(of.criterion)
            for one in of.pairs:
                if {one.left, one.right} <= source.names.keys():
                    yield (criterion, *_pair(one, source))

    columns = ("criterion", "preferred", "to", *ENDS, "won", "same", "both_bad", "lost")
    more = ("choices", "annotators", "p", "p_others", "certainty")
    return Sheet("wins", (*columns, *more), rows(), f"{SAID}; p corrected for all pairs (Holm)")


def _pair(one: SystemPair, source: FigureSource) -> Row:
    counts = (one.won, one.tied - one.both_bad, one.both_bad, one.lost, one.n, one.n_raters)
    names = (source.names[one.left].text, source.names[one.right].text)
    p = (one.these.p_holm, one.others.p_holm)
    return (*names, *_ends(one.these, one.others), *counts, *p, one.certainty.value)


def annotators(source: FigureSource) -> Sheet:
    """How each annotator chose."""
    found = source.read(PreferencesFigure)

    def rows() -> Iterator[Row]:
        for of in found.criteria:
            criterion = source.labels.criterion(of.criterion)
            for one in of.raters:
                yield (criterion, *typed.cells(one, source.named))

    said = "shares of an annotator's choices in percent; alike: of the choices of others on the same answers"
    columns = ("criterion", *typed.columns(AnnotatorChoices))
    return Sheet("annotator-choices", columns, rows(), said)


def beside(source: FigureSource) -> Sheet:
    """The pairs of answers of which people chose the one that was graded worse."""
    found = source.read(GradesBesideFigure)

    def rows() -> Iterator[Row]:
        for of in found.criteria:
            criterion = source.labels.criterion(of.criterion)
            for one in of.apart:
                if {one.left, one.right} <= source.names.keys():
                    yield (criterion, *typed.cells(one, source.named))

    methods = sorted({of.method for of in found.criteria})
    columns = ("criterion", *typed.columns(GradedApart))
    return Sheet("grades-beside", columns, rows(), "; ".join(methods))
