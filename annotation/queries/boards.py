"""The bank as a board: a column for each state, a card for each question by its newest version."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import QuerySet

from annotation.models import Project, Question, QuestionVersion, User
from annotation.queries import questions, standing
from annotation.queries.questions import Filters
from annotation.rules import boards
from annotation.rules import questions as rules
from annotation.rules.boards import Column

#: Cards of a column that are shown at once, beside others and alone.
SIZE = 8
ALONE = 24
#: What an accepted question needs a look for.
LOOKS = ("outdated", "stale_source", "changed_source", "withdrawn_source", "no_meaning")
Life = Question.State


@dataclass(frozen=True)
class Card:
    """A question on the board, and where it may go."""

    version: QuestionVersion
    area: str
    priority: str
    #: Days since it was last saved.
    age: int
    moves: tuple[boards.Move, ...]
    may_inspect: bool
    may_edit: bool


@dataclass(frozen=True)
class Pile:
    """A column with its cards; `n` is at most one more than questions.MOST_COUNTED."""

    column: Column
    n: int
    cards: tuple[Card, ...]
    after: str | None
    first: bool


def board(
    project: Project,
    filters: Filters,
    *,
    user: User,
    now: datetime,
    only: Column | None = None,
    after: str = "",
) -> list[Pile]:
    """Return the columns of the board, filtered as the list is, but for its state and life.

    Args:
        only: this column alone, from the key `after` on.
    """
    plain = replace(filters, state="", life="")
    rows = questions.filtered(project, plain, user=user, now=now)
    looks = _needing_look(rows, user, now)
    of_a_kind = filters.capability is not None
    found = []
    for column in [only] if only else Column:
        begin, size = (after, ALONE) if only else ("", SIZE)
        if column is Column.LOOK:
            page = questions.page_of_few(list(looks.values()), begin, size, brief=True)
        else:
            mine = _of_column(project, rows, column, looks, of_a_kind)
            page = questions.page(project, mine, begin, size, of_a_kind=of_a_kind, brief=True)
        found.append((column, page.n, page))
    cards = _cards(project, [one for _c, _n, page in found for one in page.rows], looks, user, now)
    return [
        Pile(column, n, tuple(cards[one.pk] for one in page.rows), page.after, page.first)
        for column, n, page in found
    ]


def _needing_look(
    rows: "QuerySet[QuestionVersion]", user: User, now: datetime
) -> Mapping[int, int]:
    """Return the accepted versions that need a look, at most so many of each kind.

    By the version's id, the question's.
    """
    accepted = rows.filter(state=QuestionVersion.State.ACCEPTED)
    found: dict[int, int] = {}
    for look in LOOKS:
        needing = questions.needing(accepted, look, user=user, now=now).order_by()
        found |= dict(needing.values_list("pk", "question_id")[: questions.MOST_COUNTED])
    return found


def _of_column(
    project: Project,
    rows: "QuerySet[QuestionVersion]",
    column: Column,
    looks: Collection[int],
    of_a_kind: bool,
) -> "QuerySet[QuestionVersion]":
    if column in {Column.RETIRED, Column.INVALIDATED}:
        if not of_a_kind:
            return rows.filter(question__state=column.value)
        # The few that are out of use are found first; else all of a kind would be asked.
        idle = Question.objects.filter(project=project, state=column.value).order_by()
        return rows.filter(question__in=idle.values("pk"))
    live = rows.filter(question__state=Life.LIVE)
    of_state = live.filter(state=column.value)
    return of_state.exclude(pk__in=looks) if column is Column.ACCEPTED and looks else of_state


def _cards(
    project: Project,
    versions: Sequence[QuestionVersion],
    looks: Collection[int],
    user: User,
    now: datetime,
) -> dict[int, Card]:
    where = standing.of_many(project.pk, versions, user)
    areas = questions.paths(project)
    found = {}
    for one in versions:
        at = where[one.pk]
        found[one.pk] = Card(
            version=one,
            area=areas.get(one.domain_id or 0, ""),
            priority=one.domain.priority if one.domain else "",
            age=max((now.date() - one.saved_at.date()).days, 0),
            moves=tuple(boards.moves(at, one.pk in looks)),
            may_inspect=rules.allows(rules.Act.INSPECT, at),
            may_edit=rules.allows(rules.Act.EDIT, at),
        )
    return found
