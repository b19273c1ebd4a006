"""Scores by part, and the grades behind a cell, as tables that are downloaded."""

from collections.abc import Iterator

from annotation.queries.grade_table import GradeRow
from scoring.queries import cells, graded, results
from scoring.queries.breakdown import Breakdown
from scoring.queries.cut import Cut
from scoring.queries.exports import ITEMS, chunks, number
from scoring.queries.graded import Cell
from scoring.queries.results import Result
from scoring.queries.sheet import Sheet
from scoring.queries.sources import Source
from scoring.queries.wording import why

PARTS = (
    "figure",
    "part",
    "kind",
    "criterion",
    "difficulty",
    "area",
    "system",
    "percent",
    "low",
    "high",
    "exact",
    "grades",
    "questions",
    "annotators",
    "came",
    "wanted",
    "reason",
)
GRADES = (
    "item",
    "question",
    "capability",
    "difficulty",
    "area",
    "system",
    "release",
    "criterion",
    "scale_min",
    "scale_max",
    "annotator",
    "purpose",
    "occasion",
    "outcome",
    "value",
    "reason",
    "comment",
    "at",
    "active_ms",
)
RANKS = (
    "system",
    "percent",
    "rank_low",
    "rank_high",
    "first_in_percent",
    "better_than",
    "grades",
    "questions",
)
DIFFERENCES = (
    "of",
    "against",
    "points",
    "low",
    "high",
    "p",
    "p_holm",
    "clear",
    "questions",
    "questions_of_either",
    "grades",
    "grades_left_out",
    "missing",
    "reason",
)
SCORE = "Σ(mark − minimum) / Σ(top − minimum) × 100, intervals at 95 % over questions"


def convention(cut: Cut) -> str:
    """Return how scores were made: the weights of all capabilities, and what was filtered."""
    tree = cut.weights.tree
    titles = {str(pk): tree.by_key[pk].name for pk in tree.order}
    used = [f"{titles.get(key, key)} {weight}" for key, weight in cut.effective.items()]
    said = [SCORE, f"weights: {', '.join(used)}"]
    said += [f"{title}: {value}" for title, value in cut.said()]
    return "; ".join(said)


def parts(table: Breakdown, cut: Cut) -> Sheet:
    """Return a line for each figure × part × difficulty × area × system."""
    return Sheet("breakdown", PARTS, _parts(table), convention(cut))


def _parts(table: Breakdown) -> Iterator[tuple[object, ...]]:
    names = {name.release: name.text for name in table.names}
    for row in table.rows:
        if row["release"] not in names:
            continue
        titles = table.titles(row)
        value = row["value"]
        yield (
            row["figure"],
            titles["part"],
            "capability" if row["node"].startswith("c-") else "group",
            titles["criterion"],
            titles["difficulty"],
            titles["area"],
            names[row["release"]],
            None if value is None else 100 * value["value"],
            cells.hundredfold(row["low"]),
            cells.hundredfold(row["high"]),
            "" if value is None else f"{value['num']}/{value['den']}",
            row["n_grades"],
            row["n_questions"],
            row["n_raters"],
            row["came"],
            row["wanted"],
            why(row["reason"] or row["interval_reason"]),
        )


def ranks(source: Source) -> Sheet:
    """Return a line for each system: between which ranks it stands, and whom it is better than."""
    result = results.of(source.round, source.data, source.names)
    rows = (
        (
            line.name.text,
            line.overall.value,
            line.standing.low,
            line.standing.high,
            line.standing.best,
            "; ".join(other.text for other in line.better),
            line.overall.n_grades,
            line.overall.n_questions,
        )
        for line in result.headline
    )
    return Sheet("ranks", RANKS, rows, source.data["ranks"]["method"])


def differences(source: Source) -> Sheet:
    """Return a line for each pair of systems, overall and in points of percent."""
    result = results.of(source.round, source.data, source.names)
    return Sheet("differences", DIFFERENCES, _differences(result), source.data["ranks"]["method"])


def _differences(result: Result) -> Iterator[tuple[object, ...]]:
    for gap in result.gaps:
        yield (
            gap.left.text,
            gap.right.text,
            gap.value,
            gap.low,
            gap.high,
            gap.p_alone,
            gap.p,
            gap.is_clear,
            gap.n_questions,
            gap.n_either,
            gap.n_pairs,
            gap.n_left_out,
            "; ".join(gap.missing),
            gap.why,
        )


def grades(cell: Cell, *, with_people: bool) -> Sheet:
    """Return a line for each grade that a cell counts; annotators by number unless one may know."""
    return Sheet("grades", GRADES, _grades(cell, with_people=with_people), convention(cell.cut))


def _grades(cell: Cell, *, with_people: bool) -> Iterator[tuple[object, ...]]:
    people = graded.people(cell.cut) if with_people else {}
    items = graded.items(cell).order_by("ordinal").values_list("item_id", flat=True)
    for some in chunks(dict.fromkeys(items), ITEMS):
        for row in graded.counted(cell, some):
            yield _grade(
                row, cell, people.get(row.rater.pk) or graded.annotator(row, cell.cut.labels)
            )


def _grade(row: GradeRow, cell: Cell, annotator: str) -> tuple[object, ...]:
    name = cell.names[row.release.pk]
    return (
        row.item.external_id,
        row.item.group,
        row.item.capability,
        row.item.difficulty,
        row.item.domain,
        name.system,
        name.label,
        row.criterion.key,
        number(row.criterion.scale_min),
        number(row.criterion.scale_max),
        annotator,
        row.seat.purpose,
        row.seat.occasion,
        row.outcome,
        number(row.value),
        row.reason,
        row.comment,
        row.at.isoformat() if row.at else "",
        row.active_ms,
    )
