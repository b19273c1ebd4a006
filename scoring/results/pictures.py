"""The plots of a round as drawings: for pages, reports and files."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from evalsite.templatetags import ui
from scoring.charts import chart
from scoring.charts.chart import AxisBand, Chart, ForestRow, HeatSquare, Point, SystemCourse
from scoring.charts.plot import Axis, Dot, RuledValue
from scoring.figures import cells
from scoring.figures.cells import BANDS, CHANCE
from scoring.results import agreement, disputes, raters
from scoring.results import plan as plans
from scoring.results import queries as results
from scoring.results.agreement import AgreementFigure
from scoring.results.asked import FigureSource
from scoring.results.disputes import Disputes
from scoring.results.queries import PREFERENCES
from scoring.results.raters import Raters, RatersFigure
from scoring.shown.sheet import ChartPicture, NothingDrawn, percent, picture
from scoring.shown.wording import why
from scoring.stats.claims import Claim, ClaimScore, ScoresFigure
from scoring.stats.people.said import DisputesFigure
from scoring.stats.preferences.said import PreferencesFigure
from scoring.stats.scores.said import PlanFigure


def picture_of(name: str, source: FigureSource) -> ChartPicture | None:
    """Return a plot of a source by its name."""
    make = PICTURES[name].make
    return picture(lambda: make(source))


@dataclass(frozen=True, slots=True)
class PlotKind:
    """A plot: the figure it is made of, and how."""

    figure: str
    make: Callable[[FigureSource], Chart]


def scores(source: FigureSource) -> Chart:
    """Draw the scores by system: overall, then each capability, the widest spread first."""
    found = source.read(ScoresFigure)
    wanted = [row for row in found.usual.scores if row.figure == "score"]
    place = {release: n for n, release in enumerate(found.usual.releases)}
    wanted = sorted(
        (row for row in wanted if row.release in source.names),
        key=lambda row: place.get(row.release, 0),
    )
    parts: dict[str, list[ClaimScore]] = {}
    for row in wanted:
        if row.level == "overall":
            parts.setdefault(_("Overall"), []).append(row)
    for row in wanted:
        if row.level == "capability":
            parts.setdefault(source.labels.capability(row.capability), []).append(row)
    order = sorted(parts, key=lambda title: (title != _("Overall"), -_spread(parts[title])))
    rows = [row for title in order for row in _score_rows(title, parts[title], source, found.claim)]
    caption = _("Score (%), 95 % intervals")
    return _forest(rows, chart.scale(0, 100), _("Scores by capability"), caption)


def strengths(source: FigureSource) -> Chart:
    """Draw how often each system is expected to be preferred, by criterion."""
    found = source.read(PreferencesFigure)
    rows = []
    for of in found.criteria:
        heads = [source.labels.criterion(of.criterion)]
        for one in of.systems:
            if one.release not in source.names:
                continue
            name, shown = source.names[one.release], getattr(one, of.claim)
            rows.append(
                ForestRow(
                    name.text,
                    None if one.these.value is None else 100 * float(one.these.value),
                    *cells.ends(shown),
                    note=f"n {one.n}",
                    ordinal=name.mark,
                    head=heads.pop() if heads else "",
                )
            )
    caption = _("Preferred to an average system (%), 95 % intervals")
    rules = [RuledValue(50, _("even"))]
    return _forest(rows, chart.scale(0, 100), _("Strength"), caption, rules=rules)


def label_shares(source: FigureSource) -> Chart:
    """Draw how often each label was given, by system."""
    found = source.read(ScoresFigure)
    rows = [
        row
        for of in found.labels
        for one in of.labels
        for row in _score_rows(
            f"{source.labels.criterion(of.criterion)}: {one.name or _('None of these')}",
            [score for score in one.scores if score.release in source.names],
            source,
            found.claim,
        )
    ]
    caption = _("Share of grades (%), 95 % intervals")
    return _forest(rows, chart.scale(0, 100), _("Labels"), caption)


def _spread(rows: Sequence[ClaimScore]) -> float:
    values = [float(row.value) for row in rows if row.value is not None]
    return max(values) - min(values) if values else 0.0


def _score_rows(
    title: str, found: Sequence[ClaimScore], source: FigureSource, claim: Claim
) -> Iterator[ForestRow]:
    for n, row in enumerate(found):
        name = source.names[row.release]
        yield ForestRow(
            name.text,
            None if row.value is None else 100 * float(row.value),
            *cells.ends(row.others if claim is Claim.OTHERS else row.these),
            note=why(row.reason) or f"n {row.n_grades}",
            ordinal=name.mark,
            head="" if n else title,
        )


def agreement_of(source: FigureSource) -> Chart:
    """Draw ordinal α by capability and criterion, with chance, bands and a ceiling."""
    found = agreement.RoundAgreement(source.read(AgreementFigure), source.labels)
    rows = []
    for part in [*found.parts, found.overall]:
        name = f"{part.title}, {part.below}" if part.below else part.title
        value = part.alpha
        note = value.why or ", ".join(filter(None, [f"n {part.n_pairable}", part.kind]))
        rows.append(ForestRow(name, value.value, value.low, value.high, note))
    rules = [RuledValue(CHANCE, _("chance"))]
    if found.ceiling.value is not None:
        rules.append(RuledValue(found.ceiling.value, _("ceiling")))
    least = min([0.0, *(one for row in rows for one in (row.value, row.low) if one is not None)])
    start = math.floor(least * 5) / 5
    caption = found.caption
    label = _("Agreement")
    bands = [AxisBand(one.start, one.end, str(one.name)) for one in BANDS["krippendorff"].bands]
    on = chart.scale(start, 1)
    return _forest(rows, on, label, caption, digits=2, bands=bands, rules=rules)


def pairs(source: FigureSource) -> Chart:
    """Draw κ of every pair of annotators."""
    found = agreement.RoundAgreement(source.read(AgreementFigure), source.labels)
    if not found.triangle:
        raise NothingDrawn
    rows = [
        (label, [_square(one.value, one.n, one.shade) for one in squares])
        for label, squares in found.triangle
    ]
    return chart.heat(found.columns, rows, label=_("Pairs of annotators"))


def disputes_of(source: FigureSource) -> Chart:
    """Draw how often each annotator stands alone, by capability."""
    found = Disputes(source.read(DisputesFigure), source.labels)
    if found.is_empty:
        raise NothingDrawn
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
    return chart.heat([_("All"), *found.columns], rows, label=_("Who is in dispute?"))


def questions(source: FigureSource) -> Chart:
    """Draw the questions most in dispute."""
    found = Disputes(source.read(DisputesFigure), source.labels)
    rows = [
        ForestRow(
            one.question,
            None if one.normalised is None else float(one.normalised),
            note=f"n {one.n_raters}",
        )
        for one in found.questions
    ]
    on, label = chart.scale(0, 1), _("Questions in dispute")
    return _forest(rows, on, label, _("C(k) per system"), digits=2)


def _raters(source: FigureSource) -> Raters:
    return Raters(source.read(RatersFigure), source.labels, source.names)


def severity(source: FigureSource) -> Chart:
    """Draw how severe each annotator is."""
    found = _raters(source)
    rows = [
        ForestRow(
            one.label,
            one.row.severity,
            one.row.low,
            one.row.high,
            f"n {one.row.n_grades}",
        )
        for one in found.severities
    ]
    on = chart.scale(-found.axis, found.axis)
    caption = _("Severity in logits: mild left, severe right")
    rules = [RuledValue(0, _("average"))]
    return _forest(rows, on, _("Who is severe?"), caption, digits=2, rules=rules)


def position(source: FigureSource) -> Chart:
    """Draw the mean mark by position."""
    found = _raters(source)
    rows = [
        ForestRow(one.label, *one.row.in_points, f"n {one.row.n_grades}") for one in found.positions
    ]
    on = chart.scale(-found.reach, found.reach)
    caption = _("Points around the page mean")
    return _forest(rows, on, _("Position effect"), caption, rules=[RuledValue(0, _("no effect"))])


def pace(source: FigureSource) -> Chart:
    """Draw active seconds a question, with the middle half of them."""
    found = _raters(source)
    rows: list[ForestRow] = []
    for part, paces in found.paces:
        for name, one in zip(found.pace_columns, paces, strict=True):
            if one:
                head = "" if part in {row.head for row in rows} else part
                rows.append(
                    ForestRow(name, one.median, one.low, one.high, f"n {one.n_seats}", head=head)
                )
    most = max((row.high for row in rows if row.high), default=1) or 1
    caption = _("Seconds a question: median and middle half")
    on = chart.scale(0, most)
    return _forest(rows, on, _("Pace"), caption, digits=0)


def tempo(source: FigureSource) -> Chart:
    """Draw each annotator's usual time of a question against how often they stand alone."""
    found = _raters(source).tempos
    known = [(one, alone) for one in found if (alone := percent(one.row.alone)) is not None]
    if not known:
        raise NothingDrawn
    dots = [Dot(one.row.seconds, alone, None, name=one.label) for one, alone in known]
    across = chart.scale(0, 1.15 * max(dot.x for dot in dots))
    up = chart.scale(0, max(5.0, 1.15 * max(dot.y for dot in dots)))
    titles = (
        _("Across: active seconds a question, median"),
        _("Upwards: stands alone (%)"),
    )
    label = _("Time and disputes")
    return chart.cloud(dots, across, up, label=label, titles=titles)


def curve(source: FigureSource) -> Chart:
    """Draw how intervals narrow with the number of questions."""
    plan = plans.NextRoundPlan(source.read(PlanFigure), source.names)
    courses = [
        SystemCourse(
            one.name.text,
            one.name.mark,
            [Point(n, width) for n, width in one.points],
            one.n_questions,
        )
        for one in plan.courses
        if one.points
    ]
    if not courses:
        raise NothingDrawn
    most = max(point.value for one in courses for point in one.points)
    return chart.courses(
        courses,
        label=_("Do more questions help?"),
        caption=_("Questions; marker: this round")
        + ". "
        + _("Upwards: width of the interval (points)"),
        up=chart.scale(0, 1.05 * max(most, plan.width)),
        rules=[
            RuledValue(plan.width, _("enough: %(points)s points") % {"points": f"{plan.width:g}"})
        ],
    )


PICTURES: Mapping[str, PlotKind] = {
    "scores": PlotKind(results.FIGURE, scores),
    "labels": PlotKind(results.FIGURE, label_shares),
    "strengths": PlotKind(PREFERENCES, strengths),
    "agreement": PlotKind(agreement.FIGURE, agreement_of),
    "pairs": PlotKind(agreement.FIGURE, pairs),
    "disputes": PlotKind(disputes.FIGURE, disputes_of),
    "questions": PlotKind(disputes.FIGURE, questions),
    "severity": PlotKind(raters.FIGURE, severity),
    "position": PlotKind(raters.FIGURE, position),
    "pace": PlotKind(raters.FIGURE, pace),
    "tempo": PlotKind(raters.FIGURE, tempo),
    "curve": PlotKind(plans.FIGURE, curve),
}


def _forest(
    rows: Sequence[ForestRow],
    on: Axis,
    label: str,
    caption: str,
    *,
    digits: int = 1,
    bands: Sequence[AxisBand] = (),
    rules: Sequence[RuledValue] = (),
) -> Chart:
    if all(row.value is None for row in rows):
        raise NothingDrawn
    return chart.forest(
        rows, on, label=label, caption=caption, digits=digits, bands=bands, rules=rules
    )


def _square(value: float | None, n: int, shade: str) -> HeatSquare:
    return HeatSquare(ui.score(value, 2), n, int(shade[1:]) if shade != "few" else None)
