"""Tables of judges beside people: what their pages show, a row a figure, for files and programs."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from scoring.beside import mixing as judge_together
from scoring.beside import pictures
from scoring.beside.board import Detail, JudgeBoard, JudgeMatrix
from scoring.beside.fewer import Fewer, draw
from scoring.beside.mixing import MixPage
from scoring.beside.options import ToCompare
from scoring.beside.pictures import Gaps
from scoring.beside.records import (
    JudgeCapability,
    JudgeCorrelation,
    JudgeGap,
    JudgeInTheirPlace,
    JudgeKappa,
    JudgeLabel,
    JudgeLevel,
    JudgeMix,
    JudgeOverall,
    JudgePair,
    JudgePairTest,
    JudgeShift,
    JudgeSway,
    JudgeSystem,
    JudgeWeight,
    PeopleCeiling,
    PoweredMean,
)
from scoring.figures import typed
from scoring.shown.sheet import Sheet

#: How a figure is read for whoever is shown it.
VIEWS: Mapping[str, Callable[[Any, ToCompare], Any]] = {
    "judges": JudgeBoard,
    "judge": Detail,
    "judge_pairs": JudgeMatrix,
    "judge_mixes": MixPage,
    "powered": Fewer,
    "judge_apart": Gaps,
}


@dataclass(frozen=True, slots=True)
class FigureTable:
    """A table of a figure: the type of its rows, how a view makes them, and the convention they follow."""

    figure: str
    kind: type[Any]
    rows: Callable[[Any], Iterable[Any]]
    convention: str | Callable[[Any], str]

    def make(self, data: object, options: ToCompare) -> Sheet:
        return self.of(VIEWS[self.figure](data, options))

    def of(self, view: Any) -> Sheet:
        said = self.convention if isinstance(self.convention, str) else self.convention(view)
        return typed.rows(self.figure, self.kind, self.rows(view), said)


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot as a file, and the figure that it is made of."""

    figure: str
    draw: Callable[[Any], str]

    def make(self, data: object, options: ToCompare) -> str:
        return self.draw(VIEWS[self.figure](data, options))


GAP = "gap: judge minus people, as a share of the scale"
TABLES: Mapping[str, FigureTable] = {
    "coefficients": FigureTable(
        "judges", JudgeCorrelation, lambda of: of.coefficient_rows, lambda of: of.convention
    ),
    "shifts": FigureTable(
        "judges",
        JudgeShift,
        lambda of: of.shift_rows,
        "judge minus people on the people's scale; empty where the judge's range is open",
    ),
    "overall": FigureTable(
        "judges",
        JudgeOverall,
        lambda of: of.overall_rows,
        "two definitions of overall, never mixed",
    ),
    "labels": FigureTable(
        "judges",
        JudgeLabel,
        lambda of: of.label_rows,
        "a judge's label beside the one that most people gave the response",
    ),
    "kappas": FigureTable(
        "judges",
        JudgeKappa,
        lambda of: of.kappa_rows,
        "Cohen's kappa without weights; intervals resample questions",
    ),
    "ceilings": FigureTable(
        "judges",
        PeopleCeiling,
        lambda of: of.ceiling_rows,
        "each person with the mean of the others: mean, lowest and highest",
    ),
    "matrix": FigureTable(
        "judge_pairs",
        JudgePair,
        lambda of: of.pairs,
        "judges with each other, whatever people say",
    ),
    "tests": FigureTable(
        "judge_pairs", JudgePairTest, lambda of: of.tests, lambda of: "; ".join(of.methods)
    ),
    "levels": FigureTable(
        "judge",
        JudgeLevel,
        lambda of: of.level_table,
        "intervals resample systems and questions",
    ),
    "capabilities": FigureTable(
        "judge",
        JudgeCapability,
        lambda of: of.parts,
        lambda of: f"{of.coefficient} over all responses",
    ),
    "stands_in": FigureTable(
        "judge", JudgeInTheirPlace, lambda of: of.stands_in, lambda of: of.standing_in_method
    ),
    "systems": FigureTable(
        "judge",
        JudgeSystem,
        lambda of: of.systems,
        "means over responses that both sides marked; shift on the people's scale",
    ),
    "sway": FigureTable(
        "judge",
        JudgeSway,
        lambda of: of.bias,
        "judge minus people, as shares of their scales, within the question",
    ),
    "disagreements": FigureTable("judge", JudgeGap, lambda of: of.apart(), GAP),
    "mixes": FigureTable(
        "judge_mixes",
        JudgeMix,
        lambda of: of.mixes,
        lambda of: (
            "intervals resample systems and questions and take weights as they were found; "
            f"within_folds: mean over {of.data.folds} folds of questions"
        ),
    ),
    "weights": FigureTable(
        "judge_mixes",
        JudgeWeight,
        lambda of: of.weights,
        "correlation with people outside the fold, divided by the sum of their sizes",
    ),
    "powered": FigureTable("powered", PoweredMean, lambda of: of.lines, lambda of: of.data.method),
    "apart": FigureTable("judge_apart", JudgeGap, lambda of: of.all_lines, GAP),
}
PLOTS: Mapping[str, Plot] = {
    "judges": Plot("judges", lambda of: pictures.judges(of).file()),
    "cloud": Plot("judge", pictures.cloud_file),
    "parts": Plot("judge", lambda of: pictures.parts(of).file()),
    "together": Plot("judge_mixes", judge_together.drawn),
    "fewer": Plot("powered", lambda of: draw(of).file()),
}


def shapes(figure: str) -> dict[str, Any]:
    """Return the tables of a figure as programs are told them: their rows by column."""
    return {name: [typed.row(one.kind)] for name, one in TABLES.items() if one.figure == figure}
