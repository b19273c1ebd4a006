"""Figures of judges beside people, as their pages show them: names in the place of keys.

* Judges beside each other, as their page shows them: correlations, and which agrees better with people.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.domains.models import Capability
from annotation.systems.models import Item
from scoring.beside import asked as judge_cells
from scoring.beside import options as judge_names
from scoring.beside.asked import Figure
from scoring.beside.options import LEVEL_NAMES, SIGNS, Options
from scoring.shown.names import Name
from scoring.shown.sheet import Sheet
from scoring.shown.wording import why, why_of_two

Data = Mapping[str, Any]
COEFFICIENTS = ("pearson", "spearman", "kendall_b", "kendall_c")
DEFINITIONS = {
    "mean_of_coefficients": gettext_lazy("mean of the coefficients"),
    "averaged_rating": gettext_lazy("coefficient of the averaged rating"),
}
#: What a judge may be used for: its words, and the look of their sign.
USES = {
    "person": (gettext_lazy("may stand in"), "ok"),
    "screen": (gettext_lazy("check a sample"), "warn"),
    "not": (gettext_lazy("do not use"), "bad"),
    "unclear": (gettext_lazy("cannot be told"), "muted"),
    "few": (gettext_lazy("too few"), "muted"),
}


@dataclass(frozen=True, slots=True)
class Line:
    """One judge: its coefficients on the criterion shown, its shift, what it did not score."""

    judge: int
    name: str
    is_judge: bool
    figures: Mapping[str, Figure]
    shift: Figure | None
    mae: float | None
    n_failed: int
    n: int
    own: str
    is_turned: bool

    @property
    def cells(self) -> list[Figure]:
        return [self.figures.get(one, Figure(None)) for one in COEFFICIENTS]


class Board:
    """The table of all judges at one level."""

    def __init__(self, data: Data, options: Options) -> None:
        assert options.choice is not None
        self.options, self.data = options, data
        self.level: str = data["level"]
        self.facts: Data = data["facts"]
        there = set(data["criteria"])
        self.criteria = [key for key in options.criteria if key in there]
        self.coefficient = options.choice.coefficient
        wanted = options.choice.criterion
        self.criterion = wanted if wanted in self.criteria else next(iter(self.criteria), "")

    @property
    def sign(self) -> str:
        return SIGNS[self.coefficient]

    @property
    def shown_criterion(self) -> str:
        return self.criterion_name(self.criterion)

    @property
    def criterion_names(self) -> list[str]:
        return [self.criterion_name(key) for key in self.criteria]

    @property
    def ceilings(self) -> list[Figure]:
        return [self.ceiling_of(key) for key in self.criteria]

    def criterion_name(self, key: str) -> str:
        return self.options.criteria.get(key, key)

    @cached_property
    def lines(self) -> list[Line]:
        """Return the judges on the criterion shown, those that agree best first."""
        made = [self._line(one) for one in self.data["judges"]]
        known = [one for one in made if one is not None]
        return sorted(known, key=self._height)

    def agreement_of(self, line: Line) -> Figure:
        """Return the chosen coefficient of a judge."""
        return line.figures.get(self.coefficient, Figure(None))

    def _height(self, line: Line) -> tuple[bool, float]:
        value = self.agreement_of(line).value
        return value is None, -(value or 0)

    def _line(self, judge: Data) -> Line | None:
        facts = next((one for one in judge["criteria"] if one["criterion"] == self.criterion), None)
        if facts is None:
            return None
        found = self._cells.get((judge["judge"], self.criterion), {})
        deviation = facts["deviation"]
        shift = None if deviation is None else judge_cells.estimate(deviation["shift"])
        machine = next(one for one in self.options.machines if one.rater_id == judge["judge"])
        return Line(
            judge=judge["judge"],
            name=self.options.name(judge["judge"]),
            is_judge=machine.rater.kind == "JUDGE",
            figures={key: judge_cells.of_cell(cell) for key, cell in found.items()},
            shift=shift,
            mae=None if deviation is None else deviation["mae"]["value"],
            n_failed=facts["n_failed"],
            n=next(iter(found.values()))["correlation"]["n_rows"] if found else 0,
            own=self.options.own.get(judge["judge"], {}).get(facts["own"], facts["own"]),
            is_turned=not facts["higher_is_better"],
        )

    @cached_property
    def _cells(self) -> dict[tuple[int, str], dict[str, Data]]:
        made: dict[tuple[int, str], dict[str, Data]] = {}
        for cell in self.data["table"]["cells"]:
            by = made.setdefault((cell["judge"], cell["criterion"]), {})
            by[cell["correlation"]["coefficient"]] = cell
        return made

    def figure(self, judge: int, criterion: str, coefficient: str) -> Figure | None:
        cell = self._cells.get((judge, criterion), {}).get(coefficient)
        return None if cell is None else judge_cells.of_cell(cell)

    @cached_property
    def ceiling(self) -> Figure:
        return self.ceiling_of(self.criterion)

    def ceiling_of(self, criterion: str) -> Figure:
        """Return how well each person agrees with the others: mean, lowest, highest."""
        found = self.data["table"]["ceilings"].get(criterion, [])
        for one in found:
            if one["coefficient"] == self.coefficient:
                return Figure(
                    one["value"], one["low"], one["high"], why(one["reason"]), n=one["n_raters"]
                )
        return Figure(None, why=_("No ceiling: people gave single marks."))

    @cached_property
    def layout(self) -> list[tuple[str, list[Figure | None], list[tuple[str, Figure]]]]:
        """Return rows as papers print them: each judge by criterion, then both overalls."""
        overall: dict[int, list[tuple[str, Figure]]] = {}
        for one in self.data["table"]["overall"]:
            if one["coefficient"] == self.coefficient:
                overall.setdefault(one["judge"], []).append(
                    (one["definition"], judge_cells.overall(one))
                )
        return [
            (
                self.options.name(judge["judge"]),
                [self.figure(judge["judge"], key, self.coefficient) for key in self.criteria],
                overall.get(judge["judge"], []),
            )
            for judge in self.data["judges"]
        ]

    @property
    def definitions(self) -> list[str]:
        found = {one["definition"]: None for one in self.data["table"]["overall"]}
        return [str(DEFINITIONS.get(one, one)) for one in found]

    @property
    def ties(self) -> list[tuple[str, int]]:
        """Return criteria in which people's means of systems are exactly equal somewhere."""
        found: Mapping[str, int] = self.data["table"]["ties"]
        return [(self.criterion_name(key), n) for key, n in found.items() if n]

    @cached_property
    def concordance(self) -> list[tuple[str, Data]]:
        return [
            (line.name, cell["correlation"])
            for line in self.lines
            if (cell := self._cells.get((line.judge, self.criterion), {}).get("kendall_b"))
        ]

    @property
    def turned(self) -> list[str]:
        """Return the judges for which lower is better here: their scores are turned round."""
        return [line.name for line in self.lines if line.is_turned]

    @property
    def few(self) -> int:
        """On how many questions the criterion shown rests, where that is too few to tell much."""
        shown = [found for (_, key), found in self._cells.items() if key == self.criterion]
        return judge_cells.few_questions(cell for found in shown for cell in found.values())

    @property
    def method(self) -> str:
        for cell in self.data["table"]["cells"]:
            if cell["correlation"]["coefficient"] == self.coefficient:
                return str(cell["correlation"]["method"])
        return ""

    @property
    def level_method(self) -> str:
        """Return how values are put together at this level, whatever the coefficient."""
        _name, _mark, said = self.method.partition("; ")
        return said

    @property
    def interval_method(self) -> str:
        for cell in self.data["table"]["cells"]:
            if cell["interval"] is not None:
                return str(cell["interval"]["method"])
        return ""


class Detail:
    """One judge and one criterion from every side."""

    def __init__(self, data: Data, options: Options) -> None:
        self.data, self.options = data, options
        self.coefficient: str = data["coefficient"]

    @property
    def criterion(self) -> str:
        return self.options.criteria.get(self.data["criterion"], self.data["criterion"])

    @property
    def winning(self) -> int:
        """How many people the judge may stand in for."""
        return sum(one["replaceable"] for one in self.data["alternative"]["people"])

    @cached_property
    def stands_in(self) -> list[dict[str, Any]]:
        """Return the judge against each person, who are told by their number."""
        people = (self.data["alternative"] or {"people": []})["people"]
        return [
            {**one, "number": number, "why": why(one["reason"])}
            for number, one in enumerate(people, 1)
        ]

    @property
    def alternative_why(self) -> str:
        return why(self.data["alternative"]["reason"])

    @property
    def pairwise(self) -> Mapping[str, Data]:
        found = self.data["pairwise"]
        return {
            "fitted": found["cross-fitted"],
            "flattered": found["in-sample"],
            "none": found["none"],
        }

    @property
    def confusion_rows(self) -> list[tuple[float, list[int]]]:
        found = self.data["confusion"]
        return list(zip(found["levels"], found["table"], strict=True))

    @property
    def sign(self) -> str:
        return SIGNS[self.coefficient]

    @cached_property
    def names(self) -> Mapping[int, Name]:
        """Return what systems are called; by numbers unless the names of all rounds are shown."""
        return judge_names.names(self.options)

    @cached_property
    def _capabilities(self) -> Mapping[int, str]:
        keys = [one["capability"] for one in self.data["parts"]]
        return dict(Capability.objects.filter(pk__in=keys).values_list("pk", "name"))

    def capability(self, key: int) -> str:
        return self._capabilities.get(key, "")

    def system(self, release: int) -> str:
        return judge_names.system(self.names, release)

    @property
    def with_people(self) -> Figure:
        return self._at("pooled")

    def _at(self, level: str) -> Figure:
        for one in self.data["levels"]:
            found = one["correlation"]
            if (found["level"], found["coefficient"]) == (level, self.coefficient):
                return judge_cells.of_cell(one)
        return Figure(None)

    @property
    def ceiling(self) -> Figure:
        return self._ceiling("pooled")

    def _ceiling(self, level: str) -> Figure:
        for one in self.data["ceilings"]:
            if (one["level"], one["coefficient"]) == (level, self.coefficient):
                return Figure(one["value"], one["low"], one["high"], why(one["reason"]))
        return Figure(None)

    @cached_property
    def levels(self) -> list[tuple[str, list[Figure], Figure]]:
        """Return each level with its four coefficients and the ceiling of the chosen one."""
        made = []
        for level in ("system", "item", "pooled"):
            rows = [
                judge_cells.of_cell(one)
                for coefficient in COEFFICIENTS
                for one in self.data["levels"]
                if (one["correlation"]["level"], one["correlation"]["coefficient"])
                == (level, coefficient)
            ]
            made.append((level, rows, self._ceiling(level)))
        return made

    @property
    def level_rows(self) -> list[tuple[str, list[Figure], Figure]]:
        """Return the levels by the names that pages give them."""
        return [(str(LEVEL_NAMES[level]), rows, top) for level, rows, top in self.levels]

    @property
    def few(self) -> int:
        return judge_cells.few_questions(self.data["levels"])

    @property
    def turned(self) -> list[str]:
        return [self.options.name(one) for one in self.data.get("turned", [])]

    @property
    def shift(self) -> Figure | None:
        found = self.data["deviation"]
        return None if found is None else judge_cells.estimate(found["shift"])

    @cached_property
    def parts(self) -> list[dict[str, Any]]:
        """Return the capabilities where people used the criterion, with what the judge is good for."""
        return [self._part(one) for one in self.data["parts"] if one["n"]]

    def _part(self, one: Data) -> dict[str, Any]:
        is_few = one["n_questions"] < judge_cells.FEW_QUESTIONS
        verdict = "few" if is_few else one["use"]
        words, kind = USES[verdict]
        name = self.capability(one["capability"])
        more = {"name": name, "verdict": verdict, "words": words, "kind": kind}
        return {**one, **more, "why": why(one["reason"])}

    @property
    def confusion_shades(self) -> list[tuple[float, list[tuple[int, float, str, bool]]]]:
        """Return people's levels by the judge's: how often, the share of the row, its shade, if equal."""
        made = []
        for place, (level, row) in enumerate(self.confusion_rows):
            whole = sum(row)
            shares = [n / whole if whole else 0.0 for n in row]
            cells = [
                (n, 100 * share, f"h{min(int(share * 5), 4)}", at == place)
                for at, (n, share) in enumerate(zip(row, shares, strict=True))
            ]
            made.append((level, cells))
        return made

    @cached_property
    def systems(self) -> list[dict[str, Any]]:
        return [{**one, "name": self.system(one["release"])} for one in self.data["systems"]]

    def apart(self, most: int) -> list[dict[str, Any]]:
        """Return the responses on which both lie farthest apart, with what their items are called."""
        rows = self.data["apart"][:most]
        known = Item.objects.in_bulk([one["item"] for one in rows])
        return [
            {
                **one,
                "name": self.system(one["release"]),
                "title": known[one["item"]].external_id if one["item"] in known else "",
            }
            for one in rows
        ]

    @property
    def order(self) -> Figure | None:
        """Return what the opposite order does to the readings; none where no order was turned."""
        found = (self.data.get("readings") or {}).get("order")
        return None if found is None else judge_cells.estimate(found["shift"])

    @cached_property
    def bias(self) -> list[tuple[str, Figure, str]]:
        """Return what may sway the judge: what, how much, and how to read it."""
        found = self.data["bias"]
        if found is None:
            return []
        made = [
            (
                _("Length, given people’s grades"),
                judge_cells.estimate(found["length"]["correlation"]),
                _("partial correlation; above 0 favours long answers"),
            ),
            (
                _("An answer twice as long"),
                judge_cells.estimate(found["length"]["slope"]),
                "",
            ),
            (
                _("Systems of its own family"),
                judge_cells.estimate(found["family"]["difference"]),
                "",
            ),
        ]
        if overall := found["length"].get("overall"):  # figures of before have none
            words = _("correlation; good answers may be longer")
            made.insert(0, (_("Length"), judge_cells.estimate(overall), words))
        for one in found["positions"]:
            title = _("Position %(number)s") % {"number": one["position"]}
            made.append((title, judge_cells.estimate(one["residual"]), ""))
        return made


@dataclass(frozen=True, slots=True)
class Test:
    """Whether two judges agree with people equally well: both correlations and the p of two tests."""

    left_name: str
    right_name: str
    left: float | None
    right: float | None
    difference: float | None
    permutation: Mapping[str, Any]
    williams: Mapping[str, Any]
    n: int

    @property
    def why(self) -> str:
        return why(self.permutation["reason"])

    @property
    def williams_why(self) -> str:
        return why(self.williams["reason"])


class Matrix:
    """Every two judges at one level on one criterion."""

    def __init__(self, data: Mapping[str, Any], options: Options) -> None:
        self.data, self.options = data, options
        self.coefficient: str = data["coefficient"]
        self.judges: list[int] = data["judges"]

    @property
    def sign(self) -> str:
        return SIGNS[self.coefficient]

    @property
    def criterion(self) -> str:
        return self.options.criteria.get(self.data["criterion"], self.data["criterion"])

    @property
    def turned(self) -> list[str]:
        """Return the judges for which lower is better here: their scores are turned round."""
        return [self.options.name(one) for one in self.data.get("turned", [])]

    @property
    def names(self) -> list[str]:
        return [self.options.name(one) for one in self.judges]

    @cached_property
    def _between(self) -> Mapping[tuple[int, int], Figure]:
        made: dict[tuple[int, int], Figure] = {}
        for one in self.data["between"]:
            found = one["correlation"]
            if found["coefficient"] == self.coefficient:
                figure = Figure(
                    found["value"], why=why_of_two(found["reason"]), p=found["p"], n=found["n"]
                )
                made[one["left"], one["right"]] = made[one["right"], one["left"]] = figure
        return made

    @cached_property
    def rows(self) -> list[tuple[str, list[Figure | None]]]:
        """Return each judge with its correlation with every judge; None with itself."""
        return [
            (self.options.name(left), [self._between.get((left, right)) for right in self.judges])
            for left in self.judges
        ]

    @cached_property
    def tests(self) -> list[Test]:
        """Return every two judges tested, those that differ most surely first."""
        made = [
            Test(
                left_name=self.options.name(one["left"]),
                right_name=self.options.name(one["right"]),
                left=one["permutation"]["left"],
                right=one["permutation"]["right"],
                difference=one["permutation"]["difference"],
                permutation=one["permutation"],
                williams=one["williams"],
                n=one["permutation"]["n"],
            )
            for one in self.data["compared"]
        ]
        return sorted(made, key=_surely)

    @property
    def methods(self) -> list[str]:
        """Return how the tests are made."""
        found = next(iter(self.tests), None)
        return [] if found is None else [found.permutation["method"], found.williams["method"]]


def matrix(data: Mapping[str, Any], options: Options) -> Sheet:
    """Return how every two judges correlate, by coefficient."""

    def rows() -> Iterator[tuple[object, ...]]:
        for one in data["between"]:
            found = one["correlation"]
            who = (options.name(one["left"]), options.name(one["right"]), data["level"])
            more = (found["value"], why(found["reason"]), found["p"], found["n"])
            yield (*who, found["coefficient"], *more)

    columns = ("left", "right", "level", "coefficient", "value", "why", "p", "n")
    return Sheet("matrix", columns, rows(), "judges with each other, whatever people say")


def tests(data: Mapping[str, Any], options: Options) -> Sheet:
    """Return which of two judges agrees better with people, by two tests."""
    found = Matrix(data, options)
    rows = (
        (
            one.left_name,
            one.right_name,
            data["level"],
            data["coefficient"],
            one.left,
            one.right,
            one.difference,
            one.permutation["p"],
            one.permutation["p_holm"],
            one.williams["p"],
            one.williams["p_holm"],
            one.why or one.williams_why,
            one.n,
        )
        for one in found.tests
    )
    columns = ("left", "right", "level", "coefficient", "left_with_people", "right_with_people")
    more = ("difference", "p", "p_holm", "williams_p", "williams_p_holm", "why", "n")
    return Sheet("tests", (*columns, *more), rows, "; ".join(found.methods))


def _surely(one: Test) -> tuple[bool, float]:
    p = one.permutation["p_holm"]
    return p is None, 0 if p is None else p
