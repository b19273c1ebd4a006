"""The table of strata of a draft: in words, with what is missing and where that is mended."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from annotation.models import Capability, Difficulty, Domain, Round
from annotation.queries.draw_plans import Plan
from annotation.rules.draws import Draw
from annotation.rules.sampling import Stratum


@dataclass(frozen=True)
class Row:
    """A stratum; `unanswered` could be drawn if their answers were collected."""

    stratum: Stratum
    names: tuple[str, ...]
    quota: str
    unanswered: int

    @property
    def html_id(self) -> str:
        return "quota-" + self.stratum.name.replace("|", "-")

    @property
    def label(self) -> str:
        return " · ".join(self.names)


@dataclass(frozen=True)
class Table:
    """What would be drawn, by stratum; `dimensions` are the heads of its first columns."""

    dimensions: tuple[str, ...]
    rows: tuple[Row, ...]
    plan: Plan
    n_unanswered: int

    @property
    def short(self) -> list[Row]:
        return [row for row in self.rows if row.stratum.missing]


def of(round_: Round, wanted: Draw, plan: Plan) -> Table:
    """Return the table of what a draft would draw."""
    names = _known(round_)
    heads = {
        "capability": _("Capability"),
        "difficulty": _("Difficulty"),
        "domain": _("Subject area"),
    }
    known = {one.name for one in plan.strata}
    strata = [
        *plan.strata,
        *(Stratum(name, 0, 0, 0, 0) for name in plan.unanswered if name not in known),
    ]
    rows = [
        Row(
            stratum=one,
            names=_names(wanted.parts(one.name), names),
            quota=_number(wanted.quotas.get(one.name)),
            unanswered=plan.unanswered.get(one.name, 0),
        )
        for one in strata
    ]
    order = {name: place for place, name in enumerate(Difficulty.values)}
    rows.sort(key=lambda row: _place(wanted.parts(row.stratum.name), names, order))
    dimensions = wanted.parts("||") if wanted.is_stratified else {}
    return Table(
        dimensions=tuple(heads[one] for one in dimensions),
        rows=tuple(rows),
        plan=plan,
        n_unanswered=sum(plan.unanswered.values()),
    )


def frozen(round_: Round) -> list[Row]:
    """Return the strata of a round as they were when it was prepared."""
    kept = (round_.draw.get("prepared") or {}).get("strata", [])
    wanted, names = Draw.from_json(round_.draw), _known(round_)
    return [
        Row(Stratum(**one), _names(wanted.parts(one["name"]), names), "", 0)
        for one in kept
        if wanted.is_stratified
    ]


def _known(round_: Round) -> dict[str, dict[int, str]]:
    """Return the names of the project's capabilities and subject areas."""
    return {
        "capability": dict(
            Capability.objects.filter(project=round_.project_id).values_list("pk", "name")
        ),
        "domain": dict(Domain.objects.filter(project=round_.project_id).values_list("pk", "name")),
    }


def _names(parts: Mapping[str, str], names: Mapping[str, Mapping[int, str]]) -> tuple[str, ...]:
    shown = []
    for dimension, value in parts.items():
        if not value:
            shown.append(_("none"))
        elif dimension == "difficulty":
            shown.append(str(dict(Difficulty.choices).get(value, value)))
        else:
            shown.append(names[dimension].get(_key(value), value))
    return tuple(shown)


def _key(value: str) -> int:
    return int(value) if value.isdecimal() else -1


def _place(
    parts: Mapping[str, str],
    names: Mapping[str, Mapping[int, str]],
    order: Mapping[str, int],
) -> list[tuple[int, str]]:
    return [
        (order.get(value, 9), "")
        if dimension == "difficulty"
        else (0 if value else 1, names[dimension].get(_key(value), value).lower())
        for dimension, value in parts.items()
    ]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"
