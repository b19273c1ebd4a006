"""Scores by part, and the grades behind a cell, as tables that are downloaded."""

from collections.abc import Iterator

from annotation.queries.grade_table import GradeRow
from scoring.queries import cells, graded
from scoring.queries.breakdown import Breakdown
from scoring.queries.cut import Cut
from scoring.queries.exports import ITEMS, chunks, number
from scoring.queries.graded import Cell
from scoring.queries.sheet import Sheet
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
