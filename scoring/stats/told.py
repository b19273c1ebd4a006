"""What the fields of a figure say of themselves, wherever the figure is made. No pandas here."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import BeforeValidator

from scoring.stats.plain import Reason


class Key(Enum):
    """What a value of the database stands for, or a word of the program."""

    RATER = "rater"
    RELEASE = "release"
    CAPABILITY = "capability"
    CRITERION = "criterion"
    REASON = "reason"


@dataclass(frozen=True, slots=True)
class Told:
    """What a field says of itself beyond its name and type.

    Attributes:
        words: a sentence on it in the API's document.
        column: its name in a table; "" where it stands in none; by default its name without `n_`.
        percent: whether tables have this share in points of percent.
        hidden: whether programs are not told it, as they could do nothing with it.
    """

    words: str = ""
    column: str | None = None
    percent: bool = False
    hidden: bool = False


def _exact(value: Any) -> Any:
    return Fraction(value["num"], value["den"]) if isinstance(value, Mapping) else value


Exact: TypeAlias = Annotated[Fraction, BeforeValidator(_exact)]
Number: TypeAlias = float | None
Coefficient = Literal["pearson", "spearman", "kendall_b", "kendall_c"]
COEFFICIENTS: tuple[Coefficient, ...] = get_args(Coefficient)
#: Keys are as the ratings have them: of rows of the database, or whatever else stands for somebody.
RaterKey: TypeAlias = Annotated[Any, Key.RATER]
ReleaseKey: TypeAlias = Annotated[Any, Key.RELEASE]
CapabilityKey: TypeAlias = Annotated[Any, Key.CAPABILITY]
#: The key of a criterion is a word of its rubric: programs are told it, tables have the name.
CriterionKey: TypeAlias = Annotated[str, Key.CRITERION]
Why: TypeAlias = Annotated[Reason | None, Key.REASON]
