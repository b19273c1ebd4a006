"""What the corpus means for questions: which citations need a look, and why."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import CharField, Exists, F, OuterRef, Q, QuerySet, Subquery, TextField, Value
from django.db.models.functions import Replace, StrIndex, Substr

from annotation.models import (
    Citation,
    MachineDraft,
    QuestionVersion,
    SourceCheck,
    SourceVersion,
)
from annotation.rules import excerpts, passages
from annotation.rules.corpus import Mark
from annotation.rules.excerpts import Excerpt

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
class Cited:
    """A citation as a page shows it: the passage in its text, and why it needs a look."""

    citation: Citation
    excerpt: Excerpt | None
    marks: tuple[Mark, ...]
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
) -> list[Cited]:
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
) -> Cited:
    version = one.source_version
    last = newest[version.source_id]
    marks = []
    if version.source_id in gone:
        marks.append(Mark.WITHDRAWN)
    if version.valid_until is not None and version.valid_until < today:
        marks.append(Mark.PAST)
    quoted = one.quote
    if quoted and last.number > version.number and not passages.holds(last.text, quoted):
        marks.append(Mark.CHANGED)
    return Cited(
        citation=one,
        excerpt=excerpt_of(one) if is_seen else None,
        marks=tuple(marks),
        newest=last.number,
        withdrawn=gone.get(version.source_id),
        seen=is_seen,
    )


def excerpt_of(one: Citation) -> Excerpt | None:
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


def marked(versions: Sequence[int], today: date) -> dict[int, tuple[Mark, ...]]:
    """Return the marks of those question versions that a look at their sources is due for."""
    found: defaultdict[int, list[Mark]] = defaultdict(list)
    for mark, rows in (
        (Mark.WITHDRAWN, of_withdrawn()),
        (Mark.PAST, of_past(today)),
        (Mark.CHANGED, of_changed()),
    ):
        for pk in set(rows.filter(Q(version__in=versions)).values_list("version", flat=True)):
            found[pk].append(mark)
    return {pk: tuple(marks) for pk, marks in found.items()}


def machine_drafts_of(version: QuestionVersion) -> list[MachineDraft]:
    """Return what machines drafted of a question, in whichever version; the mark is never lost."""
    rows = MachineDraft.objects.filter(version__question=version.question_id)
    return list(rows.select_related("version", "by__person").order_by("pk"))
