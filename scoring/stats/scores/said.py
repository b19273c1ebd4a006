"""How plans, models and movements are said: what it takes to tell systems apart, what made a change.

The types of the figures that are stored, shown and told to programs. No pandas here.
"""

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from scoring.stats.told import Exact, Number, ReleaseKey, Told, Why

#: Exact where whole grades are counted, a number where it is estimated.
Share: TypeAlias = Exact | float
PLAIN = "The plain figure, as the scores of the round have it."


@dataclass(frozen=True, slots=True)
class PlanComponents:
    """Variances of a single paired difference, as shares of the scale; `cut` names negative ones."""

    question: float
    rater: float
    residual: float
    n_questions: int
    n_raters: int
    n_pairs: int
    n_differences: int
    cut: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Need:
    """The questions that so many annotators need."""

    n_raters: int
    n_questions: Annotated[int | None, Told("That find the difference.")]
    n_grades: Annotated[int | None, Told("Of each system.", column="grades_of_each_system")]
    n_equal: Annotated[
        int | None,
        Told("That show two equal systems to lie within it.", column="questions_to_show_equal"),
    ]
    reason: Why
    n_narrow: Annotated[
        int | None,
        Told(
            "Of preferences: that make a win rate's interval narrow enough.", "questions_for_width"
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class CurvePoint:
    n_questions: int
    width: float
    enough: bool


@dataclass(frozen=True, slots=True)
class WidthCurve:
    """How the interval of a system narrows with questions."""

    release: ReleaseKey
    n_questions: int
    points: tuple[CurvePoint, ...]
    n_enough: int | None
    reason: Why


@dataclass(frozen=True, slots=True)
class PlanFigure:
    delta: float
    power: float
    level: float
    components: PlanComponents | None
    needs: tuple[Need, ...]
    least_raters: int | None
    reason: Why
    width: float = 0.0
    curves: tuple[WidthCurve, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelSystem:
    """The mean of a system by the model, as a share, and how far it is from the plain figure."""

    release: ReleaseKey
    value: Annotated[float, Told(percent=True)]
    low: Annotated[float, Told(percent=True)]
    high: Annotated[float, Told(percent=True)]
    plain: Annotated[Number, Told(PLAIN, percent=True)] = None
    apart: Annotated[Number, Told(percent=True)] = None


@dataclass(frozen=True, slots=True)
class ModelDifference:
    """`left` minus `right` by the model, as a share, and how far it is from the plain figure."""

    left: Annotated[ReleaseKey, Told(column="of")]
    right: Annotated[ReleaseKey, Told(column="against")]
    value: Annotated[float, Told(percent=True)]
    low: Annotated[float, Told(percent=True)]
    high: Annotated[float, Told(percent=True)]
    plain: Annotated[Number, Told(PLAIN, percent=True)] = None
    apart: Annotated[Number, Told(percent=True)] = None


@dataclass(frozen=True, slots=True)
class ModelComponent:
    name: str
    variance: Annotated[
        Number, Told("Of marks as shares; null where it cannot be told from another part.")
    ]


@dataclass(frozen=True, slots=True)
class ModelFigure:
    systems: tuple[ModelSystem, ...]
    differences: tuple[ModelDifference, ...]
    components: tuple[ModelComponent, ...]
    converged: Annotated[bool, Told("Whether the fit came to an end; otherwise it is a guess.")]
    n_grades: int
    n_questions: int
    n_raters: int
    reason: Why


@dataclass(frozen=True, slots=True)
class WholeSystem:
    """The score of a system over all outputs that a round was drawn from, as a share."""

    release: ReleaseKey
    value: Annotated[Number, Told("By people’s grades alone, each by its chance.", percent=True)]
    low: Annotated[Number, Told(percent=True)]
    high: Annotated[Number, Told(percent=True)]
    helped: Annotated[Number, Told("With what machines said of all outputs.", percent=True)]
    helped_low: Annotated[Number, Told(percent=True)]
    helped_high: Annotated[Number, Told(percent=True)]
    trust: Annotated[Number, Told("λ, how far the machines count.", column="lambda")]
    plain: Annotated[Number, Told("The plain mean of the chosen outputs.", percent=True)]
    n_graded: int
    n_chosen: int
    n_frame: Annotated[int, Told("Outputs there were.", column="all")]
    n_unscored: Annotated[int, Told("Of these, of which machines said nothing.")]
    effective: Annotated[Number, Told("The sample size that unequal chances leave.")]
    reason: Why
    interval_reason: Why


@dataclass(frozen=True, slots=True)
class WholeDraw:
    """How the outputs were drawn: of how many, by which rule, and with which chances."""

    run: int | None
    run_name: str
    sort: str
    rule: str
    rule_label: str
    even: Annotated[int, Told("Percent of the draw that was spread evenly.")]
    seed: str
    n_chosen: int
    n_frame: int
    n_certain: Annotated[int, Told("Drawn whatever the lot.")]
    least_chance: Number
    greatest_chance: Number


@dataclass(frozen=True, slots=True)
class WholeFigure:
    drawn: WholeDraw | None
    systems: tuple[WholeSystem, ...]
    reason: Why


@dataclass(frozen=True, slots=True)
class Causes:
    """The score of both rounds and what made the change; null is what cannot be told apart."""

    before: Exact
    after: Exact
    change: Exact
    questions: Share | None
    responses: Share | None
    same_raters: Share | None
    other_raters: Share | None
    together: Annotated[Share | None, Told("Responses and same_raters in one.")]
    drift: Annotated[Exact | None, Told("How far apart the same annotators graded the same.")]
    reason: Why


@dataclass(frozen=True, slots=True)
class MovementScenario:
    """A kind of question graded by a kind of annotator: its share of the grades, and their mean."""

    questions: str
    raters: Annotated[str, Told("Whether annotators of both rounds, or of one.")]
    share_before: Exact
    share_after: Exact
    mean_before: Exact | None
    mean_after: Exact | None
