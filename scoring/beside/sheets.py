"""Tables of judges beside people: what their pages show, a row a figure, for files and programs."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scoring.beside import board as judge_matrix
from scoring.beside import fewer as judge_fewer
from scoring.beside import mixing as judge_together
from scoring.beside import pictures
from scoring.beside.asked import Figure
from scoring.beside.board import COEFFICIENTS, Board, Detail
from scoring.beside.options import Options
from scoring.charts.svg import Drawing
from scoring.shown.sheet import Sheet

Data = Mapping[str, Any]
Row = tuple[object, ...]
BOUNDS = ("value", "low", "high", "why")
MOST_APART = 200


@dataclass(frozen=True, slots=True)
class Table:
    """A table and the figure that it is made of."""

    figure: str
    make: Callable[[Data, Options], Sheet]


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot and the figure that it is made of."""

    figure: str
    make: Callable[[Data, Options], Drawing]


def coefficients(data: Data, options: Options) -> Sheet:
    """Return every judge, criterion and coefficient at one level, with the ceiling of people."""
    board = Board(data, options)

    def rows() -> Iterator[Row]:
        for judge in data["judges"]:
            who = options.name(judge["judge"])
            for facts in judge["criteria"]:
                key = facts["criterion"]
                named = (who, board.criterion_name(key), facts["own"], data["level"])
                for one in COEFFICIENTS:
                    found = board.figure(judge["judge"], key, one)
                    if found is not None:
                        more = (found.p, found.n, facts["n_failed"])
                        yield (*named, one, *_bounds(found), *more)

    columns = ("judge", "criterion", "own_criterion", "level", "coefficient", *BOUNDS, "p", "n")
    ways = ("the coefficient that the row names", board.level_method, board.interval_method)
    said = "; ".join(way for way in ways if way)
    return Sheet("coefficients", (*columns, "without_score"), rows(), said)


def shifts(data: Data, options: Options) -> Sheet:
    """Return how much kinder than people each judge is, on the people's scale."""
    board = Board(data, options)

    def rows() -> Iterator[Row]:
        for judge in data["judges"]:
            for facts in judge["criteria"]:
                who = (options.name(judge["judge"]), board.criterion_name(facts["criterion"]))
                found = facts["deviation"]
                if found is None:
                    yield (*who, None, None, None, None)
                    continue
                shift = found["shift"]
                yield (*who, shift["value"], shift["low"], shift["high"], found["mae"]["value"])

    columns = ("judge", "criterion", "shift", "low", "high", "mean_distance")
    said = "judge minus people on the people's scale; empty where the judge's range is open"
    return Sheet("shifts", columns, rows(), said)


def overall(data: Data, options: Options) -> Sheet:
    """Return both definitions of overall, each named."""
    rows = (
        (
            options.name(one["judge"]),
            one["definition"],
            data["level"],
            one["coefficient"],
            one["value"],
            one["low"],
            one["high"],
            one["n"],
        )
        for one in data["table"]["overall"]
    )
    columns = ("judge", "definition", "level", "coefficient", "value", "low", "high", "n")
    return Sheet("overall", columns, rows, "two definitions of overall, never mixed")


def ceilings(data: Data, options: Options) -> Sheet:
    """Return how well people agree with each other, by criterion and coefficient."""
    names = options.criteria
    rows = (
        (
            names.get(key, key),
            one["coefficient"],
            one["value"],
            one["low"],
            one["high"],
            one["n_raters"],
        )
        for key, found in data["table"]["ceilings"].items()
        for one in found
    )
    said = "each person with the mean of the others: mean, lowest and highest"
    columns = ("criterion", "coefficient", "value", "lowest", "highest", "people")
    return Sheet("ceilings", columns, rows, said)


def levels(data: Data, options: Options) -> Sheet:
    """Return one judge at every level, with the ceiling of the chosen coefficient."""
    detail = Detail(data, options)
    rows = (
        (level, sign, *_bounds(found), found.p, found.n)
        for level, figures, _ceiling in detail.levels
        for sign, found in zip(COEFFICIENTS, figures, strict=True)
    )
    said = "intervals resample systems and questions"
    return Sheet("levels", ("level", "coefficient", *BOUNDS, "p", "n"), rows, said)


def capabilities(data: Data, options: Options) -> Sheet:
    """Return what one judge may be used for by capability."""
    detail = Detail(data, options)
    rows = (
        (
            one["name"],
            one["value"],
            one["low"],
            one["high"],
            one["why"],
            one["people"],
            one["n"],
            one["use"],
        )
        for one in detail.parts
    )
    columns = ("capability", *BOUNDS, "people", "n", "use")
    return Sheet("capabilities", columns, rows, f"{detail.coefficient} over all responses")


def stands_in(data: Data, options: Options) -> Sheet:
    """Return one judge against each person whom it might stand in for."""
    fields = ("number", "n", "n_questions", "judge_wins", "person_wins", "p", "replaceable", "why")
    rows = (tuple(one[field] for field in fields) for one in Detail(data, options).stands_in)
    columns = ("person", "n", "questions", *fields[3:])
    return Sheet("stands_in", columns, rows, (data["alternative"] or {}).get("method", ""))


def systems(data: Data, options: Options) -> Sheet:
    """Return the means of people and of one judge by system."""
    rows = (
        (one["name"], one["human"], one["judge"], one["shift"], one["n"])
        for one in Detail(data, options).systems
    )
    said = "means over responses that both sides marked; shift on the people's scale"
    return Sheet("systems", ("system", "people", "judge", "shift", "n"), rows, said)


def sway(data: Data, options: Options) -> Sheet:
    """Return what may sway one judge."""
    rows = ((name, *_bounds(found), said) for name, found, said in Detail(data, options).bias)
    said = "judge minus people, as shares of their scales, within the question"
    return Sheet("sway", ("what", *BOUNDS, "meaning"), rows, said)


def disagreements(data: Data, options: Options) -> Sheet:
    """Return the responses on which one judge and people lie farthest apart."""
    rows = (
        (one["title"], one["name"], one["human"], one["n_marks"], one["judge"], one["gap"])
        for one in Detail(data, options).apart(MOST_APART)
    )
    said = "gap: judge minus people, as a share of the scale"
    columns = ("item", "system", "people", "marks", "judge", "gap")
    return Sheet("disagreements", columns, rows, said)


TABLES: Mapping[str, Table] = {
    "coefficients": Table("judges", coefficients),
    "shifts": Table("judges", shifts),
    "overall": Table("judges", overall),
    "ceilings": Table("judges", ceilings),
    "matrix": Table("judge_pairs", judge_matrix.matrix),
    "tests": Table("judge_pairs", judge_matrix.tests),
    "levels": Table("judge", levels),
    "capabilities": Table("judge", capabilities),
    "stands_in": Table("judge", stands_in),
    "systems": Table("judge", systems),
    "sway": Table("judge", sway),
    "disagreements": Table("judge", disagreements),
    "mixes": Table("judge_mixes", judge_together.mixes),
    "weights": Table("judge_mixes", judge_together.weights),
    "powered": Table("powered", judge_fewer.powered),
    "apart": Table("judge_apart", pictures.apart),
}
PLOTS: Mapping[str, Plot] = {
    "judges": Plot("judges", lambda data, of: pictures.judges(Board(data, of), False)),
    "cloud": Plot("judge", lambda data, of: pictures.cloud(Detail(data, of), False)),
    "parts": Plot("judge", lambda data, of: pictures.parts(Detail(data, of), False)),
    "together": Plot(
        "judge_mixes",
        lambda data, of: judge_together.draw(judge_together.Together(data, of), False),
    ),
    "fewer": Plot("powered", lambda data, of: judge_fewer.draw(judge_fewer.Fewer(data, of), False)),
}


def _bounds(found: Figure) -> Row:
    return found.value, found.low, found.high, found.why
