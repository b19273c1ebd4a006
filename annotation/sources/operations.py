"""Keep the corpus: sources and what they said at a time.

* Check sources: verified, not verified, withdrawn. Each time a row that stays.
* Keep collections of sources: what belongs to them, and which designers see them.
"""

from collections.abc import Sequence
from datetime import datetime

from django.db import IntegrityError, transaction

from annotation.common.sentences import gettext as _
from annotation.people import audit
from annotation.people import queries as people_queries
from annotation.people import rules as people_rules
from annotation.people.models import Membership, Project, Role, User
from annotation.search import operations as searching
from annotation.sources import queries as reads
from annotation.sources import rules as corpus_rules
from annotation.sources.models import (
    Appointment,
    Source,
    SourceCheck,
    SourceCollection,
    SourceEdit,
    SourceVersion,
)
from annotation.sources.records import PARTICULARS
from annotation.sources.records import SourceAbout as SourceAbout
from annotation.sources.records import SourceSaid as SourceSaid
from annotation.sources.rules import SourceStanding
from evalsite import errors, records


class TitleTaken(errors.Invalid): ...


class EditedMeanwhile(errors.Conflict): ...


@transaction.atomic
def add_source(
    *, project: Project, about: SourceAbout, said: SourceSaid, by: User, now: datetime
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
                project=project, created_by=by, created_at=now, **records.values(about)
            )
    except IntegrityError as problem:
        raise _taken(about.title) from problem
    version = SourceVersion.objects.create(
        source=source,
        number=1,
        sha=said.sha(),
        created_by=by,
        created_at=now,
        **records.values(said),
    )
    searching.keep_sources(versions=[version])
    _record("source.added", version, by, now)
    return version


@transaction.atomic
def add_version(*, source: Source, said: SourceSaid, by: User, now: datetime) -> SourceVersion:
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
    _refuse_problems(SourceAbout(source.title), said)
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
        **records.values(said),
    )
    searching.keep_sources(versions=[version])
    _record("source.versioned", version, by, now)
    return version


@transaction.atomic
def edit(
    *, source: Source, about: SourceAbout, seen: SourceAbout | None = None, by: User, now: datetime
) -> SourceEdit | None:
    """Correct where a source comes from; None where it says so already. What it was stays on record.

    Args:
        about: as it is to be; its collection is left alone (annotation.sources.operations).
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
    _refuse_problems(about, SourceSaid())
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
    audit.done(source, "source.edited", by, now, fields=changed, edit=made.pk)
    return made


@transaction.atomic
def add_missing(
    *, project: Project, found: Sequence[tuple[SourceAbout, SourceSaid]], by: User, now: datetime
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
        Source(project=project, created_by=by, created_at=now, **records.values(about))
        for about, _ in new
    ]
    Source.objects.bulk_create(rows)
    made = SourceVersion.objects.bulk_create(
        SourceVersion(
            source=source,
            number=1,
            sha=said.sha(),
            created_by=by,
            created_at=now,
            **records.values(said),
        )
        for source, (_about, said) in zip(rows, new, strict=True)
    )
    searching.keep_sources(versions=made)
    if new:
        audit.done(project, "sources.added", by, now, sources=[one.pk for one in rows])
    return len(new)


def _refuse_outsiders(project: Project, by: User) -> None:
    if not people_queries.roles(project.pk, by) & people_rules.BANK:
        raise errors.NotNow(_("Your role in this project has no part in the bank."))


def _refuse_strangers(source: Source, by: User) -> None:
    _refuse_outsiders(source.project, by)
    if not reads.visible_to(source.project, by).filter(pk=source.pk).exists():
        raise errors.NotNow(_("This source belongs to a collection that you are not appointed to."))


def _taken(title: str) -> TitleTaken:
    message = _("The corpus has a source called %(title)s. Cite that one, or use another title.")
    words = message % {"title": title}
    return TitleTaken(words, fields={"title": [words]})


def _refuse_problems(about: SourceAbout, said: SourceSaid) -> None:
    found: dict[str, list[str]] = {}
    if not about.title.strip():
        found["title"] = [_("Give the source a title.")]
    if said.valid_from and said.valid_until and said.valid_from > said.valid_until:
        found["valid_until"] = [_("It ends before it begins. Mend one of the two dates.")]
    if len(said.text) > corpus_rules.MAX_TEXT:
        words = _("The text has %(n)d characters; %(most)d is the most. Take it in by chapters.")
        found["text"] = [words % {"n": len(said.text), "most": corpus_rules.MAX_TEXT}]
    if found:
        raise errors.Incomplete(next(iter(found.values()))[0], fields=found)


def _refuse_strange_collections(project: Project, about: SourceAbout, by: User) -> None:
    if about.collection_id is None:
        return
    theirs = reads.collections_for(project, by, people_queries.roles(project.pk, by))
    if not theirs.filter(pk=about.collection_id).exists():
        words = _("There is no such collection here, or you are not appointed to it.")
        raise errors.Incomplete(words, fields={"collection": [words]})


def _record(verb: str, version: SourceVersion, by: User, now: datetime) -> None:
    audit.record(
        project=version.source.project,
        actor=by,
        verb=verb,
        subject=f"source:{version.source_id}/{version.number}",
        at=now,
        sha=version.sha,
    )


WITHDRAWN = SourceCheck.Outcome.WITHDRAWN


@transaction.atomic
def check(
    *, source: Source, number: int, outcome: str, how: str, by: User, now: datetime
) -> SourceCheck:
    """Write down what was found of a source; `number` is the version that was read.

    Raises:
        NotNow: it is not theirs to do, the source has a newer version, or it is withdrawn already.
        Incomplete: it does not say how.
    """
    source = (
        Source.objects.select_for_update(of=("self",)).select_related("project").get(pk=source.pk)
    )
    newest = SourceVersion.objects.filter(source=source).order_by("-number").first()
    assert newest is not None
    before = reads.standing_by(reads.checks_of(source), newest.number)
    _refuse(source, outcome, before, by)
    if number != newest.number:
        message = _("The source has version %(n)d by now. Read it before you say this.")
        raise errors.NotNow(message % {"n": newest.number})
    how = how.strip()
    if not how:
        words = _("Say how you checked it, or why it is withdrawn.")
        raise errors.Incomplete(words, fields={"how": [words]})
    made = SourceCheck.objects.create(version=newest, outcome=outcome, how=how, by=by, at=now)
    audit.record(
        project=source.project,
        actor=by,
        verb="source.checked",
        subject=f"source:{source.pk}/{newest.number}",
        at=now,
        note=how,
        outcome=outcome,
    )
    return made


def _refuse(source: Source, outcome: str, before: SourceStanding, by: User) -> None:
    roles = people_queries.roles(source.project_id, by)
    if not roles & people_rules.INSPECTORS:
        raise errors.NotNow(_("Inspectors, curators and owners check sources."))
    is_withdrawn = before == SourceStanding.WITHDRAWN
    if (outcome == WITHDRAWN or is_withdrawn) and not roles & people_rules.CURATORS:
        raise errors.NotNow(_("Owners and curators withdraw a source, or take it back into use."))
    if outcome == WITHDRAWN and is_withdrawn:
        raise errors.NotNow(_("This source is withdrawn already."))


class CollectionNameTaken(errors.Invalid): ...


class NoDesigner(errors.Invalid): ...


@transaction.atomic
def create_collection(
    *, project: Project, name: str, note: str, by: User, now: datetime
) -> SourceCollection:
    """Begin a collection without sources.

    Raises:
        NotNow: they do not curate the project.
        Incomplete: it has no name.
        CollectionNameTaken: there is one of this name.
    """
    _refuse_others(project, by)
    name = " ".join(name.split())
    if not name:
        words = _("Give the collection a name.")
        raise errors.Incomplete(words, fields={"name": [words]})
    try:
        with transaction.atomic():
            made = SourceCollection.objects.create(
                project=project, name=name, note=note.strip(), created_by=by, created_at=now
            )
    except IntegrityError as problem:
        words = _("There is a collection called %(name)s. Choose another name.") % {"name": name}
        raise CollectionNameTaken(words, fields={"name": [words]}) from problem
    _record_collection("collection.created", made, by, now)
    return made


@transaction.atomic
def appoint(*, collection: SourceCollection, user: User, by: User, now: datetime) -> Appointment:
    """Let a designer see a collection; one who is appointed already stays so.

    Raises:
        NotNow: they do not curate the project.
        NoDesigner: the person is no designer of the project.
    """
    _refuse_others(collection.project, by)
    members = Membership.objects.active().filter(
        project=collection.project_id, user=user, role=Role.DESIGNER
    )
    if not members.exists():
        words = _("Only designers of this project are appointed to a collection.")
        raise NoDesigner(words, fields={"user": [words]})
    made, is_new = Appointment.objects.get_or_create(
        collection=collection,
        user=user,
        ended_at=None,
        defaults={"appointed_by": by, "appointed_at": now},
    )
    if is_new:
        _record_collection("collection.appointed", collection, by, now, who=str(user.public_id))
    return made


@transaction.atomic
def end_appointment(*, appointment: Appointment, by: User, now: datetime) -> None:
    """Take a collection out of a designer's sight; what they wrote from it stays.

    Raises:
        NotNow: they do not curate the project, or it was ended before.
    """
    collection = appointment.collection
    _refuse_others(collection.project, by)
    ended = Appointment.objects.filter(pk=appointment.pk, ended_at=None).update(
        ended_by=by, ended_at=now
    )
    if not ended:
        raise errors.NotNow(_("This appointment was ended before. Load the page again."))
    _record_collection("collection.ended", collection, by, now, who=str(appointment.user.public_id))


@transaction.atomic
def move(*, source: Source, collection: SourceCollection | None, by: User, now: datetime) -> Source:
    """Put a source into a collection, or out of all of them.

    Raises:
        NotNow: they do not curate the project.
        Incomplete: the collection is another project's.
    """
    _refuse_others(source.project, by)
    if collection is not None and collection.project_id != source.project_id:
        words = _("There is no such collection here.")
        raise errors.Incomplete(words, fields={"collection": [words]})
    source.collection = collection
    source.save(update_fields=["collection"])
    audit.done(source, "source.moved", by, now, collection=collection.pk if collection else None)
    return source


def _refuse_others(project: Project, by: User) -> None:
    if not people_queries.roles(project.pk, by) & people_rules.CURATORS:
        raise errors.NotNow(_("Owners and curators keep the collections of sources."))


def _record_collection(
    verb: str, collection: SourceCollection, by: User, now: datetime, **said: str
) -> None:
    audit.record(
        project=collection.project,
        actor=by,
        verb=verb,
        subject=f"collection:{collection.pk}",
        at=now,
        **said,
    )
