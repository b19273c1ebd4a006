"""The tables of a round that can be explored: which figure each needs, and its rows as plain values."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice
from typing import Any, TypeAlias

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.common import texts
from annotation.grading import facts as grade_table
from annotation.grading.facts import GradeRow
from annotation.rubrics.models import Criterion
from evalsite import errors
from evalsite.text import drawings
from scoring.beside import asked as beside
from scoring.beside import sheets as sheets_of_judges
from scoring.beside.options import BadChoice
from scoring.charts import svg
from scoring.figures import labels
from scoring.figures import operations as figures
from scoring.figures.labels import ReadRound
from scoring.figures.models import Figure
from scoring.results import asked, sheets
from scoring.results import cells as breakdown
from scoring.results import queries as results
from scoring.results.asked import Cut, FigureSource, Query
from scoring.results.queries import RoundResult
from scoring.shown.sheet import Sheet
from scoring.stats.claims import Claim

Make: TypeAlias = Callable[[Figure | None], Sheet]
#: A figure holds no more rows; the files hold all.
MOST_ROWS = 5_000
#: Questions whose scores are computed when the page is asked for.
MOST_QUESTIONS = 500
SCORES, BREAKDOWN, QUESTIONS, GRADES = "scores", "breakdown", "questions-by-system", "grades"
OF_JUDGES = {"judges": "coefficients", "judge-shifts": "shifts"}
TITLES: Mapping[str, Promise] = {
    SCORES: gettext_lazy("Scores by part"),
    BREAKDOWN: gettext_lazy("Breakdown"),
    QUESTIONS: gettext_lazy("Scores by question"),
    GRADES: gettext_lazy("Grades"),
    "differences": gettext_lazy("Differences between systems"),
    "ranks": gettext_lazy("Ranks"),
    "labels": gettext_lazy("Labels"),
    "label-differences": gettext_lazy("Labels: differences"),
    "label-disputes": gettext_lazy("Different labels"),
    "agreement": gettext_lazy("Agreement"),
    "pairs": gettext_lazy("Agreement of pairs of annotators"),
    "groups": gettext_lazy("Agreement of groups"),
    "group-differences": gettext_lazy("Differences between groups"),
    "without": gettext_lazy("Agreement without one annotator"),
    "marginals": gettext_lazy("Use of levels"),
    "disagreement": gettext_lazy("Ratio of disagreement"),
    "disputes": gettext_lazy("Annotators in dispute"),
    "questions": gettext_lazy("Questions in dispute"),
    "places": gettext_lazy("Responses in dispute"),
    "severity": gettext_lazy("Severity of annotators"),
    "group-severity": gettext_lazy("Severity of groups"),
    "fair": gettext_lazy("Fair scores"),
    "steady": gettext_lazy("Steadiness of annotators"),
    "position": gettext_lazy("Effect of position"),
    "pace": gettext_lazy("Pace by capability"),
    "tempo": gettext_lazy("Pace and disputes"),
    "plan": gettext_lazy("Annotators needed"),
    "curve": gettext_lazy("Width of the interval by number of questions"),
    "model": gettext_lazy("Model: systems"),
    "model-differences": gettext_lazy("Model: differences"),
    "model-parts": gettext_lazy("Model: sources of variance"),
    "whole": gettext_lazy("Scores of all outputs"),
    "judges": gettext_lazy("Judges vs people"),
    "judge-shifts": gettext_lazy("Bias of judges"),
}

#: Of a round of pairs: what its first table is, and which of the others it has.
OF_PAIRS: Mapping[str, Promise] = {
    "rates": gettext_lazy("Strength"),
    "rates-by-part": gettext_lazy("Strength by part"),
    "wins": gettext_lazy("Pair by pair"),
    "annotator-choices": gettext_lazy("How each annotator chose"),
    "grades-beside": gettext_lazy("Beside grades"),
    "system-pairs": gettext_lazy("Agreement by pair of systems"),
    **{
        name: TITLES[name]
        for name in (
            *("agreement", "pairs", "groups", "without", "marginals", "disagreement"),
            *("disputes", "questions", "places", "plan", "curve"),
        )
    },
}


def titles_of(mine: ReadRound) -> Mapping[str, Promise]:
    """Return the tables that a round has, the usual one first."""
    return OF_PAIRS if mine.round.of_pairs else TITLES


class NoJudges(errors.Conflict):
    """No judge of the round can be compared with its people; the message says why."""


@dataclass(frozen=True)
class Explored:
    """A table: the figure that it waits for, if any, and how its rows are made of it."""

    figure: Figure | None
    make: Make


@dataclass(frozen=True)
class ExploreRows:
    """The rows as a page holds them; `is_cut` says that there are more."""

    columns: tuple[str, ...]
    rows: list[list[Any]]
    convention: str
    is_cut: bool

    def is_number(self, column: str) -> bool:
        """Whether every value of a column that is not missing is a number, and one is there."""
        known = [value for value in self._of(column) if value is not None]
        return bool(known) and all(isinstance(value, int | float) for value in known)

    def _of(self, column: str) -> Iterator[Any]:
        at = self.columns.index(column)
        return (row[at] for row in self.rows)

    @property
    def numbers(self) -> list[str]:
        return [column for column in self.columns if self.is_number(column)]

    @property
    def words(self) -> list[str]:
        """Return the columns whose values are words, those that tell rows apart first."""
        known = [name for name in self.columns if name not in self.numbers and any(self._of(name))]
        return sorted(known, key=lambda name: len(set(map(str, self._of(name)))) < 2)

    @property
    def whiskers(self) -> dict[str, tuple[str, str]]:
        """Return by column those that hold the ends of its interval: `low` and `high` behind it."""
        at = self.columns.index("low") if "low" in self.columns else 0
        return {self.columns[at - 1]: ("low", "high")} if at and "high" in self.columns else {}


def explored(name: str, mine: ReadRound, query: Query, now: datetime) -> Explored:
    """Return a table of a round by its name in TITLES.

    Args:
        name: of the table.
        mine: who reads which round; systems go by numbers while their names are hidden.
        query: of the address: weights, filters and rules as on the pages of results.
        now: when a figure is asked for.

    Raises:
        BadCut, BadSetting: something that the address asks cannot be used.
        NoJudges: there is nobody to compare with people.
    """
    if name == QUESTIONS:
        return Explored(None, lambda _figure: _questions(mine))
    if name == GRADES:
        return Explored(None, lambda _figure: _grades(mine))
    if name in OF_JUDGES:
        return _judges(name, mine, now)
    if name in {SCORES, BREAKDOWN}:
        return _scores(name, asked.read_cut(mine, query), mine, now)
    kind = sheets.SHEETS[name]
    wish = asked.wish(kind.figure, mine, query)
    figure = figures.get(name=kind.figure, round_=mine.round, params=wish.params, now=now)
    return Explored(figure, lambda found: kind.make(_source(mine, found)))


def _scores(name: str, cut: Cut, mine: ReadRound, now: datetime) -> Explored:
    """Return the scores of a cut: of its parts, or of every cell of the breakdown."""
    if name == BREAKDOWN:
        params = breakdown.params(cut)
        figure = figures.get(name=breakdown.FIGURE, round_=mine.round, params=params, now=now)
        return Explored(
            figure, lambda found: sheets.parts(breakdown.Breakdown(_data(found), cut), cut)
        )
    figure = figures.get(name=results.FIGURE, round_=mine.round, params=cut.params, now=now)
    return Explored(figure, lambda found: _parts(cut.result(_data(found)), cut))


def _parts(result: RoundResult, cut: Cut) -> Sheet:
    """Return a line for each figure, part and system, with the interval of the widest claim."""
    rows = (
        (
            figure,
            part.title,
            part.below,
            name.text,
            cell.value,
            *(cell.these if result.claim is Claim.THESE else cell.others),
            cell.n_grades,
            cell.n_questions,
            cell.n_raters,
        )
        for figure in ("score", "accuracy")
        for part in result.parts(figure, criteria=True)
        for name, cell in zip(result.names, part.cells, strict=True)
    )
    columns = ("figure", "part", "criterion", "system", "percent", "low", "high", "grades")
    return Sheet(SCORES, (*columns, "questions", "annotators"), rows, sheets.convention(cut))


def _data(figure: Figure | None) -> Mapping[str, Any]:
    return (figure.data if figure else None) or {}


def _source(mine: ReadRound, figure: Figure | None) -> FigureSource:
    return FigureSource(mine.round, _data(figure), labels.labels_of(mine.round), mine.names)


def _judges(name: str, mine: ReadRound, now: datetime) -> Explored:
    """Return a table of all judges of the round beside its people."""
    try:
        options = beside.options("judges", mine.scope, QueryDict(f"round={mine.round.number}"))
    except BadChoice:  # the round is none of those that can be compared
        options = None
    if options is None or options.choice is None:
        raise NoJudges(_("No judge has graded this round yet, or its people have not."))
    kind = sheets_of_judges.TABLES[OF_JUDGES[name]]
    params = beside.params(kind.figure, options.choice)
    figure = figures.get(name=kind.figure, round_=mine.round, params=params, now=now)
    return Explored(figure, lambda found: kind.make(_data(found), options))


def rows_of(sheet: Sheet) -> ExploreRows:
    """Return the first rows of a sheet as plain values, numbers as numbers."""
    held = [[_plain(value) for value in row] for row in islice(sheet.rows, MOST_ROWS + 1)]
    return ExploreRows(sheet.columns, held[:MOST_ROWS], sheet.convention, len(held) > MOST_ROWS)


def _plain(value: object) -> Any:
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, int | str):
        return value
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return str(value)


def looks(mine: ReadRound) -> dict[str, dict[str, Any]]:
    """Return colour and sign of every system by what it is called, the same as on all pages."""
    return {
        name.text: {
            "colour": drawings.colour_of(name.mark),
            "symbol": svg.LIGHT.look(name.mark).symbol,
        }
        for name in mine.names.values()
    }


def _share(row: GradeRow) -> float | None:
    if row.criterion.mark in {Criterion.Mark.LABEL, Criterion.Mark.LABELS}:
        return None  # a label is no share of anything
    low, high = row.criterion.scale_min, row.criterion.scale_max
    if row.value is None or low is None or high is None or high == low:
        return None
    return float(100 * (row.value - low) / (high - low))


def _questions(mine: ReadRound) -> Sheet:
    """Return a line for each question and system: its mean mark as a share of the scale."""
    places = mine.round.items.order_by("ordinal").values_list("item_id", flat=True)
    items = list(dict.fromkeys(places[:MOST_QUESTIONS]))
    known = grade_table.facts([mine.round], items=items)
    found: dict[tuple[int, int], list[tuple[GradeRow, float]]] = {}
    for row in grade_table.rows_on(known, items):
        share = _share(row)
        if row.counts and share is not None and row.release.pk in mine.names:
            found.setdefault((row.item.pk, row.release.pk), []).append((row, share))
    columns = ("question", "capability", "difficulty", "area", "system", "score", "spread")
    rows = (
        (
            *_where(given[0][0]),
            mine.names[release].text,
            sum(share for _row, share in given) / len(given),
            max(share for _row, share in given) - min(share for _row, share in given),
            len(given),
        )
        for (_item, release), given in sorted(found.items())
    )
    said = "mean of (mark - minimum) / (top - minimum) x 100 over the grades that count"
    return Sheet(QUESTIONS, (*columns, "grades"), rows, said)


def _where(row: GradeRow) -> tuple[str, str, str, str]:
    return row.item.external_id, row.item.capability, row.item.difficulty, row.item.domain


def _grades(mine: ReadRound) -> Sheet:
    """Return a line for each grade that counts, annotators by number, oldest first."""
    known = grade_table.facts([mine.round])
    named = labels.labels_of(mine.round)

    def line(row: GradeRow) -> tuple[object, ...]:
        return (
            *_where(row),
            mine.names[row.release.pk].text,
            row.criterion.name,
            named.rater(row.rater.pk),
            "" if row.position is None else texts.letter(row.position),
            row.value,
            _share(row),
            None if row.active_ms is None else row.active_ms / 1000,
        )

    columns = ("question", "capability", "difficulty", "area", "system", "criterion", "annotator")
    counted = (row for row in grade_table.rows(known) if row.counts)
    rows = (line(row) for row in counted if row.release.pk in mine.names)
    said = "grades as given, the first time each, not late, not declared invalid, no gold questions"
    return Sheet(GRADES, (*columns, "position", "mark", "score", "seconds"), chain(rows), said)
