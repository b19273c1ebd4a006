"""The page of a system's movement between two rounds: what can be chosen, and its rows in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from typing import Any

from django.db.models import Max
from django.utils.translation import gettext as _

from annotation.models import (
    Capability,
    Project,
    Round,
    RoundItem,
    RoundSystem,
    SamenessTag,
    System,
)
from annotation.queries import grade_table, sameness
from annotation.rules import contents
from scoring.charts import steps
from scoring.charts.steps import Step
from scoring.charts.svg import Drawing
from scoring.queries import rounds
from scoring.queries.wording import why
from scoring.stats.rounding import rounded

#: Of how many rounds two are suggested.
LOOKED_AT = 6
METHODS = ("fixed_effects", "lalaeval", "shapley")
CAUSES = ("questions", "responses", "same_raters", "other_raters")
DRAWN = ("questions", "responses", "same_raters", "together", "other_raters")


@dataclass(frozen=True, slots=True)
class Chosen:
    """Two rounds and a system that took part in both."""

    before: Round
    after: Round
    system: System


@dataclass(frozen=True, slots=True)
class Cause:
    """A line of the table: what moved the score, in points, by each of the methods."""

    title: str
    help: str
    points: tuple[Decimal | None, ...]
    low: float | None
    high: float | None


def choices(project: Project) -> list[Round]:
    """Return the rounds with results, newest first."""
    return list(rounds.with_results(project).order_by("-number"))


def suggested(project: Project) -> tuple[Round, Round] | None:
    """Return the newest two graded rounds that share a system and a question, the earlier one first.

    Those of closed rounds go before those of open ones, whose scores still move by themselves. Only
    the newest few are looked at.
    """
    pairs = list(combinations(rounds.graded(project).order_by("-number")[:LOOKED_AT], 2))
    pairs.sort(key=lambda pair: sum(one.state == Round.State.OPEN for one in pair))
    for after, before in pairs:
        asked = RoundItem.objects.filter(round=before).values("item__prompt_sha")
        again = RoundItem.objects.filter(round=after, item__prompt_sha__in=asked)
        if systems(before, after) and again.exists():
            return before, after
    return None


def systems(before: Round, after: Round) -> list[System]:
    """Return the systems that took part in both rounds."""
    pks = [
        set(RoundSystem.objects.filter(round=one).values_list("release__system_id", flat=True))
        for one in (before, after)
    ]
    return list(System.objects.filter(pk__in=pks[0] & pks[1]))


def params(chosen: Chosen) -> dict[str, Any]:
    """Return what the figure depends on besides the grades of the later round."""
    tags = SamenessTag.objects.filter(project_id=chosen.after.project_id)
    return {
        "before": chosen.before.number,
        "system": chosen.system.pk,
        "ratings": contents.canonical(grade_table.version(chosen.before)).decode(),
        "tags": tags.aggregate(last=Max("pk"))["last"] or 0,
    }


def n_open(chosen: Chosen) -> int:
    """Return how many pairs nobody has decided on."""
    return sameness.movement(chosen.before, chosen.after, chosen.system.pk).n_open


class Shown:
    """Reads one figure of the movement: score or accuracy, of a capability or of all."""

    def __init__(self, data: Mapping[str, Any], which: str, capability: int | None) -> None:
        self.data = data
        self.which = which
        self.pairs: Mapping[str, int] = data["pairs"]
        self.figure: Mapping[str, Any] = next(
            (
                one
                for one in data["figures"]
                if (one["figure"], one["capability"]) == (which, capability)
            ),
            {"problem": _("Nothing of this was graded in both rounds."), "methods": {}},
        )

    @property
    def problem(self) -> str:
        known = {"Both rounds need grades.": _("Nothing of this was graded in both rounds.")}
        said = str(self.figure["problem"])
        return known.get(said, said)

    @property
    def before(self) -> Decimal:
        return self._points(self._method("fixed_effects")["before"])

    @property
    def after(self) -> Decimal:
        return self._points(self._method("fixed_effects")["after"])

    @property
    def change(self) -> Decimal:
        return self._points(self._method("fixed_effects")["change"])

    @property
    def drift(self) -> Decimal | None:
        found = self._method("fixed_effects")["drift"]
        return None if found is None else self._points(found)

    @property
    def why_together(self) -> str:
        return why(self._method("fixed_effects")["reason"])

    @property
    def causes(self) -> list[Cause]:
        """Return the lines of the table; (2) and (3) in one where they cannot be told apart."""
        lines = [self._cause(name) for name in CAUSES]
        return [*lines[:3], self._cause("together"), lines[3]] if self.is_mixed else lines

    @property
    def is_mixed(self) -> bool:
        """Whether other responses and drift cannot be told apart."""
        return self._method("fixed_effects")["together"] is not None

    @property
    def own(self) -> Cause:
        """Return what the system itself did: other responses to the same questions."""
        return self._cause("responses")

    @property
    def change_ends(self) -> tuple[float | None, float | None]:
        """Return the interval of the whole change, in points."""
        return self._ends("change")

    def _ends(self, name: str) -> tuple[float | None, float | None]:
        interval = self.figure.get("intervals", {}).get(name, {})
        low, high = (interval.get(end) for end in ("low", "high"))
        return (None if low is None else 100 * low), (None if high is None else 100 * high)

    def _cause(self, name: str) -> Cause:
        title, said = _words()[name]
        values = [self._method(method).get(name) for method in METHODS]
        low, high = self._ends(name)
        points = tuple(None if value is None else self._points(value) for value in values)
        return Cause(title, said, points, low, high)

    def drawing(self, narrow: bool = False) -> Drawing:
        """Draw the change step by step, by fixed effects; those that cannot be told apart as one."""
        found = self._method("fixed_effects")
        intervals = self.figure.get("intervals", {})
        causes = [
            _step(_words()[name][0], found[name], intervals.get(name, {}))
            for name in DRAWN
            if found[name] is not None
        ]
        ends = [100 * float(_exact(found[name])) for name in ("before", "after")]
        return steps.steps(
            (_("Before"), ends[0]),
            causes,
            (_("After"), ends[1]),
            label=_("The change, cause by cause"),
            axis=_("Score (%); the dashed line is where it began"),
            narrow=narrow,
        )

    @property
    def scenarios(self) -> list[dict[str, Any]]:
        kinds = {
            "replaced": _("replaced questions"),
            "changed": _("changed responses"),
            "unchanged": _("unchanged"),
        }
        who = {"common": _("by the same annotators"), "other": _("by others")}
        return [
            {
                "title": f"{kinds[one['questions']]}, {who[one['raters']]}",
                **{
                    name: None if one[name] is None else self._points(one[name])
                    for name in ("share_before", "share_after", "mean_before", "mean_after")
                },
            }
            for one in self.figure.get("scenarios", [])
        ]

    def _method(self, name: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.figure["methods"][name]
        return found

    @staticmethod
    def _points(value: Any) -> Decimal:
        return rounded(100 * _exact(value), 1)


def _exact(value: Any) -> Fraction:
    return Fraction(value["num"], value["den"]) if isinstance(value, dict) else Fraction(value)


def _step(name: str, value: Any, interval: Mapping[str, Any]) -> Step:
    low, high = (interval.get(end) for end in ("low", "high"))
    return Step(
        name,
        100 * float(_exact(value)),
        None if low is None else 100 * low,
        None if high is None else 100 * high,
    )


def asked(data: Mapping[str, Any], query: Mapping[str, str]) -> Shown:
    """Return what an address asks of the figure: score or accuracy, of a capability or of all."""
    which = "accuracy" if query.get("figure") == "accuracy" else "score"
    wanted = query.get("capability", "")
    return Shown(data, which, int(wanted) if wanted.isdecimal() else None)


def capabilities(data: Mapping[str, Any], project: Project) -> list[Capability]:
    """Return the capabilities that a figure has."""
    keys = {one["capability"] for one in data["figures"]}
    return list(Capability.objects.filter(project=project, pk__in=[k for k in keys if k]))


def _words() -> dict[str, tuple[str, str]]:
    return {
        "questions": (_("Other questions"), _("Questions that only one of the rounds has.")),
        "responses": (
            _("Other responses"),
            _("The same questions, answered differently: what the system itself did."),
        ),
        "same_raters": (
            _("Same annotators, graded differently"),
            _("By those who graded in both rounds, on what did not change."),
        ),
        "other_raters": (_("Other annotators"), _("Who came and who left, more or less strict.")),
        "together": (
            _("Other responses and drift together"),
            _("They cannot be told apart here: add anchor items to the next round."),
        ),
    }
