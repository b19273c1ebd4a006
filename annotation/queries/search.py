"""What somebody means by a few words: the things of a project they may see, a few of each kind."""

from typing import TypeVar

from django.db import connection
from django.db.models import Model, Q, QuerySet

from annotation.models import (
    ImportBatch,
    Item,
    Membership,
    Project,
    Question,
    QuestionVersion,
    Response,
    Round,
    Rubric,
    SearchText,
    Source,
    System,
    User,
)
from annotation.queries import text_search
from annotation.queries.text_search import Limits
from annotation.rules import searching

T = TypeVar("T", bound=Model)

#: So many of a kind are shown.
EACH = 5
LAST_LETTER = "\U0010ffff"


def projects(user: User, words: str) -> list[Project]:
    """Return the projects somebody belongs to whose name has these words."""
    mine = Membership.objects.active().filter(user=user).values("project")
    named = _named(Project.objects.filter(pk__in=mine), words, "name", "subtitle", "slug")
    return list(named.order_by("name")[:EACH])


def questions(project: Project, words: str) -> list[QuestionVersion]:
    """Return questions of the bank whose id begins so, then those that have these words.

    Each by its newest version, with `question` at hand.
    """
    found: list[int] = []
    for start in _writings(words):
        if len(found) < EACH:
            begun = Question.objects.filter(_beginning(start), project=project)
            found += begun.order_by("external_id").values_list("pk", flat=True)[:EACH]
    if len(found) < EACH:
        found += _best(project, words, Limits({SearchText.Kind.QUESTION}))
    chosen = list(dict.fromkeys(found))[:EACH]
    rows = QuestionVersion.objects.newest().filter(question__in=chosen).select_related("question")
    versions = {one.question_id: one for one in rows}
    return [versions[pk] for pk in chosen if pk in versions]


def _writings(words: str) -> list[str]:
    return list(dict.fromkeys([words, words.upper(), words.lower()]))


def items(project: Project, words: str) -> list[Item]:
    """Return imported items whose id begins so, then those that have these words.

    What the bank put before raters is found as its question.
    """
    seen = Item.objects.seen().filter(project=project, question_version=None)
    found: dict[int, Item] = {}
    for start in _writings(words):
        if len(found) < EACH:
            begun = seen.filter(_beginning(start))
            found |= {one.pk: one for one in begun.order_by("external_id", "pk")[:EACH]}
    if len(found) < EACH:
        best = _best(project, words, Limits({SearchText.Kind.ITEM}))
        rows = {one.pk: one for one in seen.filter(pk__in=best)}
        found |= {pk: rows[pk] for pk in best if pk in rows}
    return list(found.values())[:EACH]


def sources(project: Project, words: str, visible: "QuerySet[Source] | None") -> list[Source]:
    """Return sources that have these words, of those that somebody may see (None: all)."""
    best = _best(project, words, Limits({SearchText.Kind.SOURCE}, visible))
    rows = Source.objects.in_bulk(best)
    return [rows[pk] for pk in best if pk in rows]


def responses(project: Project, words: str) -> list[Response]:
    """Return responses that have these words, with item and system at hand."""
    best = _best(project, words, Limits({SearchText.Kind.RESPONSE}))
    rows = Response.objects.select_related("item", "release__system").in_bulk(best)
    return [rows[pk] for pk in best if pk in rows]


def _best(project: Project, words: str, limits: Limits) -> list[int]:
    """Return the keys of the few things of one kind that have these words best."""
    sought = searching.sought(words)
    if not sought:
        return []
    hits = text_search.found(project, sought, limits, most=2 * EACH).hits
    return list(dict.fromkeys(one.of for one in hits))[:EACH]


def _beginning(start: str) -> Q:
    """Return the condition of an id that begins so.

    SQLite compares bytes and uses its index for a range, not for a LIKE; where a locale sorts, a
    range may hold other ids than those that begin so.
    """
    if connection.vendor == "sqlite":
        return Q(external_id__gte=start, external_id__lt=start + LAST_LETTER)
    return Q(external_id__startswith=start)


def rounds(project: Project, words: str) -> list[Round]:
    """Return the rounds with this name, or with this number."""
    rows = Round.objects.filter(project=project)
    wanted = Q(name__icontains=words)
    if words.isdecimal() and len(words) < 10:
        wanted |= Q(number=int(words))
    return list(rows.filter(wanted).order_by("-number")[:EACH])


def systems(project: Project, words: str) -> list[System]:
    rows = System.objects.seen().filter(project=project)
    return list(_named(rows, words, "name").order_by("name")[:EACH])


def rubrics(project: Project, words: str) -> list[Rubric]:
    rows = Rubric.objects.for_people().filter(project=project)
    return list(_named(rows, words, "name", "key").order_by("name")[:EACH])


def people(project: Project, words: str) -> list[User]:
    """Return those who belong to the project now, by their name or user name."""
    now = Membership.objects.active().filter(project=project).values("user")
    rows = User.objects.filter(pk__in=now).select_related("person")
    return list(_named(rows, words, "person__name", "username").order_by("person__name")[:EACH])


def imports(project: Project, words: str) -> list[ImportBatch]:
    rows = ImportBatch.objects.filter(project=project)
    return list(_named(rows, words, "file_name").order_by("-number")[:EACH])


def _named(rows: "QuerySet[T]", words: str, *fields: str) -> "QuerySet[T]":
    """Return the rows that have all the words, in whichever of the fields."""
    for word in words.split():
        anywhere = Q()
        for field in fields:
            anywhere |= Q(**{f"{field}__icontains": word})
        rows = rows.filter(anywhere)
    return rows
