"""The judgments of machines as plain columns: the other half of the one table of ratings."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.db.models import Count, Max, QuerySet

from annotation.models import Rater, System
from scoring.models import Judgment, Machine

PAGE = 20_000

#: Columns of the ratings frame, and where a judgment has them.
FIELDS: dict[str, str] = {
    "item": "response__item_id",
    "group": "response__item__group",
    "capability": "response__item__capability_id",
    "difficulty": "response__item__difficulty",
    "domain": "response__item__domain__name",
    "priority": "response__item__domain__priority",
    "system": "response__release__system__name",
    "release": "response__release_id",
    "response": "response_id",
    "criterion": "criterion__key",
    "rater": "rater_id",
    "rater_kind": "rater__kind",
    "target_level": "target_level",
    "target_index": "target_index",
    "repeat": "repeat",
    "value": "value",
    "scale_min": "criterion__minimum",
    "scale_max": "criterion__maximum",
    "text": "text",
    "label": "label",
    "outcome": "outcome",
    "at": "at",
}
_RUBRIC = ("criterion__rubric_version__rubric__key", "criterion__rubric_version__number")
#: Texts that are nothing when they are empty.
_MAY_LACK = frozenset({"difficulty", "domain", "priority", "text", "label"})


def of(raters: Sequence[int]) -> "QuerySet[Judgment]":
    """Return the judgments of machines that count: of imports, and of the last run over each round."""
    return Judgment.objects.counted().filter(rater__in=raters)


def columns(raters: Sequence[int]) -> dict[str, list[Any]]:
    """Return every judgment of these machines as columns of the ratings frame.

    An imported one stands where an imported grade stands: the default filter takes it.
    """
    made: dict[str, list[Any]] = {name: [] for name in (*FIELDS, "rubric_version")}
    appends: list[tuple[Callable[[Any], None], bool]] = [
        (made[name].append, name in _MAY_LACK) for name in FIELDS
    ]
    rubric = made["rubric_version"].append
    for row in _rows(raters):
        for (append, may_lack), value in zip(appends, row[1:], strict=False):
            append(None if may_lack and not value else value)
        rubric(f"{row[-2]} v{row[-1]}")
    n = len(made["item"])
    return {**made, "round_kind": ["IMPORTED"] * n, "grade_kind": ["GIVEN"] * n}


def version(raters: Sequence[int]) -> str:
    """Return what changes whenever the judgments of these machines do, or what is said of them."""
    counted = of(raters).aggregate(top=Max("pk"), n=Count("pk"))
    families = Machine.objects.filter(rater__in=raters).order_by("rater").values_list("family")
    said = ",".join(family for (family,) in families)
    names = ",".join(str(one) for one in sorted(raters))
    return f"j{names}:{counted['n']}.{counted['top'] or 0}:{said}:{_kin(raters)}"


def _kin(raters: Sequence[int]) -> str:
    """Return the families of the systems, where any is known: they say whom a judge may favour."""
    homes = Rater.objects.filter(pk__in=raters).values("project")
    known = System.objects.filter(project__in=homes).exclude(family="").order_by("pk")
    return ",".join(f"{pk}={family}" for pk, family in known.values_list("pk", "family"))


def _rows(raters: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows page by page, so that no cursor stays open."""
    table = of(raters).order_by("pk")
    last = 0
    while found := list(
        table.filter(pk__gt=last).values_list("pk", *FIELDS.values(), *_RUBRIC)[:PAGE]
    ):
        yield from found
        last = found[-1][0]
        if len(found) < PAGE:
            return
