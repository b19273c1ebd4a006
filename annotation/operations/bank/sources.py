"""Keep the corpus: sources and what they said at a time."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.models import Project, Source, SourceEdit, SourceVersion, User
from annotation.operations import audit, searching
from annotation.operations.bank.refusals import Incomplete, NotNow
from annotation.queries import sources as reads
from annotation.queries import standing
from annotation.rules import contents
from annotation.rules import corpus as corpus_rules
from annotation.rules import questions as rules
from evalsite import errors


class TitleTaken(errors.Invalid):
    code = "title_taken"


class EditedMeanwhile(errors.Conflict):
    code = "edited_meanwhile"


@dataclass(frozen=True)
class About:
    """Where a source comes from."""

    title: str
    kind: str = Source.Kind.DOCUMENT
    address: str = ""
    publisher: str = ""
    licence: str = ""
    collection_id: int | None = None

    def tidy(self) -> "About":
        """Return the same without spaces around what was written."""
        told: dict[str, Any] = {name: str(getattr(self, name)).strip() for name in PARTICULARS}
        return replace(self, **told)


#: What of a source is corrected where it is; what it says is a new version.
PARTICULARS = ("title", "kind", "address", "publisher", "licence")


@dataclass(frozen=True)
class Said:
    """What a source says, and when that holds; `file` is what the text was read from."""

    text: str = ""
    retrieved_on: date | None = None
    valid_from: date | None = None
    valid_until: date | None = None
    note: str = ""
    file: Mapping[str, Any] | None = None

    def tidy(self) -> "Said":
        """Return the same with its text as the corpus keeps it."""
        return replace(self, text=corpus_rules.tidy(self.text))

    def sha(self) -> str:
        dates = [str(one or "") for one in (self.valid_from, self.valid_until, self.retrieved_on)]
        return hashlib.sha256(contents.canonical([self.text, *dates, self.note])).hexdigest()


@transaction.atomic
def add_source(
    *, project: Project, about: About, said: Said, by: User, now: datetime
) -> SourceVersion:
    """Take a source into the corpus, with its first version.

    Raises:
        NotNow: their role has no part in the bank.
        TitleTaken: the corpus has a source of this title.
        Incomplete: it has no title, its dates contradict each other, or its collection is none
            of theirs.
    """
    _refuse_outsiders(project, by)
    said = said.tidy()
    _refuse_problems(about, said)
    _refuse_strange_collections(project, about, by)
    try:
        with transaction.atomic():
            source = Source.objects.create(
                project=project, created_by=by, created_at=now, **asdict(about)
            )
    except IntegrityError as problem:
        raise _taken(about.title) from problem
    version = SourceVersion.objects.create(
        source=source, number=1, sha=said.sha(), created_by=by, created_at=now, **asdict(said)
    )
    searching.keep_sources(versions=[version])
    _record("source.added", version, by, now)
    return version


@transaction.atomic
def add_version(*, source: Source, said: Said, by: User, now: datetime) -> SourceVersion:
    """Write down what a source says now; the same as one of its versions changes nothing.

    Raises:
        NotNow: their role has no part in the bank, or the source is none of theirs.
        Incomplete: its dates contradict each other.
    """
    source = (
        Source.objects.select_for_update(of=("self",)).select_related("project").get(pk=source.pk)
    )
    _refuse_strangers(source, by)
    said = said.tidy()
    _refuse_problems(About(source.title), said)
    same = source.versions.filter(sha=said.sha()).first()
    if same is not None:
        return same
    newest = source.versions.first()
    version = SourceVersion.objects.create(
        source=source,
        number=newest.number + 1 if newest else 1,
        sha=said.sha(),
        created_by=by,
        created_at=now,
        **asdict(said),
    )
    searching.keep_sources(versions=[version])
    _record("source.versioned", version, by, now)
    return version


@transaction.atomic
def edit(
    *, source: Source, about: About, seen: About | None = None, by: User, now: datetime
) -> SourceEdit | None:
    """Correct where a source comes from; None where it says so already. What it was stays on record.

    Args:
        about: as it is to be; its collection is left alone (annotation.operations.bank.collections).
        seen: as it was when they began; None where what they saw does not matter.

    Raises:
        NotNow: their role has no part in the bank, or the source is none of theirs.
        EditedMeanwhile: it is not as they saw it any more.
        Incomplete: it has no title.
        TitleTaken: another source of the corpus has this title.
    """
    source = (
        Source.objects.select_for_update(of=("self",)).select_related("project").get(pk=source.pk)
    )
    _refuse_strangers(source, by)
    about = about.tidy()
    _refuse_problems(about, Said())
    was = {name: getattr(source, name) for name in PARTICULARS}
    if seen is not None and was != {name: getattr(seen, name) for name in PARTICULARS}:
        raise EditedMeanwhile(
            _(
                "Somebody else corrected this source meanwhile. Load the page again and repeat yours."
            )
        )
    new = {name: getattr(about, name) for name in PARTICULARS}
    changed = [name for name in PARTICULARS if was[name] != new[name]]
    if not changed:
        return None
    for name in changed:
        setattr(source, name, new[name])
    try:
        with transaction.atomic():
            source.save(update_fields=changed)
    except IntegrityError as problem:
        raise _taken(about.title) from problem
    made = SourceEdit.objects.create(
        source=source,
        before={name: was[name] for name in changed},
        after={name: new[name] for name in changed},
        by=by,
        at=now,
    )
    newest = SourceVersion.objects.filter(source=source).order_by("-number").first()
    assert newest is not None
    newest.source = source
    searching.keep_sources(versions=[newest])
    audit.record(
        project=source.project,
        actor=by,
        verb="source.edited",
        subject=f"source:{source.pk}",
        at=now,
        fields=changed,
        edit=made.pk,
    )
    return made


@transaction.atomic
def add_missing(
    *, project: Project, found: Sequence[tuple[About, Said]], by: User, now: datetime
) -> int:
    """Take those sources into the corpus that it has none of the title of; return how many.

    Raises:
        NotNow: their role has no part in the bank.
        Incomplete: one has no title, or its dates contradict each other.
    """
    _refuse_outsiders(project, by)
    titles = [about.title for about, _said in found]
    known = set(
        Source.objects.filter(project=project, title__in=titles).values_list("title", flat=True)
    )
    new = [(about, said.tidy()) for about, said in found if about.title not in known]
    for about, said in new:
        _refuse_problems(about, said)
    rows = [
        Source(project=project, created_by=by, created_at=now, **asdict(about)) for about, _ in new
    ]
    Source.objects.bulk_create(rows)
    made = SourceVersion.objects.bulk_create(
        SourceVersion(
            source=source, number=1, sha=said.sha(), created_by=by, created_at=now, **asdict(said)
        )
        for source, (_about, said) in zip(rows, new, strict=True)
    )
    searching.keep_sources(versions=made)
    if new:
        audit.record(
            project=project,
            actor=by,
            verb="sources.added",
            subject=f"project:{project.slug}",
            at=now,
            sources=[one.pk for one in rows],
        )
    return len(new)


def _refuse_outsiders(project: Project, by: User) -> None:
    if not standing.roles(project.pk, by) & rules.BANK:
        raise NotNow(_("Your role in this project has no part in the bank."))


def _refuse_strangers(source: Source, by: User) -> None:
    _refuse_outsiders(source.project, by)
    if not reads.visible_to(source.project, by).filter(pk=source.pk).exists():
        raise NotNow(_("This source belongs to a collection that you are not appointed to."))


def _taken(title: str) -> TitleTaken:
    message = _("The corpus has a source called %(title)s. Cite that one, or use another title.")
    words = message % {"title": title}
    return TitleTaken(words, fields={"title": [words]})


def _refuse_problems(about: About, said: Said) -> None:
    found: dict[str, list[str]] = {}
    if not about.title.strip():
        found["title"] = [_("Give the source a title.")]
    if said.valid_from and said.valid_until and said.valid_from > said.valid_until:
        found["valid_until"] = [_("It ends before it begins. Mend one of the two dates.")]
    if len(said.text) > corpus_rules.MAX_TEXT:
        words = _("The text has %(n)d characters; %(most)d is the most. Take it in by chapters.")
        found["text"] = [words % {"n": len(said.text), "most": corpus_rules.MAX_TEXT}]
    if found:
        raise Incomplete(next(iter(found.values()))[0], fields=found)


def _refuse_strange_collections(project: Project, about: About, by: User) -> None:
    if about.collection_id is None:
        return
    theirs = reads.collections_for(project, by, standing.roles(project.pk, by))
    if not theirs.filter(pk=about.collection_id).exists():
        words = _("There is no such collection here, or you are not appointed to it.")
        raise Incomplete(words, fields={"collection": [words]})


def _record(verb: str, version: SourceVersion, by: User, now: datetime) -> None:
    audit.record(
        project=version.source.project,
        actor=by,
        verb=verb,
        subject=f"source:{version.source_id}/{version.number}",
        at=now,
        sha=version.sha,
    )
