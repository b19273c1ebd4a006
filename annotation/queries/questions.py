"""The list of the question bank: each question by its newest version, filtered, page by page."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.models import (
    Citation,
    Domain,
    Project,
    Question,
    QuestionVersion,
    Round,
    RoundItem,
    User,
)
from evalsite import keyset
from evalsite.keyset import Page

State = QuestionVersion.State
#: Counting stops here: a long list says "more than".
MOST_COUNTED = 2_000
#: A draft that nobody has saved for so long needs a look.
OLD_DRAFT = timedelta(days=30)
LOOKS = ("outdated", "stale_source", "returned", "waiting", "old_draft", "no_meaning")


@dataclass(frozen=True)
class Filters:
    """What of the bank somebody wants to see; empty means all."""

    text: str = ""
    state: str = ""
    life: str = ""
    capability: int | None = None
    difficulty: str = ""
    domain: int | None = None
    tag: str = ""
    language: str = ""
    author: int | None = None
    look: str = ""


@dataclass(frozen=True)
class Line:
    """A question as a line of the list."""

    version: QuestionVersion
    area: str
    n_sources: int
    n_used: int
    #: Days since it was last saved.
    age: int
    is_outdated: bool


def newest(project: Project) -> "QuerySet[QuestionVersion]":
    """Return the newest version of every question of a project."""
    return QuestionVersion.objects.newest().filter(question__project=project)


def filtered(
    project: Project, filters: Filters, *, user: User, now: datetime
) -> "QuerySet[QuestionVersion]":
    rows = newest(project)
    plain = {
        "state": filters.state,
        "question__state": filters.life,
        "capability": filters.capability,
        "difficulty": filters.difficulty,
        "language": filters.language,
        "author": filters.author,
    }
    rows = rows.filter(**{name: value for name, value in plain.items() if value})
    if filters.domain is not None:
        rows = rows.filter(domain__in=below(project, filters.domain))
    if filters.tag:
        # A tag stands in quotes in the stored list; what looks like a pattern is taken as it is.
        rows = rows.filter(tags__icontains=f'"{filters.tag}"')
    if filters.text:
        words = filters.text
        rows = rows.filter(
            Q(question__external_id__istartswith=words)
            | Q(turns__0__content__icontains=words)
            | Q(answer__icontains=words)
        )
    return needing(rows, filters.look, user=user, now=now) if filters.look else rows


def needing(
    rows: "QuerySet[QuestionVersion]", look: str, *, user: User, now: datetime
) -> "QuerySet[QuestionVersion]":
    """Return those of the newest versions that need a look of this kind; counted, never stored."""
    live = rows.filter(question__state=Question.State.LIVE)
    if look == "outdated":
        return live.filter(valid_until__lt=now.date())
    if look == "stale_source":
        old = Citation.objects.filter(
            version=OuterRef("pk"), source_version__valid_until__lt=now.date()
        )
        return live.filter(Exists(old))
    if look == "returned":
        return live.filter(state=State.RETURNED, author=user)
    if look == "waiting":
        return live.filter(state=State.SUBMITTED)
    if look == "old_draft":
        return live.filter(state=State.DRAFT, saved_at__lt=now - OLD_DRAFT)
    used = RoundItem.objects.filter(
        item__question_version__question_id=OuterRef("question_id")
    ).exclude(round__state=Round.State.DRAFT)
    return live.filter(Exists(used), number__gt=1, meaning_changed=None)


def below(project: Project, domain: int) -> set[int]:
    """Return an area and everything below it."""
    parents = dict(Domain.objects.filter(project=project).values_list("pk", "parent_id"))
    found = {domain}
    while more := {pk for pk, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def page(
    project: Project,
    rows: "QuerySet[QuestionVersion]",
    after: str = "",
    size: int = keyset.SIZE,
    *,
    of_a_kind: bool = False,
) -> Page[QuestionVersion]:
    """Return a page of the list, what was begun last first.

    It walks the questions, whose index is in that order, and not their versions, which would all
    be sorted first. Versions `of_a_kind`, of one capability, have an index of their own.
    """
    if of_a_kind:
        direct = rows.select_related("question", "capability", "author__person")
        return keyset.page(direct, by=("-question_id",), after=after, size=size)
    fitting = Exists(rows.filter(question=OuterRef("pk")))
    found = keyset.page(
        Question.objects.filter(fitting, project=project), by=("-pk",), after=after, size=size
    )
    named = rows.filter(question__in=found.rows).select_related(
        "question", "capability", "author__person"
    )
    versions = {one.question_id: one for one in named}
    shown = [versions[one.pk] for one in found.rows if one.pk in versions]
    return Page(rows=shown, after=found.after, first=found.first)


def lines(project: Project, versions: Collection[QuestionVersion], today: date) -> list[Line]:
    """Return versions as lines, with their area's path, their sources and their use counted."""
    areas = paths(project)
    sources = _counted(
        Citation.objects.filter(version__in=versions).order_by(), "version_id", "source_version"
    )
    used = uses(one.question_id for one in versions)
    return [
        Line(
            version=one,
            area=areas.get(one.domain_id or 0, ""),
            n_sources=sources.get(one.pk, 0),
            n_used=used.get(one.question_id, 0),
            age=max((today - one.saved_at.date()).days, 0),
            is_outdated=one.valid_until is not None and one.valid_until < today,
        )
        for one in versions
    ]


def uses(questions: Iterable[int]) -> Mapping[int, int]:
    """Return in how many opened rounds each question was."""
    rows = (
        RoundItem.objects.filter(item__question_version__question__in=list(questions))
        .exclude(round__state=Round.State.DRAFT)
        .order_by()
    )
    return _counted(rows, "item__question_version__question_id", "round")


def paths(project: Project) -> dict[int, str]:
    """Return every area as the path that leads to it."""
    nodes = {one.pk: one for one in Domain.objects.filter(project=project)}
    found = {}
    for node in nodes.values():
        names, above = [node.name], node.parent_id
        while above is not None:
            names.append(nodes[above].name)
            above = nodes[above].parent_id
        found[node.pk] = " › ".join(reversed(names))
    return found


def count(rows: "QuerySet[QuestionVersion]") -> int:
    """Return how many there are, at most one more than MOST_COUNTED."""
    return rows.order_by()[: MOST_COUNTED + 1].count()


def by_life(project: Project) -> dict[str, int]:
    rows = Question.objects.filter(project=project).order_by()
    return dict(rows.values_list("state").annotate(n=Count("pk")))


def authors(project: Project) -> list[User]:
    """Return everybody who has written for this bank."""
    written = QuestionVersion.objects.filter(question__project=project, author=OuterRef("pk"))
    return list(
        User.objects.filter(memberships__project=project)
        .distinct()
        .filter(Exists(written))
        .select_related("person")
        .order_by("person__name")
    )


def _counted(
    rows: "QuerySet[Citation] | QuerySet[RoundItem]", by: str, what: str
) -> dict[int, int]:
    return dict(rows.values_list(by).annotate(n=Count(what, distinct=True)))
