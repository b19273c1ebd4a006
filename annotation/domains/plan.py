"""How many questions the bank holds of each kind, by how far they have come. Counted, never stored.

* The question plan: what is wanted of each kind, what there is, what is missing, and whose it is.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from urllib.parse import urlencode

from django.db.models import CharField, Count, Exists, ExpressionWrapper, OuterRef, Q, QuerySet

from annotation.bank.models import Question, QuestionVersion
from annotation.domains import queries as taxonomy
from annotation.domains.models import Capability, Difficulty, Domain, PlanCell, PlanShare
from annotation.people.models import Membership, Project, Role, User


@dataclass(frozen=True)
class QuestionArea:
    """What a question is about: capability, difficulty, domain; None and "" if not said."""

    capability: int | None
    difficulty: str
    domain: int | None


@dataclass(frozen=True)
class Stock:
    """Live questions. Each counts once: accepted if one of its versions is, else as its newest is."""

    accepted: int = 0
    inspected: int = 0
    drafted: int = 0

    def __add__(self, other: "Stock") -> "Stock":
        return Stock(
            self.accepted + other.accepted,
            self.inspected + other.inspected,
            self.drafted + other.drafted,
        )

    @property
    def under_way(self) -> int:
        return self.inspected + self.drafted

    @property
    def total(self) -> int:
        return self.accepted + self.under_way


#: The questions of a project, counted.
Kinds = Mapping[QuestionArea, Stock]


def by_kind(project: Project, *, author: User | None = None) -> dict[QuestionArea, Stock]:
    """Count the project's live questions; those of one author if given.

    Most questions have one version, and their number is read from an index of versions by kind.
    Of those that were written anew it is asked which version counts.
    """
    written_anew = QuestionVersion.objects.filter(number__gt=1).values("question")
    idle = Question.everything.filter(project=project).exclude(state=Question.State.LIVE)
    only = QuestionVersion.objects.exclude(question__in=written_anew).exclude(
        question__in=idle.values("pk")
    )
    own = Question.objects.filter(pk=OuterRef("question_id"), project=project)
    counts: Counter[tuple[QuestionArea, str]] = Counter()
    for rows in (
        only.filter(capability__in=Capability.objects.filter(project=project).values("pk")),
        only.filter(Exists(own), capability=None),
        _counting().filter(
            question__in=written_anew,
            question__project=project,
            question__state=Question.State.LIVE,
        ),
    ):
        wanted = rows.filter(author=author) if author else rows
        grouped = wanted.order_by().values("capability", "difficulty", "domain", "state")
        for row in grouped.annotate(n=Count("pk")):
            kind = QuestionArea(row["capability"], row["difficulty"], row["domain"])
            counts[kind, row["state"]] += row["n"]
    found: dict[QuestionArea, Stock] = {}
    for (kind, state), n in counts.items():
        found[kind] = found.get(kind, Stock()) + _of(state, n)
    return found


def _counting() -> "QuerySet[QuestionVersion]":
    """Return the highest accepted version of each question, else the highest."""
    accepted = Q(state=QuestionVersion.State.ACCEPTED)
    later = Q(number__gt=OuterRef("number"))
    others = QuestionVersion.objects.alias(own=ExpressionWrapper(OuterRef("state"), CharField()))
    is_begun = ~Q(own=QuestionVersion.State.ACCEPTED)
    before = others.filter(
        (later & accepted) | (is_begun & (later | accepted)), question=OuterRef("question")
    )
    return QuestionVersion.objects.filter(~Exists(before))


def _of(state: str, n: int) -> Stock:
    if state == QuestionVersion.State.ACCEPTED:
        return Stock(accepted=n)
    if state == QuestionVersion.State.SUBMITTED:
        return Stock(inspected=n)
    return Stock(drafted=n)  # a returned version is its author's again


def total(stocks: Iterable[Stock]) -> Stock:
    return sum(stocks, Stock())


def lineages(domains: Iterable[Domain]) -> dict[int, tuple[int, ...]]:
    """Return of every domain itself and all it stands below, the nearest first."""
    parents: Mapping[int, int | None] = {one.pk: one.parent_id for one in domains}
    found = {}
    for pk in parents:
        line: list[int] = []
        above: int | None = pk
        while above is not None:
            line.append(above)
            above = parents.get(above)
        found[pk] = tuple(line)
    return found


#: Who can be asked to write questions.
WRITERS = (Role.DESIGNER, Role.CURATOR, Role.OWNER)


@dataclass(frozen=True)
class PlanLine:
    """A number of the plan with what there is of it. In a domain, what stands below it counts."""

    cell: PlanCell
    stock: Stock
    shares: list[PlanShare] = field(default_factory=list)

    @property
    def missing(self) -> int:
        return max(self.cell.wanted - self.stock.accepted, 0)

    @property
    def assigned(self) -> int:
        return sum(share.n for share in self.shares)

    @property
    def unassigned(self) -> int:
        """What nobody has been asked for yet, of what is missing and not under way."""
        return max(self.missing - self.assigned, 0)

    @property
    def query(self) -> str:
        """The list of questions behind the number."""
        return query_of(self.cell.capability_id, self.cell.difficulty, self.cell.domain_id)


@dataclass(frozen=True)
class PlanBox:
    """A cell of the matrix: capability × difficulty, in one domain or over all."""

    capability: int
    difficulty: Difficulty
    stock: Stock
    #: What was written for exactly this cell, its row if there is one, and the sum over domains.
    own: int
    cell: int | None
    of_domains: int
    missing: int
    longest: int
    domain: int | None = None

    @property
    def wanted(self) -> int:
        return max(self.own, self.of_domains)

    @property
    def name(self) -> str:
        return f"w-{self.capability}-{self.difficulty}"

    @property
    def query(self) -> str:
        return query_of(self.capability, self.difficulty, self.domain)

    @property
    def bars(self) -> list[tuple[str, str, str]]:
        """Return class, start and width of each part of the bar, in percent of the longest."""
        found, start = [], 0
        parts = (self.stock.accepted, self.stock.inspected, self.stock.drafted)
        for name, n in zip(("b1", "b2", "b3"), parts, strict=True):
            if n:
                found.append((name, self._percent(start), self._percent(n)))
            start += n
        return found

    @property
    def goal(self) -> str:
        return self._percent(self.wanted)

    def _percent(self, n: int) -> str:
        return f"{100 * n / max(self.longest, 1):.1f}%"


@dataclass(frozen=True)
class PlanRow:
    capability: Capability
    indent: int
    boxes: list[PlanBox]

    @property
    def missing(self) -> int:
        return sum(box.missing for box in self.boxes)

    @property
    def wanted(self) -> int:
        return sum(box.wanted for box in self.boxes)

    @property
    def stock(self) -> Stock:
        return total(box.stock for box in self.boxes)


@dataclass(frozen=True)
class PlanMatrix:
    """The plan as a table, and its numbers one by one, what is missing most first.

    `without` counts questions that say no capability or difficulty.
    """

    rows: list[PlanRow]
    lines: list[PlanLine]
    without: int

    @property
    def wanted(self) -> int:
        return sum(row.wanted for row in self.rows)

    @property
    def missing(self) -> int:
        return sum(row.missing for row in self.rows)

    @property
    def stock(self) -> Stock:
        return total(row.stock for row in self.rows)


@dataclass(frozen=True)
class WritingTask:
    """What somebody is to write, and how much of it they have."""

    share: PlanShare
    stock: Stock

    @property
    def left(self) -> int:
        return max(self.share.n - self.stock.total, 0)

    @property
    def done(self) -> bool:
        return self.stock.accepted >= self.share.n

    @property
    def query(self) -> str:
        cell = self.share.cell
        return query_of(cell.capability_id, cell.difficulty, cell.domain_id)

    def is_late(self, today: date) -> bool:
        return self.share.due_on is not None and self.share.due_on < today and not self.done


def query_of(capability: int, difficulty: str, domain: int | None) -> str:
    chosen = {"capability": capability, "difficulty": difficulty, "domain": domain}
    return urlencode({name: value for name, value in chosen.items() if value is not None})


def lines(project: Project) -> list[PlanLine]:
    """Return every number of the plan, what is missing most first."""
    return _lines(project, _Counted.of(project))


def _lines(project: Project, counted: "_Counted") -> list[PlanLine]:
    cells = list(
        PlanCell.objects.filter(project=project)
        .select_related("capability", "domain")
        .prefetch_related("shares__designer__person")
    )
    found = [PlanLine(cell, counted.of_cell(cell), list(cell.shares.all())) for cell in cells]
    return sorted(found, key=_urgency)


def line_of(cell: PlanCell) -> PlanLine:
    shares = cell.shares.select_related("designer__person")
    return PlanLine(cell, _Counted.of(cell.project).of_cell(cell), list(shares))


def matrix(
    project: Project,
    *,
    domain: Domain | None,
    gaps_first: bool = True,
    kinds: Kinds | None = None,
) -> PlanMatrix:
    """Return the plan of one domain (with what stands below it), or over all of them.

    Args:
        kinds: the questions of the project, where they were counted already.
    """
    counted = _Counted.of(project, kinds=kinds)
    written = _lines(project, counted)
    by_spot: dict[tuple[int, str], list[PlanLine]] = defaultdict(list)
    for line in written:
        by_spot[line.cell.capability_id, line.cell.difficulty].append(line)
    tree = taxonomy.capability_names(project)
    boxes = {
        (branch.node.pk, code): _box(
            branch.node.pk, code, by_spot[branch.node.pk, code], domain, counted
        )
        for branch in tree
        for code in Difficulty
    }
    longest = max((max(box.wanted, box.stock.total) for box in boxes.values()), default=0)
    rows = [
        PlanRow(
            branch.node,
            branch.indent,
            [_scaled(boxes[branch.node.pk, code], longest) for code in Difficulty],
        )
        for branch in tree
    ]
    if gaps_first:
        rows.sort(key=lambda row: -row.missing)
    unsaid = [
        one
        for kind, one in counted.by_kind.items()
        if kind.capability is None or not kind.difficulty
    ]
    return PlanMatrix(rows, written, total(unsaid).total)


def tasks_of(project: Project, user: User) -> list[WritingTask]:
    """Return what somebody is to write: what is due first, what is done last."""
    shares = list(
        PlanShare.objects.filter(cell__project=project, designer=user).select_related(
            "cell__capability", "cell__domain"
        )
    )
    if not shares:
        return []
    counted = _Counted.of(project, author=user)
    found = [WritingTask(share, counted.of_cell(share.cell)) for share in shares]
    return sorted(found, key=lambda task: (task.done, task.share.due_on or date.max, task.share.pk))


def writers(project: Project) -> list[User]:
    """Return the people who can be asked to write questions."""
    ids = Membership.objects.with_role(WRITERS).filter(project=project).values("user")
    users = User.objects.filter(pk__in=ids).select_related("person")
    return sorted(users, key=lambda user: str(user.display_name).casefold())


@dataclass(frozen=True)
class _Counted:
    by_kind: Kinds
    #: The same by capability and difficulty: domain and stock.
    by_spot: dict[tuple[int | None, str], list[tuple[int | None, Stock]]]
    lineages: dict[int, tuple[int, ...]]

    @classmethod
    def of(
        cls, project: Project, author: User | None = None, kinds: Kinds | None = None
    ) -> "_Counted":
        kinds = by_kind(project, author=author) if kinds is None else kinds
        spots: dict[tuple[int | None, str], list[tuple[int | None, Stock]]] = defaultdict(list)
        for kind, stock in kinds.items():
            spots[kind.capability, kind.difficulty].append((kind.domain, stock))
        return cls(kinds, spots, lineages(Domain.objects.filter(project=project)))

    def of_cell(self, cell: PlanCell) -> Stock:
        return self.at(cell.capability_id, cell.difficulty, cell.domain_id)

    def at(self, capability: int, difficulty: str, domain: int | None) -> Stock:
        return total(
            stock
            for place, stock in self.by_spot.get((capability, difficulty), ())
            if domain is None or domain in self.lineages.get(place or 0, ())
        )


def _box(
    capability: int,
    difficulty: Difficulty,
    written: Iterable[PlanLine],
    domain: Domain | None,
    counted: _Counted,
) -> PlanBox:
    chosen = domain.pk if domain else None
    mine = next((line for line in written if line.cell.domain_id == chosen), None)
    parts = list(_parts(written, domain))
    stock = counted.at(capability, difficulty, chosen)
    return PlanBox(
        capability=capability,
        difficulty=difficulty,
        stock=stock,
        own=mine.cell.wanted if mine else 0,
        cell=mine.cell.pk if mine else None,
        of_domains=sum(line.cell.wanted for line in parts),
        missing=max(mine.missing if mine else 0, sum(line.missing for line in parts)),
        longest=0,
        domain=chosen,
    )


def _parts(written: Iterable[PlanLine], domain: Domain | None) -> Iterator[PlanLine]:
    """Yield the numbers of single domains, when the page shows all of them together."""
    return (line for line in written if domain is None and line.cell.domain_id is not None)


def _scaled(box: PlanBox, longest: int) -> PlanBox:
    return PlanBox(**{**box.__dict__, "longest": longest})


def _urgency(line: PlanLine) -> tuple[int, str, int]:
    priority = line.cell.domain.priority if line.cell.domain else "P1"
    return -line.missing, priority, line.cell.pk
