"""Several judges made into one, as their page shows it: names in the place of keys."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.beside import asked as judge_cells
from scoring.beside import board as judge_board
from scoring.beside import pictures as judge_pictures
from scoring.beside.asked import Figure
from scoring.beside.options import SIGNS, Options
from scoring.beside.pictures import Forest
from scoring.shown.sheet import NothingToDraw, Sheet
from scoring.shown.wording import why

Data = Mapping[str, Any]
MIXES = {
    "AVG": (gettext_lazy("AVG"), gettext_lazy("mean of all")),
    "LLMSel": (gettext_lazy("LLMSel"), gettext_lazy("mean of those ticked")),
    "CorrW": (gettext_lazy("CorrW"), gettext_lazy("weighted by agreement, cross-fitted")),
    "CorrW in-sample": (
        gettext_lazy("CorrW, in-sample"),
        gettext_lazy("weighted on these very responses: flattered"),
    ),
}


@dataclass(frozen=True, slots=True)
class Line:
    """An aggregate or a single machine on one criterion; `within` is its mean over the folds."""

    name: str
    said: str
    is_mix: bool
    ticked: bool
    figure: Figure
    within: float | None
    n: int
    n_incomplete: int


@dataclass(frozen=True, slots=True)
class Weighed:
    """The weights of one fold, or of all at once: a figure for each judge."""

    title: str
    n_train: int
    weights: tuple[float | None, ...]


class Part:
    """One criterion: aggregates first, then the machines they are made of."""

    def __init__(self, data: Data, options: Options, alignment: Data) -> None:
        assert options.choice is not None
        self.data, self.options = data, options
        self.key: str = data["criterion"]
        self.coefficient = options.choice.coefficient
        self._ticked = set(alignment.get(self.key, ()))

    @property
    def name(self) -> str:
        return self.options.criteria.get(self.key, self.key)

    @property
    def sign(self) -> str:
        return SIGNS[self.coefficient]

    @cached_property
    def lines(self) -> list[Line]:
        made = [self._line(row) for row in self.data["rows"]]
        alone = [one for one in made if not one.is_mix]
        return [*(one for one in made if one.is_mix), *sorted(alone, key=_height)]

    def _line(self, row: Data) -> Line:
        name, said = MIXES.get(row["name"], ("", ""))
        judge = 0 if name else int(row["name"])
        return Line(
            name=str(name) or self.options.name(judge),
            said=str(said),
            is_mix=bool(name),
            ticked=judge in self._ticked,
            figure=self.figure(row, self.coefficient),
            within=row["within_folds"][self.coefficient],
            n=row["n"],
            n_incomplete=row["n_incomplete"],
        )

    def figure(self, row: Data, coefficient: str) -> Figure:
        """Return a row's coefficient; where the aggregate itself is undefined, the reason of that."""
        for cell in row["cells"]:
            if cell["correlation"]["coefficient"] == coefficient:
                found = judge_cells.of_cell(cell)
                if row["reason"] is None:
                    return found
                return Figure(None, why=why(row["reason"]), n=found.n)
        return Figure(None)

    @property
    def ceiling(self) -> Figure:
        """How well each person agrees with the others: mean, lowest, highest."""
        for one in self.data["ceilings"]:
            if one["coefficient"] == self.coefficient:
                found = one["value"], one["low"], one["high"]
                return Figure(*found, why=why(one["reason"]), n=one["n_raters"])
        return Figure(None)

    @property
    def turned(self) -> list[str]:
        return [self.options.name(one) for one in self.data["turned"]]

    @property
    def few(self) -> int:
        """On how many questions this rests, where that is too few to tell much."""
        return judge_cells.few_questions(one for row in self.data["rows"] for one in row["cells"])

    @property
    def left_out(self) -> list[tuple[str, str]]:
        return [
            (self.options.name(one["judge"]), why(one["reason"])) for one in self.data["left_out"]
        ]

    @property
    def judges(self) -> list[str]:
        return [self.options.name(one) for one in self.data["assistants"]]

    @cached_property
    def weights(self) -> list[Weighed]:
        """Return the weights that were used, fold by fold, then those of everything at once."""
        found = [
            (_("Questions of fold %(n)d") % {"n": one["fold"] + 1}, one)
            for one in self.data["weights"]
        ]
        found += [(_("In-sample: all questions"), one) for one in self.data["in_sample"]]
        return [
            Weighed(
                title,
                one["n_train"],
                tuple(one["by_assistant"][str(judge)] for judge in self.data["assistants"]),
            )
            for title, one in found
        ]


class Together:
    """The page: the criterion chosen in full, all of them in a table."""

    def __init__(self, data: Data, options: Options) -> None:
        assert options.choice is not None
        self.data, self.options = data, options
        self.facts: Data = data["facts"]
        by_key = {one["criterion"]: one for one in data["criteria"]}
        known = [by_key[key] for key in options.criteria if key in by_key]
        self.parts = [Part(one, options, data["alignment"]) for one in known]
        self._wanted = options.choice.criterion

    @cached_property
    def part(self) -> Part | None:
        found = (one for one in self.parts if one.key == self._wanted)
        return next(found, self.parts[0] if self.parts else None)

    @cached_property
    def layout(self) -> list[tuple[str, list[Figure | None]]]:
        """Return every aggregate and machine by criterion."""
        rows: dict[str, dict[str, Figure]] = {}
        for part in self.parts:
            for line in part.lines:
                rows.setdefault(line.name, {})[part.key] = line.figure
        return [
            (name, [found.get(part.key) for part in self.parts]) for name, found in rows.items()
        ]


def ticks(options: Options) -> list[tuple[str, list[tuple[str, str, bool] | None]]]:
    """Return for each chosen machine a box for each criterion: field, label, whether it is ticked.

    None stands where the machine has no such criterion.
    """
    choice = options.choice
    if choice is None:
        return []
    alignment: Data = choice.extra.get("alignment", {})
    made = []
    for judge in choice.judges:
        name = options.name(judge)
        boxes = [
            (f"align.{key}", f"{name}: {text}", judge in alignment.get(key, ()))
            if judge in choice.criteria.get(key, {})
            else None
            for key, text in options.criteria.items()
        ]
        made.append((str(judge), name, boxes))
    return made  # type: ignore[return-value]


def draw(part: Part) -> Forest:
    """Return the chosen criterion: aggregates, then machines, beside what people reach."""
    band = judge_pictures.people(part.ceiling)
    rows = [judge_pictures.Row(one.name, one.figure, band) for one in part.lines]
    return judge_pictures.agreement(rows, _("Judges together"))


def drawn(found: Together) -> str:
    """Return the chosen criterion as a file.

    Raises:
        NothingToDraw: no judge can be shown on it.
    """
    if found.part is None:
        raise NothingToDraw
    return draw(found.part).file()


def mixes(data: Data, options: Options) -> Sheet:
    """Return every aggregate and machine, criterion and coefficient."""
    assert options.choice is not None
    level = options.choice.level

    def rows() -> Iterator[tuple[object, ...]]:
        for part in Together(data, options).parts:
            for row in part.data["rows"]:
                name = row["name"] if row["name"] in MIXES else options.name(int(row["name"]))
                for sign in judge_board.COEFFICIENTS:
                    one = part.figure(row, sign)
                    bounds = (one.value, one.low, one.high, one.why)
                    more = (one.p, row["n"], row["within_folds"][sign], row["n_incomplete"])
                    yield (part.name, name, row["method"], level, sign, *bounds, *more)

    columns = ("criterion", "name", "method", "level", "coefficient", "value", "low", "high", "why")
    more = ("p", "n", "within_folds", "incomplete")
    said = (
        "intervals resample systems and questions and take weights as they were found; "
        f"within_folds: mean over {data['folds']} folds of questions"
    )
    return Sheet("mixes", (*columns, *more), rows(), said)


def weights(data: Data, options: Options) -> Sheet:
    """Return what each machine counted for in CorrW."""

    def rows() -> Iterator[tuple[object, ...]]:
        for part in Together(data, options).parts:
            for weighing, found in (("cross-fitted", "weights"), ("in-sample", "in_sample")):
                for one in part.data[found]:
                    for judge, weight in one["by_assistant"].items():
                        fold = one["fold"] + 1 if weighing == "cross-fitted" else None
                        who = options.name(int(judge))
                        yield (part.name, weighing, fold, one["n_train"], who, weight)

    columns = ("criterion", "weighing", "fold", "n_train", "judge", "weight")
    said = "correlation with people outside the fold, divided by the sum of their sizes"
    return Sheet("weights", columns, rows(), said)


def _height(one: Line) -> tuple[bool, float]:
    value = one.figure.value
    return value is None, -(value or 0)
