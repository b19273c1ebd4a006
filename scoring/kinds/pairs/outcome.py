"""What a judge of pairs came to: win rates, what sways it, how it agrees with people."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.grading import facts
from evalsite.templatetags import ui
from scoring.endpoints.models import Endpoint
from scoring.engine.models import Run
from scoring.outcomes import values
from scoring.outcomes.kinds import OutcomeChoice, OutcomeKind, n_ended, systems
from scoring.outcomes.values import (
    SURE,
    Column,
    Contender,
    Data,
    Estimate,
    Grid,
    Ranking,
    RunOutcome,
    Table,
    Words,
)
from scoring.shown.wording import listed, why

#: As a step's result says it (scoring.kinds.pairs.v1).
INCONSISTENT: Final = "INCONSISTENT"
AS_TIE, LEFT_OUT = "tie", "left_out"
CHOICES: Final = (
    OutcomeChoice(
        "inconsistent",
        gettext_lazy("Contradictions"),
        {AS_TIE: gettext_lazy("count as ties"), LEFT_OUT: gettext_lazy("are left out")},
    ),
    OutcomeChoice(
        "epsilon",
        "ε",
        {"0.2": "0.2", "0.15": "0.15", "0.1": "0.1"},
        is_main=False,
    ),
)
PARTS: Final = ("low", "high", "n", "reason")
#: What a figure calls each bias, and how it is told.
SWAYS: Final[Mapping[str, Words]] = {
    "contradicts": gettext_lazy("Contradicts itself"),
    "first": gettext_lazy("Chooses A"),
    "longer": gettext_lazy("Chooses the longer answer"),
    "longer_equal": gettext_lazy("Longer, equally strong"),
    "own": gettext_lazy("Chooses its own family"),
}


class PairsOutcome(OutcomeKind):
    name = "pairs"
    of = Run.Kind.PAIRS
    title = gettext_lazy("Judged pairs")
    summary = "Return win rates of systems by a judge of pairs, its biases, and its agreement with people."
    documented = CHOICES
    empty = (
        gettext_lazy("No pair judged yet"),
        gettext_lazy("They come in while the run works."),
    )
    figure = "judged_pairs"
    computed_by = "scoring.kinds.pairs.figure.compute"

    @property
    def version(self) -> str:
        round_ = self.run.round
        people = facts.version(round_) if round_ is not None and round_.of_pairs else ""
        return f"{n_ended(self.run)} pairs {people}".strip()

    @property
    def about(self) -> Words:
        judge = Endpoint.objects.filter(pk=self.run.config["endpoint"]).first()
        asked = self.run.config["criterion"]["asks"]
        return f"{judge.name}: {asked}" if judge else str(asked)

    def outcome(self, data: Mapping[str, Data]) -> RunOutcome | None:
        found = data[self.figure]
        if not found["rates"]:
            return RunOutcome(tables=[_counts(found)]) if found["counts"]["n"] else None
        known = dict(zip(found["releases"], systems(self.reading, found["releases"]), strict=True))
        field = found["rates"]["field"]
        ranked = [(known[one["name"]], _percent(one)) for one in field]
        tables = [
            _matrix(found, known),
            _equal_length(found, known),
            _sways(found),
            *_people(found),
            _pairs(found, known),
            _counts(found),
        ]
        return RunOutcome(
            ranking=Ranking(
                title=gettext_lazy("Win rate"),
                unit=gettext_lazy("Percent against the others, 95 % intervals"),
                rows=ranked,
                at=50,
            ),
            said=_verdict(found["rates"], known),
            tables=tables,
            method=found["rates"]["method"],
        )


def _percent(found: Data | None) -> Estimate:
    return Estimate(None) if found is None else values.estimate(found, scale=100)


def _verdict(found: Data, known: Mapping[int, Contender]) -> str:
    """Return what the pairs of the first one allow to say: which leads could be chance, else over whom it wins."""
    order = [one["name"] for one in found["field"] if one["value"] is not None]
    if len(order) < 2:
        return ""
    top = order[0]
    mine = {_other(one, top): one for one in found["pairs"] if top in (one["left"], one["right"])}
    names = {"first": known[top].name, "second": known[order[1]].name}
    if any(mine[one]["p_holm"] is None for one in order[1:] if one in mine):
        return _("%(first)s comes out highest; certainty unknown.") % names
    chance = [one for one in order[1:] if one in mine and mine[one]["p_holm"] >= SURE]
    if chance:
        names["second"] = listed([known[one].name for one in chance])
        return _("%(first)s is highest, but its lead over %(second)s could be chance.") % names
    pair = mine[order[1]]
    rate = pair["value"] if pair["left"] == top else 1 - pair["value"]
    if rate < 0.5:
        names, rate = {"first": names["second"], "second": names["first"]}, 1 - rate
    said = _("%(first)s wins %(rate)s\u00a0%% against %(second)s.")
    return said % {**names, "rate": ui.score(100 * rate, 0)}


def _other(pair: Data, one: int) -> int:
    other: int = pair["right"] if pair["left"] == one else pair["left"]
    return other


def _matrix(found: Data, known: Mapping[int, Contender]) -> Table:
    """Return the rate of each system (rows) against each other one."""
    cells: dict[tuple[int, int], Estimate] = {}
    for one in found["rates"]["pairs"]:
        mine = _percent({**one, "p": None})
        cells[one["left"], one["right"]] = mine
        cells[one["right"], one["left"]] = _turned(mine)
    order = [one["name"] for one in found["rates"]["field"]]
    return Grid(
        name="matrix",
        title=gettext_lazy("Wins against"),
        columns=[Column("system", gettext_lazy("System"))],
        rows=[(known[row], *(cells.get((row, one)) for one in order)) for row in order],
        systems=[known[one] for one in order],
        across="against",
    )


def _turned(one: Estimate) -> Estimate:
    def other(end: float | None) -> float | None:
        return None if end is None else 100 - end

    return Estimate(other(one.value), other(one.high), other(one.low), one.n, None, one.why)


def _equal_length(found: Data, known: Mapping[int, Contender]) -> Table:
    """Return the win rates as they are, at equal length, and those by people."""
    equal = {one["name"]: _percent(one) for one in found["equal"]}
    people: Mapping[str, Data] = found["people_field"] or {}
    more = [Column("people", gettext_lazy("By people"), 1, PARTS)] if people else []
    return Table(
        name="win_rates",
        title=gettext_lazy("At equal length"),
        columns=[
            Column("system", gettext_lazy("System")),
            Column("rate", gettext_lazy("Win rate"), 1, PARTS),
            Column("equal", gettext_lazy("At equal length"), 1, PARTS),
            *more,
        ],
        rows=[
            (
                known[one["name"]],
                _percent(one),
                equal[one["name"]],
                *(_percent(people.get(str(one["name"]))) for _column in more),
            )
            for one in found["rates"]["field"]
        ],
    )


def _sways(found: Data) -> Table:
    """Return each bias with what the judge does, and people, in percent."""
    has_people = found["people"] is not None
    sides = [("judge", gettext_lazy("Judge"))]
    if has_people:
        sides += [
            ("people", gettext_lazy("People")),
            ("more", gettext_lazy("Difference")),
        ]
    return Table(
        name="biases",
        title=gettext_lazy("Biases"),
        about=gettext_lazy("Percent."),
        columns=[
            Column("bias", gettext_lazy("Bias")),
            *(Column(key, title, 1, PARTS) for key, title in sides),
        ],
        rows=[
            (
                values.OutcomeWords(str(SWAYS[one["name"]]), value=one["name"]),
                *(_percent(_no_p(one.get(key))) if one.get(key) else None for key, _t in sides),
            )
            for one in found["sways"]
        ],
    )


def _no_p(found: Any) -> Any:
    return found and {**found, "p": None}


def _people(found: Data) -> list[Table]:
    """Return how the judge agrees with people, and people with each other; may it stand in for one."""
    beside = found["people"]
    if beside is None:
        return []
    titles: Mapping[str, tuple[Words, float]] = {
        "with_ties": (gettext_lazy("Agreement (%)"), 100),
        "without_ties": (gettext_lazy("Agreement without ties (%)"), 100),
        "kappa": (gettext_lazy("Cohen’s κ"), 1),
    }
    rows: list[Sequence[values.Cell]] = [
        (
            values.OutcomeWords(str(title), value=key),
            *(values.estimate(beside[side][key], scale=scale) for side in ("judge", "people")),
        )
        for key, (title, scale) in titles.items()
    ]
    return [
        Table(
            name="people",
            title=gettext_lazy("Judge vs people"),
            about=_stands_in(beside["stand_in"]),
            columns=[
                Column("measure", gettext_lazy("Measure")),
                Column("judge", gettext_lazy("Judge and people"), 2, PARTS),
                Column("people", gettext_lazy("People and people"), 2, PARTS),
            ],
            rows=rows,
        ),
        _stand_in_table(beside["stand_in"]),
    ]


def _stands_in(found: Data) -> str:
    if found["reason"]:
        return why(found["reason"])
    told = {"n": round(found["winning_rate"] * found["n_tested"]), "of": found["n_tested"]}
    return _("May stand in for %(n)d of %(of)d.") % told


def _stand_in_table(found: Data) -> Table:
    return Table(
        name="stand_in",
        title=gettext_lazy("Stand-in test"),
        about=str(found["method"]),
        folded=True,
        columns=[
            Column("winning_rate", "ω", 2),
            Column("advantage", "ρ", 2),
            Column("passes", gettext_lazy("Passes")),
            Column("n_people", gettext_lazy("People")),
        ],
        rows=[(found["winning_rate"], found["advantage"], found["passes"], found["n_people"])],
    )


def _pairs(found: Data, known: Mapping[int, Contender]) -> Table:
    return Table(
        name="pairs",
        title=gettext_lazy("In pairs"),
        columns=[
            Column("left", gettext_lazy("System")),
            Column("right", gettext_lazy("against")),
            Column("rate", gettext_lazy("Win rate"), 1, PARTS),
            Column("won", gettext_lazy("Won")),
            Column("tied", gettext_lazy("Tied")),
            Column("lost", gettext_lazy("Lost")),
            Column("p_holm", gettext_lazy("p, Holm"), is_p=True),
        ],
        rows=[
            (
                known[one["left"]],
                known[one["right"]],
                _percent(_no_p(one)),
                one["won"],
                one["tied"],
                one["lost"],
                one["p_holm"],
            )
            for one in found["rates"]["pairs"]
        ],
    )


def _counts(found: Data) -> Table:
    titles: Mapping[str, Words] = {
        "n": gettext_lazy("Pairs"),
        "decided": gettext_lazy("One is better"),
        "tied": gettext_lazy("Tie"),
        "both_bad": gettext_lazy("Both bad"),
        "inconsistent": gettext_lazy("Contradiction"),
        "unread": gettext_lazy("Unreadable"),
        "left_out": gettext_lazy("Empty answer"),
        "machinery_failed": gettext_lazy("Not reached"),
    }
    return Table(
        name="replies",
        title=gettext_lazy("How replies were read"),
        columns=[Column(key, title) for key, title in titles.items()],
        rows=[tuple(found["counts"][key] for key in titles)],
    )


OUTCOMES = (PairsOutcome,)
