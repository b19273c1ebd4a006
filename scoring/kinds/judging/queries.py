"""What a judge is given to grade a round: answers as people were shown them, and criteria as people read them.

* The judges and metrics of a project, as their list shows them.
* The live judges of a project: those that are configured here and can be asked.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import Count, F, Q, QuerySet

from annotation.common import texts as display
from annotation.common import texts as faces
from annotation.people.models import Project, Rater, RaterKind
from annotation.rounds import queries as rounds
from annotation.rounds.models import Round, RoundItem, RoundResponse
from annotation.rubrics.models import Criterion, Level, RubricVersion
from annotation.rubrics.rules import Measure
from annotation.systems.models import Display, Item, Response
from evalsite.db import prepared
from evalsite.web import keyset
from scoring.endpoints.models import Judge
from scoring.engine.models import Judgment, Machine, Run
from scoring.kinds.judging import asking_v1 as asking
from scoring.kinds.judging import plugins
from scoring.kinds.judging.models import Tuning, TuningQuestion
from scoring.llm.base import Message

PAGE: Final = 500
#: Gold items are there to test people, repeats were answered and graded before.
PURPOSES: Final = (RoundItem.Purpose.NORMAL, RoundItem.Purpose.ANCHOR)


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer of a round, by keys."""

    pk: int
    response: int
    item: int
    release: int
    external_id: str
    version: int
    display: int | None


@dataclass(frozen=True, slots=True)
class CriterionChoice:
    """A criterion of a round's rubrics, and in how many of them it stands."""

    key: str
    name: str
    rubrics: tuple[str, ...]


def places(run: Run) -> Iterator[JudgedAnswer]:
    """Yield the answers that a run judges, in an order that stays."""
    for page in pages(run):
        yield from page


def pages(run: Run, *, size: int = PAGE) -> Iterator[list[JudgedAnswer]]:
    """Yield them page by page, with no cursor left open between.

    A run is over its whole round, or over those items of it that its configuration names.
    """
    assert run.round is not None
    items = set(run.config.get("items") or ())
    for page in _pages(run.round, size=size):
        found = [one for one in page if one.item in items] if items else page
        if found:
            yield found


def _pages(round_: Round, *, size: int = PAGE) -> Iterator[list[JudgedAnswer]]:
    rows = _judged(round_).order_by("pk")
    names = (
        "pk", "response_id", "round_item__item_id", "release_id", "round_item__item__external_id",
        "round_item__rubric_version_id", "display_id",
    )  # fmt: skip
    last = 0
    while found := list(rows.filter(pk__gt=last).values_list(*names)[:size]):
        yield [JudgedAnswer(*row) for row in found]
        last = found[-1][0]


def n_places(round_: Round) -> int:
    return _judged(round_).count()


def n_judged(run: Run) -> int:
    """Return how many answers a run judges."""
    assert run.round is not None
    return sum(map(len, pages(run))) if run.config.get("items") else n_places(run.round)


def _judged(round_: Round) -> "QuerySet[RoundResponse]":
    return RoundResponse.objects.filter(
        round_item__round=round_,
        round_item__purpose__in=PURPOSES,
        round_item__occasion=1,
        round_item__rubric_version__isnull=False,
    )


def texts(places_: Sequence[JudgedAnswer]) -> dict[int, tuple[Item, Response, Display | None]]:
    """Return the texts of a page of answers, by place."""
    items = Item.objects.in_bulk({one.item for one in places_})
    responses = Response.objects.in_bulk({one.response for one in places_})
    shown = Display.objects.in_bulk({one.display for one in places_ if one.display})
    return {
        one.pk: (items[one.item], responses[one.response], shown.get(one.display or 0))
        for one in places_
    }


def versions_of(round_: Round) -> list[RubricVersion]:
    """Return the rubric versions by which the round's answers are graded."""
    used = _judged(round_).values("round_item__rubric_version")
    rows = RubricVersion.objects.filter(pk__in=used).select_related("rubric")
    return list(rows.order_by("rubric__name", "number"))


def choices_of(round_: Round, *, labels: bool = True) -> list[CriterionChoice]:
    """Return the criteria of the round's rubrics by key, in the order of the rubrics.

    Without `labels` those alone on which judge and people can correlate.
    """
    found: dict[str, tuple[str, list[str]]] = {}
    for version in versions_of(round_):
        for row in rows_of(version.pk):
            if row.mark == Criterion.Mark.LABEL and not labels:
                continue
            found.setdefault(row.key, (row.name, []))[1].append(str(version))
    return [CriterionChoice(key, name, tuple(rubrics)) for key, (name, rubrics) in found.items()]


def rows_of(version: int, keys: Collection[str] = ()) -> list[Criterion]:
    """Return the criteria of a rubric version; all of them unless some are named.

    A judge answers with one number of one answer, so that it gives neither several labels nor a text, and
    chooses between no two.
    """
    rows = [one for one in _CRITERIA.all(version=version) if one.mark not in _NO_NUMBER]
    return [one for one in rows if one.key in keys] if keys else rows


def levels_of(version: int) -> dict[int, list[Level]]:
    """Return the levels of a rubric version's criteria, by the criterion's key, the lowest first."""
    found: dict[int, list[Level]] = defaultdict(list)
    for one in _LEVELS.all(version=version):
        found[one.criterion_id].append(one)
    return found


_NO_NUMBER: Final = (Criterion.Mark.LABELS, Criterion.Mark.TEXT, Criterion.Mark.CHOICE)
_CRITERIA = prepared.PreparedQuery(
    lambda version: Criterion.objects.filter(rubric_version=version).order_by("position", "pk"),
    version=int,
)
_LEVELS = prepared.PreparedQuery(
    lambda version: Level.objects.filter(criterion__rubric_version=version).order_by("value"),
    version=int,
)


def criteria_of(version: int, keys: Collection[str] = ()) -> tuple[asking.Criterion, ...]:
    """Return the criteria as a judge reads them."""
    levels = levels_of(version)
    return tuple(
        asking.Criterion(
            key=row.key,
            name=row.name,
            scale=row.scale,
            description=row.description,
            levels=tuple(
                asking.Level(level.value, level.label, level.description)
                for level in levels.get(row.pk, ())
            ),
        )
        for row in rows_of(version, keys)
    )


def task(
    *,
    item: Item,
    response: Response,
    shown: Display | None,
    criteria: tuple[asking.Criterion, ...],
    principle: str,
    reference: bool,
    language: str,
) -> asking.Task:
    """Return what a judge is asked of an answer.

    Args:
        item: what was asked; its own principle, if it has one, goes before that of the rubric.
        response: the answer as it is stored.
        shown: what people were shown of it, names covered; none in a round of imported grades.
        criteria: by which it is graded.
        principle: that of the rubric.
        reference: whether the judge sees the standard answer and its key points.
        language: of the prompt.
    """
    own = item.extra.get("principle")
    return asking.Task(
        question=tuple(_message(one) for one in item.messages),
        answer=_answer(response, shown),
        criteria=criteria,
        reference=item.reference if reference else "",
        key_points=tuple(str(one) for one in item.key_points) if reference else (),
        principle=own if isinstance(own, str) and own.strip() else principle,
        language=language,
        stored="\n\n".join(faces.told(one) for one in response.messages),
    )


def _answer(response: Response, shown: Display | None) -> tuple[Message, ...]:
    """Return the answer as people saw it; turn by turn where nothing had to be covered."""
    several = len(response.messages) > 1
    if shown is not None and (shown.mask_set or not several):
        return (Message("assistant", shown.text),)
    if several:
        return tuple(
            Message(str(one.get("role") or "assistant"), display.normalise(faces.told(one)))
            for one in response.messages
        )
    return (Message("assistant", faces.conversation(response.messages)),)


def _message(one: dict[str, Any]) -> Message:
    return Message(str(one.get("role") or "user"), faces.told(one))


@dataclass(frozen=True, slots=True)
class ScoreImport:
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
class MachineLine:
    """A judge or a metric with its range, its criteria, and how many scores there are of it.

    `n_hidden` runs over rounds that are not final have scores that nobody may see yet.
    """

    machine: Machine
    criteria: list[Criterion] = field(default_factory=list)
    n_scored: int = 0
    n_failed: int = 0
    sources: list[ScoreImport] = field(default_factory=list)
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


def of_machines(project: Project) -> "QuerySet[Machine]":
    """Return the judges and metrics of a project; versions of a judge that is being tuned are none yet."""
    rows = Machine.objects.filter(_is_ready("rater__judge__"), rater__project=project)
    return rows.select_related("rater")


def _is_ready(judge: str) -> Q:
    """Return the condition that a judge, found by this path, is no version that is still being tuned."""
    version = f"{judge}tuned_version"
    return Q(**{f"{version}__isnull": True}) | Q(**{f"{version}__tuning__locked": F(version)})


def page(project: Project, *, after: str = "") -> keyset.Page[Machine]:
    rows = of_machines(project).select_related("rater__judge__endpoint")
    return keyset.page(rows, by=("rater__kind", "rater__ref"), after=after)


def lines(machines: Sequence[Machine]) -> list[MachineLine]:
    """Return the machines with what is counted of each."""
    made = {one.rater_id: MachineLine(one) for one in machines}
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


def _count(made: dict[int, MachineLine]) -> None:
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
        made[rater].sources.append(ScoreImport(number, file_name, n))
    for (rater, run, name, is_scripted), n in sorted(judged.items()):
        made[rater].runs.append(RunSource(run, name, n, is_scripted))
    _count_hidden(made)


def _count_hidden(made: dict[int, MachineLine]) -> None:
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


def judges_of(project: Project) -> "QuerySet[Judge]":
    """Return the judges that are configured here, without versions that are still being tuned."""
    rows = Judge.objects.filter(_is_ready(""), project=project)
    return rows.select_related("rater", "endpoint")


def usable(project: Project) -> "QuerySet[Judge]":
    """Return those that grade the answers of a round and whose endpoint is in use."""
    rows = judges_of(project).filter(protocol__in=plugins.protocols())
    return rows.filter(endpoint__retired_at__isnull=True).order_by("name")


def rounds_of(project: Project) -> "QuerySet[Round]":
    """Return the rounds whose answers can be judged, newest first."""
    return rounds.rounds_of(project).exclude(state=Round.State.DRAFT).order_by("-number")


def tuned_on(raters: Collection[int]) -> dict[int, set[str]]:
    """Return the questions on which no score of these raters counts beside people, by rater.

    A judge was tuned on them, or one whose scores were combined or read by it; those of which there are none
    are left out.
    """
    made_of = _made_of(raters)
    judges = set[int]().union(*made_of.values())
    rows = TuningQuestion.objects.filter(is_held_out=False, tuning__locked__judge__rater__in=judges)
    found: dict[int, set[str]] = defaultdict(set)
    for judge, group in rows.values_list("tuning__locked__judge__rater_id", "group"):
        for rater, parts in made_of.items():
            if judge in parts:
                found[rater].add(group)
    return dict(found)


def _made_of(raters: Collection[int]) -> dict[int, set[int]]:
    """Return each rater with those whose scores its own were made of, at whatever remove."""
    there = Rater.objects.filter(pk__in=raters).values("project")
    runs = Run.objects.filter(project__in=there, kind__in=(Run.Kind.COMBINE, Run.Kind.FUSION))
    parts: dict[int, set[int]] = defaultdict(set)
    for one in runs.values_list("config__made_of", flat=True):
        for made, of in (one or {}).items():
            parts[int(made)].update(of)
    found: dict[int, set[int]] = {}
    for rater in raters:
        every, more = set[int](), {rater}
        while more:
            every |= more
            more = set[int]().union(*(parts[one] for one in more)) - every
        found[rater] = every
    return found


def tuning_of(rater: int) -> Tuning | None:
    """Return how a judge was tuned, if it was."""
    rows = Tuning.objects.filter(locked__judge__rater=rater).select_related("round")
    return rows.first()
