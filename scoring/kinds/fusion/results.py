"""What a run of Fusion-Eval came to: means, spread, what could not be read, time and money for each judge.

* The judges of a run of Fusion-Eval beside people: what is compared with whom, and how it is shown.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import Avg, Count, Exists, OuterRef, Q, Sum
from django.http import QueryDict
from django.utils.http import urlencode

from annotation.people.models import Rater, RaterKind
from annotation.people.permissions import Scope
from annotation.rounds.models import RoundResponse
from annotation.rubrics.models import Criterion
from annotation.systems.models import SystemRelease
from scoring.beside import asked as judge_cells
from scoring.beside import options as judge_options
from scoring.beside.options import ToCompare
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine.models import Judgment, LLMCall, Machine, Run, Step
from scoring.engine.queries import RunReading
from scoring.kinds.fusion import queries as evaluation_tasks
from scoring.kinds.fusion.models import Plan, TaskVersion
from scoring.kinds.fusion.tasks import FusionTask
from scoring.kinds.fusion.v1 import Variant

#: What the variants are called, as in the paper's tables.
NAMES: Final = {Variant.FE: "FE", Variant.FE_NO_PLAN: "FE-NoPlan", Variant.DE: "DE"}


@dataclass(frozen=True, slots=True)
class FusionCell:
    """The mean of a judge on a criterion over answers; `sd` is the mean spread over its predictions."""

    mean: float | None = None
    n: int = 0
    n_without: int = 0
    sd: float | None = None


@dataclass(frozen=True, slots=True)
class AnswerSpent:
    """What a judge took for an answer, on average; cost is None where a price is not known."""

    n: int
    calls: float
    seconds: float
    prompt_tokens: float
    completion_tokens: float
    cost: float | None
    currency: str


@dataclass(frozen=True, slots=True)
class FusionJudgeLine:
    """A judge of the run: its scores over all answers and of every release, and what it took."""

    rater: int
    name: str
    variant: str
    whole: list[FusionCell]
    releases: list[tuple[str, list[FusionCell]]]
    spent: AnswerSpent | None
    n_samples: int
    n_invalid: int

    @property
    def short(self) -> str:
        """What the judge is called among the others of its run."""
        return NAMES[Variant(self.variant)]


@dataclass(frozen=True)
class FusionBoard:
    reading: RunReading
    version: TaskVersion
    content: FusionTask
    plan: Plan | None
    lines: list[FusionJudgeLine]
    #: Reasons why answers have no score, with how many scores lack for it.
    reasons: list[tuple[str, int]] = field(default_factory=list)

    @property
    def criteria(self) -> list[str]:
        return [one.name for one in self.content.design.wanted]

    @property
    def raters(self) -> list[int]:
        return [one.rater for one in self.lines]


def board(reading: RunReading) -> FusionBoard:
    """Return the results of a run."""
    run = reading.run
    version = TaskVersion.objects.select_related("task").get(pk=run.config["version"])
    content = evaluation_tasks.content(version)
    asked: Sequence[Mapping[str, Any]] = run.config["judges"]
    names = dict(
        Judge.objects.filter(pk__in=[one["judge"] for one in asked]).values_list("pk", "name")
    )
    cells, spent, samples = _cells(run), _spent(run), _samples(run)
    releases = _releases(reading)
    lines = []
    for one in asked:
        keys = [one["criteria"][wanted.key] for wanted in content.design.wanted]
        rater = one["rater"]
        lines.append(
            FusionJudgeLine(
                rater=rater,
                name=names[one["judge"]],
                variant=one["variant"],
                whole=[_whole(cells, rater, key) for key in keys],
                releases=[
                    (name, [cells.get((rater, pk, key), FusionCell()) for key in keys])
                    for pk, name in releases
                ],
                spent=spent.get(one["judge"]),
                n_samples=samples.get(rater, (0, 0))[0],
                n_invalid=samples.get(rater, (0, 0))[1],
            )
        )
    plan = Plan.objects.filter(pk=run.config["plan"] or 0).first()
    return FusionBoard(reading, version, content, plan, lines, _reasons(run))


def n_judged(run: Run) -> int:
    """Return what changes whenever there are more scores."""
    return Judgment.objects.filter(run=run, repeat=0).count()


def _cells(run: Run) -> dict[tuple[int, int, int], FusionCell]:
    """Return means by rater, release and criterion."""
    rows = Judgment.objects.filter(run=run, repeat=0).order_by()
    grouped = rows.values_list("rater", "response__release", "criterion").annotate(
        mean=Avg("value"), n=Count("value"), n_all=Count("pk"), sd=Avg("sd")
    )
    return {
        (rater, release, criterion): FusionCell(mean, n, n_all - n, sd)
        for rater, release, criterion, mean, n, n_all, sd in grouped
    }


def _whole(
    cells: Mapping[tuple[int, int, int], FusionCell], rater: int, criterion: int
) -> FusionCell:
    """Return a judge's mean over all answers, from those of the releases."""
    mine = [one for key, one in cells.items() if (key[0], key[2]) == (rater, criterion)]
    n = sum(one.n for one in mine)
    spread = [(one.sd, one.n) for one in mine if one.sd is not None]
    weight = sum(n_ for _sd, n_ in spread)
    return FusionCell(
        sum(one.mean * one.n for one in mine if one.mean is not None) / n if n else None,
        n,
        sum(one.n_without for one in mine),
        sum(sd * n_ for sd, n_ in spread) / weight if weight else None,
    )


def _samples(run: Run) -> dict[int, tuple[int, int]]:
    """Return how many predictions each judge gave, criterion by criterion, and how many had no reading."""
    rows = Judgment.objects.filter(run=run, repeat__gt=0).order_by()
    unread = Count("pk", filter=~Q(outcome=Judgment.Outcome.SCORED))
    counted = rows.values_list("rater").annotate(n=Count("pk"), n_unread=unread)
    return {rater: (n, n_unread) for rater, n, n_unread in counted}


def _spent(run: Run) -> dict[int, AnswerSpent]:
    """Return what each judge took for one answer, on average."""
    done = Step.objects.filter(run=run, state=Step.State.DONE).order_by()
    n_done = dict(done.values_list("spec__judge").annotate(n=Count("pk")))
    rows = (
        LLMCall.objects.filter(run=run)
        .order_by()
        .values_list("step__spec__judge")
        .annotate(
            n=Count("pk"),
            n_priced=Count("cost"),
            time=Sum("seconds"),
            read=Sum("prompt_tokens"),
            wrote=Sum("completion_tokens"),
            money=Sum("cost"),
        )
    )
    asked = {one["judge"]: one["endpoint"] for one in run.config["judges"]}
    currency = dict(Endpoint.objects.filter(pk__in=asked.values()).values_list("pk", "currency"))
    return {
        judge: AnswerSpent(
            n=n_done[judge],
            calls=n / n_done[judge],
            seconds=time / n_done[judge],
            prompt_tokens=(read or 0) / n_done[judge],
            completion_tokens=(wrote or 0) / n_done[judge],
            cost=float(money) / n_done[judge] if money is not None and n_priced == n else None,
            currency=currency.get(asked[judge], ""),
        )
        for judge, n, n_priced, time, read, wrote, money in rows
        if n_done.get(judge)
    }


def _releases(reading: RunReading) -> list[tuple[int, str]]:
    keys = Step.objects.filter(run=reading.run).order_by().values("release").distinct()
    rows = SystemRelease.objects.filter(pk__in=keys).select_related("system")
    return sorted(((one.pk, reading.name_of(one)) for one in rows), key=lambda one: one[1])


def _reasons(run: Run) -> list[tuple[str, int]]:
    rows = Judgment.objects.filter(run=run, repeat=0).exclude(outcome=Judgment.Outcome.SCORED)
    found: dict[str, int] = defaultdict(int)
    for reason, n in rows.order_by().values_list("reason").annotate(n=Count("pk")):
        found[reason] += n
    return sorted(found.items(), key=lambda one: (-one[1], one[0]))


#: What of the address is taken over; the rest follows from the run.
TAKEN: Final = ("round", "level", "coefficient", "criterion")
COEFFICIENT: Final = "kendall_b"


def query_of(scope: Scope, board: FusionBoard, given: QueryDict) -> QueryDict | None:
    """Return what the judge pages are asked for: judges, assistants, who else scored, and who graded.

    None where nobody who may be read graded these answers.
    """
    made = QueryDict(mutable=True)
    for name in TAKEN:
        if name in given:
            made.setlist(name, given.getlist(name))
    made.setdefault("coefficient", COEFFICIENT)
    if "round" not in made:
        number = _round(scope, board.reading.run)
        if number is None:
            return None
        made["round"] = str(number)
    helpers = [one.rater for one in board.content.helpers]
    shown = dict.fromkeys([*board.raters, *helpers, *_others(board.reading.run)])
    made.setlist("judge", [str(one) for one in [*shown][: judge_options.MOST_JUDGES]])
    return made


def _others(run: Run) -> list[int]:
    """Return who else scored these answers: combined scores first, then judges."""
    answers = Step.objects.filter(run=run).values("response")
    scored = Judgment.objects.counted().filter(rater=OuterRef("pk"), response__in=answers)
    rows = Rater.objects.filter(
        Exists(scored), project=run.project, kind__in=[RaterKind.DERIVED, RaterKind.JUDGE]
    )
    return list(rows.order_by("kind", "ref").values_list("pk", flat=True))


def options(scope: Scope, query: QueryDict) -> ToCompare:
    """Return what is compared.

    Raises:
        errors.Refusal: the address names what is not there.
    """
    return judge_cells.options("judges", scope, query)


def among(query: QueryDict, raters: Sequence[int]) -> QueryDict:
    """Return what is asked where the judges alone are compared, without their assistants."""
    made = query.copy()
    made.setlist("judge", [str(one) for one in raters])
    return made


def together(board: FusionBoard, found: ToCompare) -> str:
    """Return the address of AVG, LLMSel and CorrW of the assistants, with the plan's ticks."""
    choice = found.choice
    if choice is None:
        return ""
    helpers = {one.assistant.key: one.rater for one in board.content.helpers}
    words: list[tuple[str, str]] = [("round", str(one)) for one in choice.rounds]
    words += [("judge", str(one)) for one in dict.fromkeys(helpers.values())]
    words += [("level", choice.level), ("coefficient", choice.coefficient)]
    named = board.plan.alignment if board.plan is not None else {}
    for people, task in _criteria(board, found).items():
        words += [(f"align.{people}", str(helpers[one])) for one in named.get(task, ())]
    return urlencode(words)


def _criteria(board: FusionBoard, found: ToCompare) -> dict[str, str]:
    """Return the task's criterion that stands for each of the people's."""
    assert found.choice is not None
    first = board.reading.run.config["judges"][0]
    keys = dict(
        Criterion.objects.filter(pk__in=first["criteria"].values()).values_list("pk", "key")
    )
    by_own = {keys[pk]: key for key, pk in first["criteria"].items()}
    mapping = found.choice.criteria
    own = {people: of.get(first["rater"], "") for people, of in mapping.items()}
    return {people: by_own[key] for people, key in own.items() if key in by_own}


def _round(scope: Scope, run: Run) -> int | None:
    """Return the newest round that may be read and in which people were given these answers."""
    if not Machine.objects.filter(rater__project=scope.project).exists():
        return None
    numbers = [one.round.number for one in judge_options.options_of(scope, QueryDict()).readings]
    if run.round is not None and run.round.number in numbers:
        return run.round.number
    answers = Step.objects.filter(run=run).values("response")
    here = RoundResponse.objects.filter(
        round_item__round__project=scope.project,
        round_item__round__number__in=numbers,
        response__in=answers,
    )
    found = here.order_by("-round_item__round__number").values_list("round_item__round__number")
    row = found.first()
    return None if row is None else int(row[0])


def preferred(board: FusionBoard, found: ToCompare) -> str:
    """Return the criterion that tests are about if nobody says: one that the task has too."""
    own = {one.key for one in board.content.criteria}
    return next((key for key in found.criteria if key in own), "")
