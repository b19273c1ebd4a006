"""The judges and metrics of a project, as their list shows them."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from django.db.models import Count, QuerySet

from annotation.models import Criterion, Project, RaterKind, Round
from annotation.rubrics.rules import Measure
from evalsite import keyset
from scoring.models import Judge, Judgment, Machine


@dataclass(frozen=True, slots=True)
class Source:
    """An import that brought scores of a machine."""

    number: int
    file_name: str
    n: int


@dataclass(frozen=True, slots=True)
class RunSource:
    """A run whose scores of a machine count."""

    number: int
    name: str
    n: int
    scripted: bool


@dataclass(slots=True)
class Line:
    """A judge or a metric with its range, its criteria, and how many scores there are of it.

    `n_hidden` runs over rounds that are not final have scores that nobody may see yet.
    """

    machine: Machine
    criteria: list[Criterion] = field(default_factory=list)
    n_scored: int = 0
    n_failed: int = 0
    sources: list[Source] = field(default_factory=list)
    runs: list[RunSource] = field(default_factory=list)
    n_hidden: int = 0

    @property
    def live(self) -> Judge | None:
        """The judge as it is configured here; none of an import or of a metric."""
        return getattr(self.machine.rater, "judge", None)

    @property
    def readings(self) -> int:
        """How often it reads an answer.

        Fusion-Eval calls that predictions; an evaluator of interviews reads once, with no setting for it.
        """
        config = self.live.config if self.live else {}
        return int(config.get("predictions") or config.get("repeats") or 1)

    @property
    def is_scripted(self) -> bool:
        """Whether some of its scores come from a script."""
        return any(one.scripted for one in self.runs)

    @property
    def is_judge(self) -> bool:
        return self.machine.rater.kind == RaterKind.JUDGE

    @property
    def ranges(self) -> list[tuple[str, str]]:
        """Return each range and its criteria; without their names where all have the same one."""
        found: dict[str, list[str]] = defaultdict(list)
        for one in self.criteria:
            found[Measure("", one.minimum, one.maximum).bounds()].append(one.name)
        if len(found) == 1:
            return [(bounds, "") for bounds in found]
        return [(bounds, ", ".join(names)) for bounds, names in found.items()]

    @property
    def lower_is_better(self) -> bool:
        return any(not one.higher_is_better for one in self.criteria)


def of(project: Project) -> "QuerySet[Machine]":
    return Machine.objects.filter(rater__project=project).select_related("rater")


def page(project: Project, *, after: str = "") -> keyset.Page[Machine]:
    rows = of(project).select_related("rater__judge__endpoint")
    return keyset.page(rows, by=("rater__kind", "rater__ref"), after=after)


def lines(machines: Sequence[Machine]) -> list[Line]:
    """Return the machines with what is counted of each."""
    made = {one.rater_id: Line(one) for one in machines}
    by_rubric = {one.rubric_id: made[one.rater_id] for one in machines}
    rows = Criterion.objects.filter(rubric_version__rubric__in=list(by_rubric))
    newest: dict[int, int] = {}
    for one in rows.select_related("rubric_version").order_by(
        "-rubric_version__number", "position", "pk"
    ):
        version = one.rubric_version
        if newest.setdefault(version.rubric_id, version.pk) == version.pk:
            by_rubric[version.rubric_id].criteria.append(one)
    _count(made)
    return list(made.values())


def scripted(raters: Collection[int]) -> set[int]:
    """Return which of these machines have scores that count and come from a script."""
    rows = Judgment.objects.counted().filter(rater__in=raters, run__asks_script=True)
    return set(rows.order_by().values_list("rater", flat=True).distinct())


def _count(made: dict[int, Line]) -> None:
    counted = (
        Judgment.objects.counted()
        .filter(rater__in=list(made), repeat=0)
        .order_by("run__number", "batch__number")
        .values_list(
            "rater_id", "batch__number", "batch__file_name", "run__number", "run__name",
            "run__asks_script", "outcome",
        )
        .annotate(n=Count("pk"))
    )  # fmt: skip
    brought: dict[tuple[int, int, str], int] = defaultdict(int)
    judged: dict[tuple[int, int, str, bool], int] = defaultdict(int)
    for rater, number, file_name, run, name, is_scripted, outcome, n in counted:
        if outcome == Judgment.Outcome.SCORED:
            made[rater].n_scored += n
        else:
            made[rater].n_failed += n
        if number is not None:
            brought[rater, number, file_name] += n
        if run is not None:
            judged[rater, run, name, is_scripted] += n
    for (rater, number, file_name), n in sorted(brought.items()):
        made[rater].sources.append(Source(number, file_name, n))
    for (rater, run, name, is_scripted), n in sorted(judged.items()):
        made[rater].runs.append(RunSource(run, name, n, is_scripted))
    _count_hidden(made)


def _count_hidden(made: dict[int, Line]) -> None:
    """Count the runs over rounds that are not final."""
    rows = (
        Judgment.objects.filter(rater__in=list(made), run__round__isnull=False)
        .exclude(run__round__state=Round.State.FINAL)
        .order_by()
        .values_list("rater")
        .annotate(n=Count("run", distinct=True))
    )
    for rater, n in rows:
        made[rater].n_hidden = n
