"""The plots of a round as drawings: for pages, reports and files."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from evalsite.templatetags import ui
from scoring.charts import bars as heat
from scoring.charts import forest
from scoring.charts import lines as curves
from scoring.charts.bars import Square
from scoring.charts.forest import Axis, Band, Line, Row
from scoring.charts.scatter import Axes, Dot, scatter
from scoring.charts.svg import Drawing
from scoring.figures import cells
from scoring.figures.cells import BANDS, CHANCE
from scoring.results import agreement, disputes, raters
from scoring.results import plan as plans
from scoring.results import queries as results
from scoring.results.agreement import AgreementFigure
from scoring.results.disputes import Disputes, DisputesFigure
from scoring.results.plan import PlanFigure
from scoring.results.queries import Source
from scoring.results.raters import Raters, RatersFigure
from scoring.shown.sheet import NothingToDraw, Picture, percent, picture
from scoring.shown.wording import why


def of(name: str, source: Source) -> Picture | None:
    """Return a plot of a source by its name."""
    make = PICTURES[name].make
    return picture(lambda narrow: make(source, narrow))


@dataclass(frozen=True, slots=True)
class Kind:
    """A plot: the figure it is made of, and how, for wide pages or narrow ones."""

    figure: str
    make: Callable[[Source, bool], Drawing]


def scores(source: Source, narrow: bool) -> Drawing:
    """Draw the scores by system: overall, then each capability, the widest spread first."""
    wanted = [row for row in source.data["scores"] if row["figure"] == "score"]
    place = {release: n for n, release in enumerate(source.data["releases"])}
    wanted = sorted(
        (row for row in wanted if row["release"] in source.names),
        key=lambda row: place.get(row["release"], 0),
    )
    parts: dict[str, list[Mapping[str, Any]]] = {}
    for row in wanted:
        if row["level"] == "overall":
            parts.setdefault(_("Overall"), []).append(row)
    for row in wanted:
        if row["level"] == "capability":
            parts.setdefault(source.labels.capability(row["capability"]), []).append(row)
    order = sorted(parts, key=lambda title: (title != _("Overall"), -_spread(parts[title])))
    rows = [row for title in order for row in _score_rows(title, parts[title], source)]
    axis = Axis(0, 100, _("Score (%), 95 % intervals"))
    return _forest(rows, axis, _("Scores by capability"), narrow=narrow)


def _spread(rows: Sequence[Mapping[str, Any]]) -> float:
    values = [row["value"]["value"] for row in rows if row["value"]]
    return max(values) - min(values) if values else 0.0


def _score_rows(title: str, found: Sequence[Mapping[str, Any]], source: Source) -> Iterator[Row]:
    for n, row in enumerate(found):
        name = source.names[row["release"]]
        value, claimed = row["value"], row[source.data["claim"]]
        yield Row(
            name.text,
            100 * value["value"] if value else None,
            *cells.ends(claimed),
            note=why(row["reason"]) or f"n {row['n_grades']}",
            ordinal=name.mark,
            head="" if n else title,
        )


def agreement_of(source: Source, narrow: bool) -> Drawing:
    """Draw ordinal α by capability and criterion, with chance, bands and a ceiling."""
    found = agreement.Agreement(source.read(AgreementFigure), source.labels)
    rows = []
    for part in [*found.parts, found.overall]:
        name = f"{part.title}, {part.below}" if part.below else part.title
        value = part.alpha
        note = value.why or f"n {part.n_pairable}"
        rows.append(Row(name, value.value, value.low, value.high, note))
    lines = [Line(CHANCE, _("chance"))]
    if found.ceiling.value is not None:
        lines.append(Line(found.ceiling.value, _("the same annotators again")))
    least = min([0.0, *(one for row in rows for one in (row.value, row.low) if one is not None)])
    start = math.floor(least * 5) / 5
    axis = Axis(start, 1, _("Krippendorff’s α, ordinal; bands are a convention"), 2)
    label = _("Agreement by capability and criterion")
    bands = [Band(one.start, one.end, str(one.name)) for one in BANDS["krippendorff"].bands]
    return _forest(rows, axis, label, bands=bands, lines=lines, narrow=narrow)


def pairs(source: Source, _narrow: bool) -> Drawing:
    """Draw κ of every pair of annotators."""
    found = agreement.Agreement(source.read(AgreementFigure), source.labels)
    if not found.triangle:
        raise NothingToDraw
    rows = [
        (label, [_square(one.value, one.n, one.shade) for one in squares])
        for label, squares in found.triangle
    ]
    return heat.heat(found.columns, rows, label=_("κ of pairs of annotators"))


def disputes_of(source: Source, _narrow: bool) -> Drawing:
    """Draw how often each annotator stands alone, by capability."""
    found = Disputes(source.read(DisputesFigure), source.labels)
    if found.is_empty:
        raise NothingToDraw
    rows = [
        (
            line.label,
            [
                None if one is None else _square(one.value, one.n, one.shade)
                for one in (line.whole, *line.cells)
            ],
        )
        for line in found.lines
    ]
    return heat.heat([_("All"), *found.columns], rows, label=_("Who is in dispute, and where"))


def questions(source: Source, narrow: bool) -> Drawing:
    """Draw the questions most in dispute."""
    found = Disputes(source.read(DisputesFigure), source.labels)
    rows = [
        Row(
            one.question,
            None if one.normalised is None else float(one.normalised),
            note=f"n {one.n_raters}",
        )
        for one in found.questions
    ]
    axis = Axis(0, 1, _("C(k) per system"), 2)
    return _forest(rows, axis, _("Questions in dispute"), narrow=narrow)


def _raters(source: Source) -> Raters:
    return Raters(source.read(RatersFigure), source.labels, source.names)


def severity(source: Source, narrow: bool) -> Drawing:
    """Draw how severe each annotator is."""
    found = _raters(source)
    rows = [
        Row(
            one.label,
            one.row.severity,
            one.row.low,
            one.row.high,
            f"n {one.row.n_grades}",
        )
        for one in found.severities
    ]
    axis = Axis(-found.axis, found.axis, _("Severity in logits: mild left, severe right"), 2)
    lines = [Line(0, _("average"))]
    return _forest(rows, axis, _("Severity of annotators"), lines=lines, narrow=narrow)


def position(source: Source, narrow: bool) -> Drawing:
    """Draw the mean mark by position."""
    found = _raters(source)
    rows = [Row(one.label, *one.row.in_points, f"n {one.row.n_grades}") for one in found.positions]
    axis = Axis(-found.reach, found.reach, _("Points above or below the mean of the page"))
    lines = [Line(0, _("no effect"))]
    return _forest(rows, axis, _("Effect of position"), lines=lines, narrow=narrow)


def pace(source: Source, narrow: bool) -> Drawing:
    """Draw active seconds a question, with the middle half of them."""
    found = _raters(source).paces
    rows = [
        Row(
            one.label,
            one.row.median,
            one.row.low,
            one.row.high,
            f"n {one.row.n_seats}",
            head="" if n and found[n - 1][0] == part else part,
        )
        for n, (part, one) in enumerate(found)
    ]
    most = max((one.row.high for _part, one in found), default=1) or 1
    axis = Axis(0, most, _("Active seconds a question: median and middle half"), 0)
    return _forest(rows, axis, _("Pace of annotators"), narrow=narrow)


def tempo(source: Source, narrow: bool) -> Drawing:
    """Draw each annotator's usual time of a question against how often they stand alone."""
    found = _raters(source).tempos
    known = [(one, alone) for one in found if (alone := percent(one.row.alone)) is not None]
    if not known:
        raise NothingToDraw
    dots = [Dot(one.row.seconds, alone, one.mark, one.label) for one, alone in known]
    across = 1.15 * max(dot.x for dot in dots)
    up = max(5.0, 1.15 * max(dot.y for dot in dots))
    titles = (_("Active seconds a question, median"), _("Stands alone (%)"))
    label = _("Time of a question and disputes, by annotator")
    return scatter(dots, Axes((0, across), (0, up), *titles), label=label, narrow=narrow)


def curve(source: Source, narrow: bool) -> Drawing:
    """Draw how intervals narrow with the number of questions."""
    plan = plans.Plan(source.read(PlanFigure), source.names)
    courses = [
        curves.CurveCourse(one.name.text, one.name.mark, one.points, one.n_questions)
        for one in plan.courses
        if one.points
    ]
    if not courses:
        raise NothingToDraw
    words = (
        _("Questions; the marker is where the round stands"),
        _("Width of the interval (points)"),
        _("enough: %(points)s points") % {"points": f"{plan.width:g}"},
    )
    label = _("Width of the interval by number of questions")
    return curves.curve(courses, label=label, enough=plan.width, words=words, narrow=narrow)


PICTURES: Mapping[str, Kind] = {
    "scores": Kind(results.FIGURE, scores),
    "agreement": Kind(agreement.FIGURE, agreement_of),
    "pairs": Kind(agreement.FIGURE, pairs),
    "disputes": Kind(disputes.FIGURE, disputes_of),
    "questions": Kind(disputes.FIGURE, questions),
    "severity": Kind(raters.FIGURE, severity),
    "position": Kind(raters.FIGURE, position),
    "pace": Kind(raters.FIGURE, pace),
    "tempo": Kind(raters.FIGURE, tempo),
    "curve": Kind(plans.FIGURE, curve),
}


def _forest(
    rows: Sequence[Row],
    axis: Axis,
    label: str,
    *,
    bands: Sequence[Band] = (),
    lines: Sequence[Line] = (),
    narrow: bool,
) -> Drawing:
    if all(row.value is None for row in rows):
        raise NothingToDraw
    return forest.forest(rows, axis, label=label, bands=bands, lines=lines, narrow=narrow)


def _square(value: float | None, n: int, shade: str) -> Square:
    return Square(ui.score(value, 2), n, int(shade[1:]) if shade != "few" else None)
