"""Reads about the corpus: who sees which sources, the list, and one source with all that hangs on it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from annotation.models import (
    Appointment,
    Citation,
    Project,
    QuestionVersion,
    Source,
    SourceCheck,
    SourceCollection,
    SourceEdit,
    SourceVersion,
    User,
)
from annotation.queries import corpus, standing
from annotation.rules import corpus as rules
from annotation.rules import diffs, passages
from annotation.rules.corpus import Standing
from evalsite import keyset
from evalsite.keyset import Page

STANDING_NAMES = {
    Standing.UNCHECKED: _("not checked yet"),
    Standing.VERIFIED: _("verified"),
    Standing.NOT_VERIFIED: _("could not be verified"),
    Standing.WITHDRAWN: _("withdrawn"),
}
#: Stands for "in no collection" in the filters.
NONE = -1
#: So many questions made from a source are shown.
MOST_SHOWN = 200


def visible_to(
    project: Project, user: User, roles: Collection[str] | None = None
) -> "QuerySet[Source]":
    """Return the sources of a project that a person may see.

    Owners, curators, inspectors and analysts see all; a designer those of no collection, and those
    of the collections they are appointed to.
    """
    rows = Source.objects.filter(project=project)
    held = standing.roles(project.pk, user) if roles is None else roles
    if rules.sees_all(held):
        return rows
    theirs = Appointment.objects.filter(user=user, ended_at=None).order_by()
    return rows.filter(Q(collection=None) | Q(collection__in=theirs.values("collection")))


def only_seen(project: Project, user: User, roles: Collection[str]) -> "QuerySet[Source] | None":
    """Return the sources that a person may see, to be asked for; None where they see all."""
    return None if rules.sees_all(roles) else visible_to(project, user, roles)


def seen_by(project: Project, user: User, roles: Collection[str]) -> frozenset[int] | None:
    """Return the ids of the sources that a person may see; None where they see all."""
    if rules.sees_all(roles):
        return None
    return frozenset(visible_to(project, user, roles).values_list("pk", flat=True))


def collections_for(
    project: Project, user: User, roles: Collection[str]
) -> "QuerySet[SourceCollection]":
    """Return the collections whose sources a person may see."""
    rows = SourceCollection.objects.filter(project=project)
    if rules.sees_all(roles):
        return rows
    theirs = Appointment.objects.filter(user=user, ended_at=None).order_by()
    return rows.filter(pk__in=theirs.values("collection"))


@dataclass(frozen=True)
class Filters:
    text: str = ""
    kind: str = ""
    stale: bool = False
    collection: int | None = None
    standing: str = ""


@dataclass(frozen=True)
class Line:
    """A source as a line of the list; it is stale when its newest version is past its date."""

    source: Source
    number: int
    valid_until: date | None
    n_questions: int
    is_stale: bool
    standing: Standing

    @property
    def standing_name(self) -> str:
        return str(STANDING_NAMES[self.standing])


def filtered(rows: "QuerySet[Source]", filters: Filters, today: date) -> "QuerySet[Source]":
    """Return those of the sources that fit, each with its newest version and its last check."""
    newest = SourceVersion.objects.filter(source=OuterRef("pk")).order_by("-number")
    checks = SourceCheck.objects.filter(version__source=OuterRef("pk")).order_by("-pk")
    rows = rows.annotate(
        number=Subquery(newest.values("number")[:1]),
        valid_until=Subquery(newest.values("valid_until")[:1]),
        last_outcome=Subquery(checks.values("outcome")[:1]),
        last_checked=Subquery(checks.values("version__number")[:1]),
    )
    if filters.text:
        said = Q(title__icontains=filters.text) | Q(publisher__icontains=filters.text)
        rows = rows.filter(said)
    if filters.kind:
        rows = rows.filter(kind=filters.kind)
    if filters.collection is not None:
        wanted = None if filters.collection == NONE else filters.collection
        rows = rows.filter(collection=wanted)
    if filters.standing:
        rows = rows.filter(_stands(filters.standing))
    return rows.filter(valid_until__lt=today) if filters.stale else rows


def _stands(wanted: str) -> Q:
    withdrawn = Q(last_outcome=Standing.WITHDRAWN)
    if wanted == Standing.WITHDRAWN:
        return withdrawn
    current = Q(last_checked=F("number"))
    if wanted == Standing.UNCHECKED:
        return Q(last_outcome=None) | (~withdrawn & Q(last_checked__lt=F("number")))
    return current & Q(last_outcome=wanted)


def page(rows: "QuerySet[Source]", after: str = "", size: int = keyset.SIZE) -> Page[Source]:
    named = rows.select_related("collection")
    return keyset.page(named, by=("title", "pk"), after=after, size=size)


def lines(sources: list[Source], today: date) -> list[Line]:
    cited = Citation.objects.filter(source_version__source__in=sources).order_by()
    counts = dict(
        cited.values_list("source_version__source").annotate(
            n=Count("version__question", distinct=True)
        )
    )
    return [_line(one, counts.get(one.pk, 0), today) for one in sources]


def _line(one: Source, n: int, today: date) -> Line:
    until: date | None = one.valid_until  # type: ignore[attr-defined]
    number: int = one.number or 0  # type: ignore[attr-defined]
    outcome: str | None = one.last_outcome  # type: ignore[attr-defined]
    checked: int | None = one.last_checked  # type: ignore[attr-defined]
    stands = standing_of(outcome, checked, number)
    return Line(one, number, until, n, until is not None and until < today, stands)


def standing_of(outcome: str | None, checked: int | None, newest: int) -> Standing:
    """Return where a source stands by its last check, of which version, and its newest version."""
    if outcome == Standing.WITHDRAWN:
        return Standing.WITHDRAWN
    return Standing(outcome) if outcome and checked == newest else Standing.UNCHECKED


def source_of(sources: "QuerySet[Source]", pk: int) -> Source | None:
    return sources.select_related("collection", "created_by__person").filter(pk=pk).first()


def versions_of(source: Source) -> list[SourceVersion]:
    """Return the versions of a source, the newest first, each with how many versions cite it."""
    rows = source.versions.select_related("created_by__person").order_by("-number")
    return list(rows.annotate(n_cited=Count("citations")))


def checks_of(source: Source) -> list[SourceCheck]:
    """Return what was found of a source, the last first."""
    rows = SourceCheck.objects.filter(version__source=source).order_by("-pk")
    return list(rows.select_related("version", "by__person"))


@dataclass(frozen=True)
class Correction:
    """One correction of where a source comes from: what each field was and became."""

    edit: SourceEdit
    fields: list[tuple[str, str, str]]


def corrections_of(source: Source) -> list[Correction]:
    """Return how it was corrected where a source comes from, the last first."""
    rows = source.edits.select_related("by__person").order_by("-pk")[:MOST_SHOWN]
    kinds = {str(code): str(name) for code, name in Source.Kind.choices}
    labels = {one.name: one.verbose_name for one in Source._meta.concrete_fields}

    def said(name: str, value: str) -> str:
        return kinds.get(value, value) if name == "kind" else value

    return [
        Correction(
            one,
            [
                (
                    str(labels[name]),
                    said(name, one.before[name]),
                    said(name, new),
                )
                for name, new in one.after.items()
            ],
        )
        for one in rows
    ]


def standing_by(checks: list[SourceCheck], newest: int) -> Standing:
    """Return where a source stands by its checks, the last first."""
    last = checks[0] if checks else None
    return standing_of(
        last.outcome if last else None, last.version.number if last else None, newest
    )


def questions_of(source: Source) -> list[QuestionVersion]:
    """Return the newest version of every question that some version made from this source."""
    citing = Citation.objects.filter(
        source_version__source=source, version__question=OuterRef("question")
    )
    rows = QuestionVersion.objects.newest().filter(Exists(citing))
    named = rows.select_related("question", "capability", "author__person")
    return list(named.order_by("-pk")[:MOST_SHOWN])


def marks_of(versions: list[QuestionVersion], today: date) -> Mapping[int, tuple[rules.Mark, ...]]:
    """Return why questions need a look at their sources, by the version's id."""
    return corpus.marked([one.pk for one in versions], today)


def passages_of(version: SourceVersion) -> list[Citation]:
    """Return the passages of a version that questions were made from, where they stand."""
    rows = version.citations.filter(start__isnull=False, end__isnull=False)
    newest = QuestionVersion.objects.newest().filter(pk=OuterRef("version"))
    return list(rows.filter(Exists(newest)).select_related("version__question").order_by("start"))


def change(old: SourceVersion, new: SourceVersion) -> diffs.Change:
    """Return the words in which two versions of a source differ."""
    return diffs.fields({"text": old.text}, {"text": new.text})[0]


def version_of(sources: "QuerySet[Source]", pk: int) -> SourceVersion | None:
    """Return a version of one of these sources."""
    rows = SourceVersion.objects.filter(source__in=sources.order_by().values("pk"), pk=pk)
    return rows.select_related("source__project").first()


def place_of(text: str, start: int, end: int) -> str:
    """Return where a passage stands, as a person would say it."""
    place = passages.place(text, start, end)
    said = []
    if place.page:
        said.append(gettext("page %(n)d") % {"n": place.page})
    if place.first:
        one = ngettext(
            "paragraph %(first)d", "paragraphs %(first)d to %(last)d", place.last - place.first + 1
        )
        said.append(one % {"first": place.first, "last": place.last})
    if not place.whole:
        said.append(gettext("from character %(n)d") % {"n": start + 1})
    return ", ".join(said)
