"""Tables of judges beside people: what their pages show, a row a figure, for files and programs."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evalsite.contract.shapes import Shape, answer, at, maybe, said, shape
from scoring.beside import board as judge_matrix
from scoring.beside import fewer as judge_fewer
from scoring.beside import mixing as judge_together
from scoring.beside import pictures
from scoring.beside.asked import Figure
from scoring.beside.board import COEFFICIENTS, Board, Detail
from scoring.beside.options import Options
from scoring.shown.sheet import Sheet

Data = Mapping[str, Any]
NUMBER = maybe(float)
INTERVAL = {"low": NUMBER, "high": NUMBER}
#: Of tables, as programs are told them too: their columns.
WHY = said(maybe(str), "Why there is no number, in words.")
SHOWN = {"level": str, "coefficient": str}
CORRELATION = {"value": NUMBER, **INTERVAL, "why": WHY, "p": NUMBER, "n": maybe(int)}
COEFFICIENT = shape(
    "JudgeCorrelation",
    judge=str,
    criterion=str,
    own_criterion=maybe(str),
    **SHOWN,
    **CORRELATION,
    without_score=maybe(int),
)
SHIFT = shape(
    "JudgeShift",
    judge=str,
    criterion=str,
    shift=at("shift.value", NUMBER),
    low=at("shift.low", NUMBER),
    high=at("shift.high", NUMBER),
    mean_distance=at("mae.value", NUMBER),
)
OVERALL = shape(
    "JudgeOverall",
    judge=str,
    definition=str,
    **SHOWN,
    value=NUMBER,
    **INTERVAL,
    n=maybe(int),
)
CEILING = shape(
    "PeopleCeiling",
    criterion=str,
    coefficient=str,
    value=NUMBER,
    lowest=at("low", NUMBER),
    highest=at("high", NUMBER),
    people=at("n_raters", maybe(int)),
)
LEVEL = shape("JudgeLevel", **SHOWN, **CORRELATION)
CAPABILITY = shape(
    "JudgeCapability",
    capability=at("name", str),
    value=NUMBER,
    **INTERVAL,
    why=WHY,
    people=NUMBER,
    n=maybe(int),
    use=maybe(str),
)
STANDS_IN = shape(
    "JudgeInTheirPlace",
    person=at("number", said(int, "Their place, from 1.")),
    n=int,
    questions=at("n_questions", int),
    judge_wins=NUMBER,
    person_wins=NUMBER,
    p=NUMBER,
    replaceable=bool,
    why=WHY,
)
SYSTEM = shape(
    "JudgeSystem",
    system=at("name", str),
    people=at("human", NUMBER),
    judge=NUMBER,
    shift=NUMBER,
    n=maybe(int),
)
SWAY = shape("JudgeSway", what=str, value=NUMBER, **INTERVAL, why=WHY, meaning=str)
GAP = shape(
    "Gap",
    item=at("title", str),
    system=str,
    people=at("human", NUMBER),
    marks=at("n_marks", int),
    judge=NUMBER,
    gap=NUMBER,
)
MOST_APART = 200


@dataclass(frozen=True, slots=True)
class Table:
    """A table and the figure that it is made of."""

    figure: str
    make: Callable[[Data, Options], Sheet]


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot as a file, and the figure that it is made of."""

    figure: str
    make: Callable[[Data, Options], str]


def table(name: str, of: Shape, rows: Iterable[Any], convention: str) -> Sheet:
    """Return rows as a table with a column for each field of their shape."""
    lines = (tuple(answer(of, one).values()) for one in rows)
    return Sheet(name, tuple(of.fields), lines, convention)


def coefficients(data: Data, options: Options) -> Sheet:
    """Return every judge, criterion and coefficient at one level, with the ceiling of people."""
    board = Board(data, options)

    def rows() -> Iterator[Data]:
        for judge in data["judges"]:
            for facts in judge["criteria"]:
                key = facts["criterion"]
                named = {
                    "judge": options.name(judge["judge"]),
                    "criterion": board.criterion_name(key),
                    "own_criterion": facts["own"],
                    "level": data["level"],
                    "without_score": facts["n_failed"],
                }
                for one in COEFFICIENTS:
                    found = board.figure(judge["judge"], key, one)
                    if found is not None:
                        yield {**named, "coefficient": one, **_figure(found)}

    ways = ("the coefficient that the row names", board.level_method, board.interval_method)
    return table("coefficients", COEFFICIENT, rows(), "; ".join(way for way in ways if way))


def shifts(data: Data, options: Options) -> Sheet:
    """Return how much kinder than people each judge is, on the people's scale."""
    board = Board(data, options)
    rows = (
        {
            "shift": None,
            "mae": None,
            **(facts["deviation"] or {}),
            "judge": options.name(judge["judge"]),
            "criterion": board.criterion_name(facts["criterion"]),
        }
        for judge in data["judges"]
        for facts in judge["criteria"]
    )
    said = "judge minus people on the people's scale; empty where the judge's range is open"
    return table("shifts", SHIFT, rows, said)


def overall(data: Data, options: Options) -> Sheet:
    """Return both definitions of overall, each named."""
    rows = (
        {**one, "judge": options.name(one["judge"]), "level": data["level"]}
        for one in data["table"]["overall"]
    )
    return table("overall", OVERALL, rows, "two definitions of overall, never mixed")


def ceilings(data: Data, options: Options) -> Sheet:
    """Return how well people agree with each other, by criterion and coefficient."""
    rows = (
        {**one, "criterion": options.criteria.get(key, key)}
        for key, found in data["table"]["ceilings"].items()
        for one in found
    )
    said = "each person with the mean of the others: mean, lowest and highest"
    return table("ceilings", CEILING, rows, said)


def levels(data: Data, options: Options) -> Sheet:
    """Return one judge at every level, with the ceiling of the chosen coefficient."""
    rows = (
        {"level": level, "coefficient": sign, **_figure(found)}
        for level, figures, _ceiling in Detail(data, options).levels
        for sign, found in zip(COEFFICIENTS, figures, strict=True)
    )
    return table("levels", LEVEL, rows, "intervals resample systems and questions")


def capabilities(data: Data, options: Options) -> Sheet:
    """Return what one judge may be used for by capability."""
    detail = Detail(data, options)
    said = f"{detail.coefficient} over all responses"
    return table("capabilities", CAPABILITY, detail.parts, said)


def stands_in(data: Data, options: Options) -> Sheet:
    """Return one judge against each person whom it might stand in for."""
    said = (data["alternative"] or {}).get("method", "")
    return table("stands_in", STANDS_IN, Detail(data, options).stands_in, said)


def systems(data: Data, options: Options) -> Sheet:
    """Return the means of people and of one judge by system."""
    said = "means over responses that both sides marked; shift on the people's scale"
    return table("systems", SYSTEM, Detail(data, options).systems, said)


def sway(data: Data, options: Options) -> Sheet:
    """Return what may sway one judge."""
    rows = (
        {"what": name, **_figure(found), "meaning": said}
        for name, found, said in Detail(data, options).bias
    )
    said = "judge minus people, as shares of their scales, within the question"
    return table("sway", SWAY, rows, said)


def disagreements(data: Data, options: Options) -> Sheet:
    """Return the responses on which one judge and people lie farthest apart."""
    rows = ({**one, "system": one["name"]} for one in Detail(data, options).apart(MOST_APART))
    return table("disagreements", GAP, rows, "gap: judge minus people, as a share of the scale")


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
    "judges": Plot("judges", lambda data, of: pictures.judges(Board(data, of)).file()),
    "cloud": Plot("judge", lambda data, of: pictures.cloud_file(Detail(data, of))),
    "parts": Plot("judge", lambda data, of: pictures.parts(Detail(data, of)).file()),
    "together": Plot(
        "judge_mixes", lambda data, of: judge_together.drawn(judge_together.Together(data, of))
    ),
    "fewer": Plot("powered", lambda data, of: judge_fewer.draw(judge_fewer.Fewer(data, of)).file()),
}


def _figure(found: Figure) -> dict[str, Any]:
    names = ("value", "low", "high", "why", "p", "n")
    return {name: getattr(found, name) for name in names}
