"""What is set against what on the judge–human pages: people, judges, criteria, level. Loads no pandas."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast, get_args

Level = Literal["system", "item", "pooled"]
Coefficient = Literal["pearson", "spearman", "kendall_b", "kendall_c"]
LEVELS: tuple[Level, ...] = get_args(Level)
COEFFICIENTS: tuple[Coefficient, ...] = get_args(Coefficient)


class Unfit(ValueError):
    """A choice that cannot be read; the message says what and how to mend it."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One comparison.

    `rounds` are numbers of rounds, all of one project; `raters` patterns of names, empty for
    everybody; `judges` keys of raters. `criteria` maps a criterion of the people to what each judge
    calls it; a judge that is missing there has no such criterion.
    """

    rounds: tuple[int, ...]
    judges: tuple[int, ...]
    criteria: Mapping[str, Mapping[int, str]]
    raters: tuple[str, ...] = ()
    level: Level = "pooled"
    coefficient: Coefficient = "pearson"
    criterion: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)

    def params(self) -> dict[str, Any]:
        """Return the choice as plain data: what a figure is stored under."""
        return {
            "rounds": sorted(self.rounds),
            "judges": sorted(self.judges),
            "criteria": {
                name: {str(judge): key for judge, key in sorted(of.items())}
                for name, of in sorted(self.criteria.items())
            },
            "raters": sorted(self.raters),
            "level": self.level,
            "coefficient": self.coefficient,
            "criterion": self.criterion,
            **self.extra,
        }


def read(params: Mapping[str, Any]) -> Choice:
    """Return the choice that stored parameters say.

    Raises:
        Unfit: a level or coefficient is none, or no rounds or judges are named.
    """
    known = {"rounds", "judges", "criteria", "raters", "level", "coefficient", "criterion"}
    level, coefficient = params.get("level", "pooled"), params.get("coefficient", "pearson")
    if level not in LEVELS:
        raise Unfit(f"There is no level {level!r}. Choose one of: {', '.join(LEVELS)}.")
    if coefficient not in COEFFICIENTS:
        raise Unfit(
            f"There is no coefficient {coefficient!r}. Choose one of: {', '.join(COEFFICIENTS)}."
        )
    rounds = tuple(int(one) for one in params.get("rounds", ()))
    judges = tuple(int(one) for one in params.get("judges", ()))
    if not rounds:
        raise Unfit("Choose at least one round whose people the judges are compared with.")
    if not judges:
        raise Unfit("Choose at least one judge or metric.")
    return Choice(
        rounds=rounds,
        judges=judges,
        criteria={
            str(name): {int(judge): str(key) for judge, key in of.items()}
            for name, of in dict(params.get("criteria", {})).items()
        },
        raters=tuple(str(one) for one in params.get("raters", ())),
        level=cast("Level", level),
        coefficient=cast("Coefficient", coefficient),
        criterion=str(params.get("criterion", "")),
        extra={name: value for name, value in params.items() if name not in known},
    )


def matched(
    people: Mapping[str, str], judges: Mapping[int, Mapping[str, str]]
) -> dict[str, dict[int, str]]:
    """Return which of a judge's criteria probably means each of the people's.

    A judge with one criterion has it for all; otherwise keys or names must be equal but for case and
    signs, or one begin with the other.

    Args:
        people: names of criteria by key.
        judges: by key of the rater, names of its criteria by key.
    """
    made: dict[str, dict[int, str]] = {key: {} for key in people}
    for key, name in people.items():
        for judge, own in judges.items():
            if len(own) == 1:
                made[key][judge] = next(iter(own))
            elif (found := _like(key, name, own)) is not None:
                made[key][judge] = found
    return made


def _like(key: str, name: str, own: Mapping[str, str]) -> str | None:
    wanted = {_bare(key), _bare(name)}
    for other, called in own.items():
        if wanted & {_bare(other), _bare(called)}:
            return other
    for other, called in own.items():
        short = {_bare(other), _bare(called)}
        if any(_begins(a, b) for a in wanted for b in short):
            return other
    return None


def _bare(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def _begins(a: str, b: str) -> bool:
    least = 3  # coh is coherence; c is anything
    return min(len(a), len(b)) >= least and (a.startswith(b) or b.startswith(a))
