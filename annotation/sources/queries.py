"""What the corpus means for questions: which citations need a look, and why.

* Reads about the corpus: who sees which sources, the list, and one source with all that hangs on it.
* Reads about collections of sources, for those who keep them.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import (
    CharField,
    Count,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
    Value,
)
from django.db.models.functions import Replace, StrIndex, Substr
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from annotation.bank.models import Citation, MachineDraft, QuestionVersion
from annotation.common import diffs
from annotation.common import texts as passages
from annotation.people import queries as people_queries
from annotation.people.models import Membership, Project, Role, User
from annotation.sources import rules as excerpts
from annotation.sources.models import (
    Appointment,
    Source,
    SourceCheck,
    SourceCollection,
    SourceEdit,
    SourceVersion,
)
from annotation.sources.rules import CitationMark, SourceExcerpt, SourceStanding
from evalsite.web import keyset
from evalsite.web.keyset import Page

WITHDRAWN = SourceCheck.Outcome.WITHDRAWN


def withdrawn_sources(sources: "QuerySet[SourceVersion] | None" = None) -> "QuerySet[SourceCheck]":
    """Return the last check of every source that was withdrawn by it."""
    later = SourceCheck.objects.filter(
        version__source=OuterRef("version__source"), pk__gt=OuterRef("pk")
    )
    rows = SourceCheck.objects.filter(outcome=WITHDRAWN).exclude(Exists(later)).order_by()
    return rows if sources is None else rows.filter(version__in=sources)


def of_withdrawn() -> "QuerySet[Citation]":
    """Return the citations of sources that were withdrawn."""
    gone = withdrawn_sources().values("version__source")
    return Citation.objects.filter(source_version__source__in=gone).order_by()


def of_past(today: date) -> "QuerySet[Citation]":
    """Return the citations of versions that are past their date."""
    stale = SourceVersion.objects.filter(valid_until__lt=today)
    return Citation.objects.filter(source_version__in=stale.values("pk")).order_by()


def of_changed() -> "QuerySet[Citation]":
    """Return the citations whose passage the newest version of the source does not hold any more.

    Only passages that were marked in the text can be looked for. Line breaks do not count.
    """
    newest = SourceVersion.objects.filter(source=OuterRef("source_version__source"))
    rows = Citation.objects.filter(start__isnull=False, end__isnull=False).annotate(
        newest=Subquery(newest.order_by("-number").values("number")[:1])
    )
    later = rows.filter(newest__gt=F("source_version__number"))
    quote = Substr("source_version__text", F("start") + 1, F("end") - F("start"))
    text = Subquery(newest.order_by("-number").values("text")[:1], output_field=TextField())
    return (
        later.annotate(place=StrIndex(_in_line(text), _in_line(quote))).filter(place=0).order_by()
    )


def _in_line(text: Any) -> Replace:
    return Replace(text, Value("\n"), Value(" "), output_field=CharField())


@dataclass(frozen=True)
class CitationLine:
    """A citation as a page shows it: the passage in its text, and why it needs a look."""

    citation: Citation
    excerpt: SourceExcerpt | None
    marks: tuple[CitationMark, ...]
    #: The newest version of its source.
    newest: int
    withdrawn: SourceCheck | None = None
    #: Whether whoever looks may see the source; others are told nothing but that there is one.
    seen: bool = True

    @property
    def paragraph(self) -> int:
        """The number of the paragraph in which the passage begins; 0 where none was marked."""
        one = self.citation
        if one.start is None or one.end is None:
            return 0
        return passages.place(one.source_version.text, one.start, one.end).first

    @property
    def newer(self) -> int:
        """The number of a newer version than the one that is cited; 0 if there is none."""
        return self.newest if self.newest > self.citation.source_version.number else 0


def cited(
    citations: Sequence[Citation], today: date, seen: "frozenset[int] | None" = None
) -> list[CitationLine]:
    """Return citations with their passages and marks; `seen` are the sources one may see.

    In as many queries however many they are.
    """
    sources = {one.source_version.source_id for one in citations}
    newest = _newest(sources)
    gone = {
        one.version.source_id: one
        for one in withdrawn_sources()
        .filter(version__source__in=sources)
        .select_related("version", "by__person")
    }
    return [
        _cited(one, newest, gone, today, seen is None or one.source_version.source_id in seen)
        for one in citations
    ]


def _cited(
    one: Citation,
    newest: dict[int, SourceVersion],
    gone: dict[int, SourceCheck],
    today: date,
    is_seen: bool,
) -> CitationLine:
    version = one.source_version
    last = newest[version.source_id]
    marks = []
    if version.source_id in gone:
        marks.append(CitationMark.WITHDRAWN)
    if version.valid_until is not None and version.valid_until < today:
        marks.append(CitationMark.PAST)
    quoted = one.quote
    if quoted and last.number > version.number and not passages.holds(last.text, quoted):
        marks.append(CitationMark.CHANGED)
    return CitationLine(
        citation=one,
        excerpt=excerpt_of(one) if is_seen else None,
        marks=tuple(marks),
        newest=last.number,
        withdrawn=gone.get(version.source_id),
        seen=is_seen,
    )


def excerpt_of(one: Citation) -> SourceExcerpt | None:
    """Return the passage of a citation in its text; none where the corpus keeps no text."""
    text = one.source_version.text
    if not text:
        return None
    if one.start is not None and one.end is not None:
        return excerpts.cut(text, one.start, one.end)
    return excerpts.around(text, one.locator)


def _newest(sources: set[int]) -> dict[int, SourceVersion]:
    later = SourceVersion.objects.filter(source=OuterRef("source"), number__gt=OuterRef("number"))
    rows = SourceVersion.objects.filter(source__in=sources).exclude(Exists(later))
    return {one.source_id: one for one in rows}


def marked(versions: Sequence[int], today: date) -> dict[int, tuple[CitationMark, ...]]:
    """Return the marks of those question versions that a look at their sources is due for."""
    found: defaultdict[int, list[CitationMark]] = defaultdict(list)
    for mark, rows in (
        (CitationMark.WITHDRAWN, of_withdrawn()),
        (CitationMark.PAST, of_past(today)),
        (CitationMark.CHANGED, of_changed()),
    ):
        for pk in set(rows.filter(Q(version__in=versions)).values_list("version", flat=True)):
            found[pk].append(mark)
    return {pk: tuple(marks) for pk, marks in found.items()}


def machine_drafts_of(version: QuestionVersion) -> list[MachineDraft]:
    """Return what machines drafted of a question, in whichever version; the mark is never lost."""
    rows = MachineDraft.objects.filter(version__question=version.question_id)
    return list(rows.select_related("version", "by__person").order_by("pk"))


STANDING_NAMES = {
    SourceStanding.UNCHECKED: _("not checked yet"),
    SourceStanding.VERIFIED: _("verified"),
    SourceStanding.NOT_VERIFIED: _("could not be verified"),
    SourceStanding.WITHDRAWN: _("withdrawn"),
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
    held = people_queries.roles(project.pk, user) if roles is None else roles
    if excerpts.sees_all(held):
        return rows
    theirs = Appointment.objects.filter(user=user, ended_at=None).order_by()
    return rows.filter(Q(collection=None) | Q(collection__in=theirs.values("collection")))


def only_seen(project: Project, user: User, roles: Collection[str]) -> "QuerySet[Source] | None":
    """Return the sources that a person may see, to be asked for; None where they see all."""
    return None if excerpts.sees_all(roles) else visible_to(project, user, roles)


def seen_by(project: Project, user: User, roles: Collection[str]) -> frozenset[int] | None:
    """Return the ids of the sources that a person may see; None where they see all."""
    if excerpts.sees_all(roles):
        return None
    return frozenset(visible_to(project, user, roles).values_list("pk", flat=True))


def collections_for(
    project: Project, user: User, roles: Collection[str]
) -> "QuerySet[SourceCollection]":
    """Return the collections whose sources a person may see."""
    rows = SourceCollection.objects.filter(project=project)
    if excerpts.sees_all(roles):
        return rows
    theirs = Appointment.objects.filter(user=user, ended_at=None).order_by()
    return rows.filter(pk__in=theirs.values("collection"))


@dataclass(frozen=True)
class SourceFilters:
    text: str = ""
    kind: str = ""
    stale: bool = False
    collection: int | None = None
    standing: str = ""


@dataclass(frozen=True)
class SourceLine:
    """A source as a line of the list; it is stale when its newest version is past its date."""

    source: Source
    number: int
    valid_until: date | None
    n_questions: int
    is_stale: bool
    standing: SourceStanding

    @property
    def standing_name(self) -> str:
        return str(STANDING_NAMES[self.standing])


def filtered(rows: "QuerySet[Source]", filters: SourceFilters, today: date) -> "QuerySet[Source]":
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
    withdrawn = Q(last_outcome=SourceStanding.WITHDRAWN)
    if wanted == SourceStanding.WITHDRAWN:
        return withdrawn
    current = Q(last_checked=F("number"))
    if wanted == SourceStanding.UNCHECKED:
        return Q(last_outcome=None) | (~withdrawn & Q(last_checked__lt=F("number")))
    return current & Q(last_outcome=wanted)


def page(rows: "QuerySet[Source]", after: str = "", size: int = keyset.SIZE) -> Page[Source]:
    named = rows.select_related("collection")
    return keyset.page(named, by=("title", "pk"), after=after, size=size)


def lines(sources: list[Source], today: date) -> list[SourceLine]:
    cited = Citation.objects.filter(source_version__source__in=sources).order_by()
    counts = dict(
        cited.values_list("source_version__source").annotate(
            n=Count("version__question", distinct=True)
        )
    )
    return [_line(one, counts.get(one.pk, 0), today) for one in sources]


def _line(one: Source, n: int, today: date) -> SourceLine:
    until: date | None = one.valid_until  # type: ignore[attr-defined]
    number: int = one.number or 0  # type: ignore[attr-defined]
    outcome: str | None = one.last_outcome  # type: ignore[attr-defined]
    checked: int | None = one.last_checked  # type: ignore[attr-defined]
    stands = standing_of(outcome, checked, number)
    return SourceLine(one, number, until, n, until is not None and until < today, stands)


def standing_of(outcome: str | None, checked: int | None, newest: int) -> SourceStanding:
    """Return where a source stands by its last check, of which version, and its newest version."""
    if outcome == SourceStanding.WITHDRAWN:
        return SourceStanding.WITHDRAWN
    return SourceStanding(outcome) if outcome and checked == newest else SourceStanding.UNCHECKED


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


def standing_by(checks: list[SourceCheck], newest: int) -> SourceStanding:
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


def marks_of(
    versions: list[QuestionVersion], today: date
) -> Mapping[int, tuple[excerpts.CitationMark, ...]]:
    """Return why questions need a look at their sources, by the version's id."""
    return marked([one.pk for one in versions], today)


def passages_of(version: SourceVersion) -> list[Citation]:
    """Return the passages of a version that questions were made from, where they stand."""
    rows = version.citations.filter(start__isnull=False, end__isnull=False)
    newest = QuestionVersion.objects.newest().filter(pk=OuterRef("version"))
    return list(rows.filter(Exists(newest)).select_related("version__question").order_by("start"))


def change(old: SourceVersion, new: SourceVersion) -> diffs.FieldChange:
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


#: So many sources of a collection are shown; the list of sources has a filter for all.
MOST_COLLECTIONS_SHOWN = 100


def collection_lines(project: Project) -> list[SourceCollection]:
    """Return the collections with `n_sources` and `n_designers`."""
    rows = SourceCollection.objects.filter(project=project).annotate(
        n_sources=Count("sources", distinct=True),
        n_designers=Count(
            "appointments", filter=Q(appointments__ended_at__isnull=True), distinct=True
        ),
    )
    return list(rows.order_by("name"))


def collection_of(project: Project, pk: int) -> SourceCollection | None:
    rows = SourceCollection.objects.filter(project=project, pk=pk)
    return rows.select_related("project", "created_by__person").first()


def appointments_of(collection: SourceCollection) -> list[Appointment]:
    """Return who is or was appointed, those who are first."""
    rows = collection.appointments.select_related(
        "user__person", "appointed_by__person", "ended_by__person"
    )
    return sorted(rows, key=lambda one: (one.ended_at is not None, one.pk))


def appointment_of(project: Project, collection: int, pk: int) -> Appointment | None:
    rows = Appointment.objects.filter(collection__project=project, collection=collection, pk=pk)
    return rows.select_related("collection__project", "user").first()


def designers_besides(collection: SourceCollection) -> list[User]:
    """Return the designers of the project who are not appointed to a collection."""
    active = Membership.objects.active().filter(
        project=collection.project_id, role=Role.DESIGNER, user=OuterRef("pk")
    )
    theirs = Appointment.objects.filter(collection=collection, ended_at=None, user=OuterRef("pk"))
    rows = User.objects.filter(Exists(active)).exclude(Exists(theirs))
    return list(rows.select_related("person").order_by("person__name"))


def sources_of(collection: SourceCollection) -> list[Source]:
    return list(collection.sources.order_by("title")[: MOST_COLLECTIONS_SHOWN + 1])
