"""Several judges made into one, as their page shows it: names in the place of keys."""

from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from functools import cached_property

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.beside import asked as judge_cells
from scoring.beside import pictures as judge_pictures
from scoring.beside.asked import ShownFigure
from scoring.beside.options import SIGNS, ToCompare
from scoring.beside.pictures import Forest
from scoring.beside.records import JudgeMix, JudgeWeight, MixesFigure, MixesOnCriterion, MixRow
from scoring.figures import typed
from scoring.shown.sheet import NothingDrawn
from scoring.shown.wording import why
from scoring.stats.told import COEFFICIENTS

MIXES = {
    "AVG": (gettext_lazy("AVG"), gettext_lazy("mean of all")),
    "Median": (gettext_lazy("Median"), gettext_lazy("median")),
    "LLMSel": (gettext_lazy("LLMSel"), gettext_lazy("mean of those ticked")),
    "CorrW": (gettext_lazy("CorrW"), gettext_lazy("weighted by agreement, cross-fitted")),
    "CorrW in-sample": (
        gettext_lazy("CorrW, in-sample"),
        gettext_lazy("weighted on these responses: flattered"),
    ),
}


@dataclass(frozen=True, slots=True)
class MixLine:
    """An aggregate or a single machine on one criterion; `within` is its mean over the folds."""

    name: str
    said: str
    is_mix: bool
    ticked: bool
    figure: ShownFigure
    within: float | None
    n: int
    n_incomplete: int


@dataclass(frozen=True, slots=True)
class FoldWeights:
    """The weights of one fold, or of all at once: a figure for each judge."""

    title: str
    n_train: int
    weights: tuple[float | None, ...]


class MixPart:
    """One criterion: aggregates first, then the machines they are made of."""

    def __init__(self, data: MixesOnCriterion, options: ToCompare, ticked: Collection[int]) -> None:
        assert options.choice is not None
        self.data, self.options, self.ticked = data, options, ticked
        self.key = data.criterion
        self.coefficient, self.level = options.choice.coefficient, options.choice.level

    @property
    def name(self) -> str:
        return self.options.criteria.get(self.key, self.key)

    @property
    def sign(self) -> str:
        return SIGNS[self.coefficient]

    @cached_property
    def lines(self) -> list[MixLine]:
        made = [self._line(row) for row in self.data.rows]
        alone = [one for one in made if not one.is_mix]
        return [*(one for one in made if one.is_mix), *sorted(alone, key=_height)]

    def _line(self, row: MixRow) -> MixLine:
        name, said = MIXES.get(row.name, ("", ""))
        judge = 0 if name else int(row.name)
        return MixLine(
            name=str(name) or self.options.name(judge),
            said=str(said),
            is_mix=bool(name),
            ticked=judge in self.ticked,
            figure=self.figure(row, self.coefficient),
            within=row.within_folds[self.coefficient],
            n=row.n,
            n_incomplete=row.n_incomplete,
        )

    def figure(self, row: MixRow, coefficient: str) -> ShownFigure:
        """Return a row's coefficient; where the aggregate itself is undefined, the reason of that."""
        found = judge_cells.of_coefficient(row.cells, coefficient)
        return found if row.reason is None else ShownFigure(None, why=why(row.reason), n=found.n)

    @property
    def ceiling(self) -> ShownFigure:
        """How well each person agrees with the others: mean, lowest, highest."""
        return judge_cells.ceiling(self.data.ceilings, self.coefficient, self.level)

    @property
    def turned(self) -> list[str]:
        return [self.options.name(one) for one in self.data.turned]

    @property
    def few(self) -> int:
        """On how many questions this rests, where that is too few to tell much."""
        return judge_cells.few_questions(one for row in self.data.rows for one in row.cells)

    @property
    def left_out(self) -> list[tuple[str, str]]:
        return [(self.options.name(one.judge), why(one.reason)) for one in self.data.left_out]

    @property
    def judges(self) -> list[str]:
        return [self.options.name(one) for one in self.data.assistants]

    @cached_property
    def weights(self) -> list[FoldWeights]:
        """Return the weights that were used, fold by fold, then those of everything at once."""
        found = [
            (_("Questions of fold %(n)d") % {"n": one.fold + 1}, one) for one in self.data.weights
        ]
        found += [(_("In-sample: all questions"), one) for one in self.data.in_sample]
        return [
            FoldWeights(
                title,
                one.n_train,
                tuple(one.by_assistant[str(judge)] for judge in self.data.assistants),
            )
            for title, one in found
        ]

    @property
    def mixes(self) -> Iterator[JudgeMix]:
        for row in self.data.rows:
            name = row.name if row.name in MIXES else self.options.name(int(row.name))
            for sign in COEFFICIENTS:
                yield JudgeMix(
                    criterion=self.name,
                    name=name,
                    method=row.method,
                    level=self.level,
                    coefficient=sign,
                    within_folds=row.within_folds[sign],
                    incomplete=row.n_incomplete,
                    **asdict(self.figure(row, sign)) | {"n": row.n},
                )

    @property
    def weight_rows(self) -> Iterator[JudgeWeight]:
        fitted = [("cross-fitted", one.fold + 1, one) for one in self.data.weights]
        for weighing, fold, one in [
            *fitted,
            *(("in-sample", None, one) for one in self.data.in_sample),
        ]:
            for judge, weight in one.by_assistant.items():
                who = self.options.name(int(judge))
                yield JudgeWeight(self.name, weighing, fold, one.n_train, who, weight)


class MixPage:
    """The page: the criterion chosen in full, all of them in a table."""

    def __init__(self, data: object, options: ToCompare) -> None:
        assert options.choice is not None
        self.data, self.options = typed.read_figure(MixesFigure, data), options
        self.facts, ticked = self.data.facts, self.data.alignment
        by_key = {one.criterion: one for one in self.data.criteria}
        known = [by_key[key] for key in options.criteria if key in by_key]
        self.parts = [MixPart(one, options, ticked.get(one.criterion, ())) for one in known]
        self._wanted = options.choice.criterion

    @cached_property
    def part(self) -> MixPart | None:
        found = (one for one in self.parts if one.key == self._wanted)
        return next(found, self.parts[0] if self.parts else None)

    @property
    def mixes(self) -> Iterator[JudgeMix]:
        """Yield every aggregate and machine, criterion and coefficient."""
        for part in self.parts:
            yield from part.mixes

    @property
    def weights(self) -> Iterator[JudgeWeight]:
        """Yield what each machine counted for in CorrW."""
        for part in self.parts:
            yield from part.weight_rows

    @cached_property
    def layout(self) -> list[tuple[str, list[ShownFigure | None]]]:
        """Return every aggregate and machine by criterion."""
        rows: dict[str, dict[str, ShownFigure]] = {}
        for part in self.parts:
            for line in part.lines:
                rows.setdefault(line.name, {})[part.key] = line.figure
        return [
            (name, [found.get(part.key) for part in self.parts]) for name, found in rows.items()
        ]


def ticks(options: ToCompare) -> list[tuple[str, list[tuple[str, str, bool] | None]]]:
    """Return for each chosen machine a box for each criterion: field, label, whether it is ticked.

    None stands where the machine has no such criterion.
    """
    choice = options.choice
    if choice is None:
        return []
    alignment = choice.extra.get("alignment", {})
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


def draw(part: MixPart) -> Forest:
    """Return the chosen criterion: aggregates, then machines, beside what people reach."""
    band = judge_pictures.people(part.ceiling)
    rows = [judge_pictures.JudgeForestRow(one.name, one.figure, band) for one in part.lines]
    return judge_pictures.agreement(rows, _("Judges together"))


def drawn(found: MixPage) -> str:
    """Return the chosen criterion as a file.

    Raises:
        NothingDrawn: no judge can be shown on it.
    """
    if found.part is None:
        raise NothingDrawn
    return draw(found.part).file()


def _height(one: MixLine) -> tuple[bool, float]:
    value = one.figure.value
    return value is None, -(value or 0)
