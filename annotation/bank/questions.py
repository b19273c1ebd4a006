"""The list of the question bank: each question by its newest version, filtered, page by page.

* How people look at the list of the bank: their saved filters and the columns they chose.
* Where a question stands and how a person stands to it: what the rules of the bank decide by.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import CharField, Count, Exists, OuterRef, Q, QuerySet, Value

from annotation.bank import rules
from annotation.bank.models import (
    ChosenColumns,
    Citation,
    Inspection,
    Question,
    QuestionVersion,
    SavedFilter,
)
from annotation.bank.rules import Order
from annotation.domains.models import Domain
from annotation.domains.queries import domain_paths
from annotation.people.models import Project, User
from annotation.people.queries import roles
from annotation.rounds.models import Round, RoundItem
from annotation.search import queries as text_search
from annotation.search import rules as searching
from annotation.search.models import QuestionText
from annotation.sources import queries as corpus
from annotation.systems.models import Item
from annotation.systems.queries import Origin
from evalsite.web import keyset
from evalsite.web.keyset import Page

State = QuestionVersion.State
#: Counting stops here: a long list says "more than".
MOST_COUNTED = 2_000
#: A draft that nobody has saved for so long needs a look.
OLD_DRAFT = timedelta(days=30)
#: By which fields of questions, and of versions of a kind, each order goes.
KEYS: Mapping[Order, tuple[str, str]] = {
    Order.NEWEST: ("-pk", "-question_id"),
    Order.OLDEST: ("pk", "question_id"),
    Order.ID: ("external_id", ""),
}
#: Texts that no line of a list shows.
UNSHOWN = (
    "answer",
    "key_points",
    "principle",
    "replies",
    "capability__definition",
    "capability__difficulties",
    "domain__definition",
    "domain__completeness_note",
)
LOOKS = (
    "outdated",
    "stale_source",
    "changed_source",
    "withdrawn_source",
    "returned",
    "waiting",
    "old_draft",
    "no_meaning",
)


@dataclass(frozen=True)
class BankFilters:
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
    #: The number of the import that brought a question, a version of it, or an item under its id.
    batch: int | None = None
    origin: str = ""


#: The filters by name, as they stand in an address.
NAMES = tuple(one.name for one in fields(BankFilters))


@dataclass(frozen=True)
class BankQuestionLine:
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
    project: Project, filters: BankFilters, *, user: User, now: datetime
) -> "QuerySet[QuestionVersion]":
    rows = newest(project)
    if filters.origin == Origin.IMPORT:
        return rows.none()
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
    if filters.batch is not None:
        brought = QuestionVersion.objects.filter(
            batch__project=project, batch__number=filters.batch
        )
        taken = Item.objects.filter(batch__project=project, batch__number=filters.batch)
        rows = rows.filter(
            Q(question__in=brought.values("question"))
            | Q(question__external_id__in=taken.values("external_id"))
        )
    if filters.tag:
        # A tag stands in quotes in the stored list; what looks like a pattern is taken as it is.
        rows = rows.filter(tags__icontains=f'"{filters.tag}"')
    if filters.text:
        rows = saying(project, rows, filters.text)
    return needing(rows, filters.look, user=user, now=now) if filters.look else rows


def saying(
    project: Project, rows: "QuerySet[QuestionVersion]", words: str, *, few: int = MOST_COUNTED
) -> "QuerySet[QuestionVersion]":
    """Return those of the newest versions whose question has these words, in id, turns or answer.

    Where few have them, all texts were read to find them, and that is done once, here. Where many
    have them, each is looked at when its turn comes, and nobody comes to the end.
    """
    wanted = searching.folded(words)
    if not wanted:
        return rows
    named = text_search.questions(project, wanted)[: few + 1]
    found = list(named.values_list("pk", flat=True))
    if len(found) <= few:
        return rows.filter(question__in=found)
    return rows.filter(
        Exists(QuestionText.objects.filter(pk=OuterRef("question_id"), said__contains=wanted))
    )


def needing(
    rows: "QuerySet[QuestionVersion]", look: str, *, user: User, now: datetime
) -> "QuerySet[QuestionVersion]":
    """Return those of the newest versions that need a look of this kind; counted, never stored."""
    live = rows.filter(question__state=Question.State.LIVE)
    if look == "outdated":
        past = QuestionVersion.objects.filter(valid_until__lt=now.date()).order_by()
        return live.filter(pk__in=past.values("pk"))
    if look == "stale_source":
        return live.filter(pk__in=corpus.of_past(now.date()).values("version"))
    if look == "changed_source":
        return live.filter(pk__in=corpus.of_changed().values("version"))
    if look == "withdrawn_source":
        return live.filter(pk__in=corpus.of_withdrawn().values("version"))
    if look == "returned":
        return live.filter(state=State.RETURNED, author=user)
    if look == "waiting":
        return live.filter(state=State.SUBMITTED)
    if look == "old_draft":
        return live.filter(state=State.DRAFT, saved_at__lt=now - OLD_DRAFT)
    # The few questions that were used and changed since are found first, not asked of each version.
    used = RoundItem.objects.exclude(round__state=Round.State.DRAFT)
    among = used.filter(item__question_version__isnull=False).order_by()
    unsaid = QuestionVersion.objects.filter(
        question__in=among.values("item__question_version__question"),
        number__gt=1,
        meaning_changed=None,
    )
    return live.filter(pk__in=unsaid.order_by().values("pk"))


@dataclass(frozen=True)
class Needed:
    """How many questions need a look of a kind (at most one more than MOST_COUNTED), and some."""

    n: int
    rows: list[QuestionVersion]


def needed(
    rows: "QuerySet[QuestionVersion]",
    looks: Sequence[str],
    *,
    shown: int,
    user: User,
    now: datetime,
) -> dict[str, Needed]:
    """Return what needs a look of each kind: how many, and those that were begun first."""
    found: dict[str, list[int]] = {look: [] for look in looks}
    asked = []
    for look in looks:
        fitting = needing(rows, look, user=user, now=now).order_by()
        few = QuestionVersion.objects.filter(pk__in=fitting.values("pk")[: MOST_COUNTED + 1])
        asked.append(few.order_by().values_list("pk", Value(look, CharField())))
    for pk, look in asked[0].union(*asked[1:], all=True) if asked else ():
        found[look].append(pk)
    some = {look: sorted(keys)[:shown] for look, keys in found.items()}
    texts = QuestionVersion.objects.select_related("question", "author__person").in_bulk(
        {pk for keys in some.values() for pk in keys}
    )
    return {
        look: Needed(len(found[look]), [texts[pk] for pk in keys if pk in texts])
        for look, keys in some.items()
    }


def below(project: Project, domain: int) -> set[int]:
    """Return an area and everything below it."""
    parents = dict(Domain.objects.filter(project=project).values_list("pk", "parent_id"))
    found = {domain}
    while more := {pk for pk, parent in parents.items() if parent in found} - found:
        found |= more
    return found


@dataclass(frozen=True)
class Listed(Page[QuestionVersion]):
    """A page of the list, and how many questions fit: at most one more than MOST_COUNTED."""

    n: int = 0


def page(
    project: Project,
    rows: "QuerySet[QuestionVersion]",
    after: str = "",
    size: int = keyset.SIZE,
    *,
    of_a_kind: bool = False,
    order: Order = Order.NEWEST,
    few: int = MOST_COUNTED,
    brief: bool = False,
) -> Listed:
    """Return a page of the list, by default what was begun last first.

    Where few fit, they are found first and then put in order. Where many do, it walks the
    questions, whose index is in that order, until the page is full; all versions would have to be
    sorted. Versions `of_a_kind`, of one capability, have an index of their own. A `brief` page is
    read without the texts that no line shows.
    """
    of_questions, of_versions = KEYS[order]
    after = after if _is_of(order, after) else ""
    fit = list(rows.order_by().values_list("question_id", flat=True)[: MOST_COUNTED + 1])
    if len(fit) <= few and order is not Order.ID:
        return page_of_few(fit, after, size, order=order, brief=brief)
    if of_a_kind and of_versions and len(fit) > few:
        # Their ids are put in order first: whole rows would be sorted with all their texts.
        many = keyset.page(rows.only("question_id"), by=(of_versions,), after=after, size=size)
        shown = _shown([one.question_id for one in many.rows], brief)
        return Listed(shown, many.after, many.first, len(fit))
    fitting = Q(pk__in=fit) if len(fit) <= few else Q(Exists(rows.filter(question=OuterRef("pk"))))
    found = keyset.page(
        Question.objects.filter(fitting, project=project),
        by=(of_questions,),
        after=after,
        size=size,
    )
    shown = _shown([one.pk for one in found.rows], brief)
    return Listed(shown, found.after, found.first, len(fit))


def page_of_few(
    fit: Sequence[int], after: str, size: int, *, order: Order = Order.NEWEST, brief: bool = False
) -> Listed:
    """Return a page of questions of which all ids are known, so that no database sorts them.

    `order` is by when they were begun.
    """
    known = keyset.read_key(after, 1)
    down = order is Order.NEWEST
    begun = sorted(fit, reverse=down)
    if known is not None:
        begun = [one for one in begun if (one < known[0] if down else one > known[0])]
    further = keyset.write([begun[size - 1]]) if len(begun) > size else None
    return Listed(_shown(begun[:size], brief), further, known is None, len(fit))


def _shown(ids: Sequence[int], brief: bool) -> list[QuestionVersion]:
    """Return the newest versions of these questions, in their order, with what a line names.

    What fits is known: they are asked for without all that was filtered by.
    """
    named = QuestionVersion.objects.newest().filter(question__in=ids)
    named = named.select_related("question", "capability", "domain", "author__person")
    named = named.defer(*UNSHOWN) if brief else named
    versions = {one.question_id: one for one in named}
    return [versions[one] for one in ids if one in versions]


def _is_of(order: Order, after: str) -> bool:
    """Return whether a key of a page is one of this order: an address may hold another one's."""
    values = keyset.read_key(after, 1)
    return values is not None and isinstance(values[0], str) == (order is Order.ID)


def lines(
    project: Project, versions: Collection[QuestionVersion], today: date
) -> list[BankQuestionLine]:
    """Return versions as lines, with their area's path, their sources and their use counted."""
    areas = domain_paths(project)
    sources = _counted(
        Citation.objects.filter(version__in=versions).order_by(), "version_id", "source_version"
    )
    used = uses(project, (one.question.external_id for one in versions))
    return [
        BankQuestionLine(
            version=one,
            area=areas.get(one.domain_id or 0, ""),
            n_sources=sources.get(one.pk, 0),
            n_used=used.get(one.question.external_id, 0),
            age=max((today - one.saved_at.date()).days, 0),
            is_outdated=one.valid_until is not None and one.valid_until < today,
        )
        for one in versions
    ]


def uses(project: Project, external_ids: Iterable[str]) -> Mapping[str, int]:
    """Return in how many opened rounds each question was, in a wording of the bank or an imported one."""
    rows = (
        RoundItem.objects.filter(item__project=project, item__external_id__in=list(external_ids))
        .exclude(round__state=Round.State.DRAFT)
        .order_by()
    )
    return _counted(rows, "item__external_id", "round")


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
) -> dict[Any, int]:
    return dict(rows.values_list(by).annotate(n=Count(what, distinct=True)))


def visible(project: Project, user: User) -> "QuerySet[SavedFilter]":
    """Return the saved filters that are somebody's own, and those that are shared."""
    rows = SavedFilter.objects.filter(Q(owner=user) | Q(is_shared=True), project=project)
    return rows.select_related("owner__person", "project").order_by("-is_shared", "name", "pk")


def columns_of(project: Project, user: User) -> tuple[rules.ListedColumn, ...]:
    """Return the columns that somebody has chosen; what is unknown by now is left out."""
    kept = ChosenColumns.objects.filter(project=project, user=user).first()
    found = rules.chosen(kept.columns).columns if kept else ()
    return found or rules.USUAL


def standing_of(version: QuestionVersion, user: User) -> rules.QuestionStanding:
    """Return the standing of a person to a version (with `question` at hand)."""
    inspectors = set(
        Inspection.objects.filter(version=version).values_list("inspector_id", flat=True)
    )
    return rules.QuestionStanding(
        life=rules.Life(version.question.state),
        version=rules.VersionState(version.state),
        roles=roles(version.question.project_id, user),
        is_author=version.author_id == user.pk,
        inspected=bool(inspectors),
        inspected_by_me=user.pk in inspectors,
        wrote_before=written_since_accepted(version.question_id)
        .filter(author=user, number__lt=version.number)
        .exists(),
    )


def of_many(
    project_id: int, versions: Collection[QuestionVersion], user: User
) -> dict[int, rules.QuestionStanding]:
    """Return the standing of a person to each version of one project (with `question` at hand).

    By the version's id, in as many queries however many they are.
    """
    inspectors: defaultdict[int, set[int]] = defaultdict(set)
    rows = Inspection.objects.filter(version__in=versions)
    for version, inspector in rows.values_list("version_id", "inspector_id"):
        inspectors[version].add(inspector)
    wrote = _wrote_before(versions, user)
    held = roles(project_id, user)
    return {
        one.pk: rules.QuestionStanding(
            life=rules.Life(one.question.state),
            version=rules.VersionState(one.state),
            roles=held,
            is_author=one.author_id == user.pk,
            inspected=bool(inspectors[one.pk]),
            inspected_by_me=user.pk in inspectors[one.pk],
            wrote_before=one.pk in wrote,
        )
        for one in versions
    }


def _wrote_before(versions: Collection[QuestionVersion], user: User) -> set[int]:
    """Return the ids of those versions before which the person wrote one that nobody has accepted."""
    later = [one for one in versions if one.number > 1]
    rows = QuestionVersion.objects.filter(question__in=[one.question_id for one in later])
    accepted: defaultdict[int, int] = defaultdict(int)
    written: defaultdict[int, set[int]] = defaultdict(set)
    for question, number, state, author in rows.values_list(
        "question_id", "number", "state", "author_id"
    ):
        if state == rules.VersionState.ACCEPTED:
            accepted[question] = max(accepted[question], number)
        if author == user.pk:
            written[question].add(number)
    return {
        one.pk
        for one in later
        if any(accepted[one.question_id] < n < one.number for n in written[one.question_id])
    }


def used_among(questions: Collection[int]) -> set[int]:
    """Return those of the questions that a round that was opened has put before people."""
    rows = RoundItem.objects.filter(item__question_version__question__in=questions).exclude(
        round__state=Round.State.DRAFT
    )
    return set(rows.values_list("item__question_version__question_id", flat=True).distinct())


def since_accepted() -> "QuerySet[QuestionVersion]":
    """Return the versions of questions after the last one that was accepted."""
    return QuestionVersion.objects.exclude(
        Exists(
            QuestionVersion.objects.accepted().filter(
                question_id=OuterRef("question_id"), number__gte=OuterRef("number")
            )
        )
    )


def written_since_accepted(question: int | OuterRef) -> "QuerySet[QuestionVersion]":
    """Return the versions of a question after the last one that was accepted.

    Args:
        question: its id, or a reference to it in an outer query.
    """
    return since_accepted().filter(question=question)


def is_used(question_id: int) -> bool:
    """Return whether a round that was opened has put this question before people."""
    return (
        RoundItem.objects.filter(item__question_version__question_id=question_id)
        .exclude(round__state=Round.State.DRAFT)
        .exists()
    )
