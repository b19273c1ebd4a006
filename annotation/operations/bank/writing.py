"""Write questions: drafts that are saved as one writes, submitted, returned, written anew."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Length
from django.utils.translation import gettext as _

from annotation.models import (
    Citation,
    Project,
    Question,
    QuestionComment,
    QuestionVersion,
    SourceVersion,
    User,
)
from annotation.operations import audit, similarity
from annotation.operations.bank.refusals import IdTaken, Incomplete, NotNow, StaleDraft, require
from annotation.queries import inspections, settings, sources, standing
from annotation.rules import questions as rules

State = QuestionVersion.State
#: Fields of a version that a draft sets as they are given.
PLAIN = (
    "answer",
    "capability_id",
    "domain_id",
    "difficulty",
    "question_type",
    "principle",
    "as_of",
    "valid_until",
    "language",
    "meaning_changed",
    "meaning_note",
)
#: Fields that hold lists or tables.
LISTS = ("turns", "key_points", "tags", "replies")
#: Fields that the next version takes over from the one before it.
CARRIED = ("turns", "key_points", "tags", *PLAIN[:-2])


@dataclass(frozen=True)
class Cited:
    """A place in a version of a source; a passage stands from `start` up to `end`, in characters."""

    source_version_id: int
    locator: str = ""
    start: int | None = None
    end: int | None = None

    @classmethod
    def of(cls, one: Citation) -> "Cited":
        return cls(one.source_version_id, one.locator, one.start, one.end)


@dataclass(frozen=True)
class Text:
    """Everything a draft says. It may be incomplete until it is submitted."""

    turns: Sequence[Mapping[str, str]] = ()
    answer: str = ""
    key_points: Sequence[str] = ()
    capability_id: int | None = None
    domain_id: int | None = None
    difficulty: str = ""
    question_type: str = ""
    principle: str = ""
    as_of: str = ""
    valid_until: date | None = None
    tags: Sequence[str] = ()
    language: str = ""
    cited: Sequence[Cited] = ()
    meaning_changed: bool | None = None
    meaning_note: str = ""
    replies: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, version: QuestionVersion) -> "Text":
        """Return what a version says, with what it cites."""
        cited = [Cited.of(one) for one in version.citations.all()]
        plain = {name: getattr(version, name) for name in (*PLAIN, *LISTS)}
        return cls(**plain, cited=cited)


@transaction.atomic
def create_question(
    *, project: Project, text: Text, by: User, now: datetime, external_id: str = ""
) -> QuestionVersion:
    """Begin a question with the draft of its first version; without an id it gets the next free one.

    Raises:
        NotNow: their role does not write questions.
        IdTaken: the bank has a question with this id.
    """
    if not standing.roles(project.pk, by) & rules.DESIGNERS:
        raise NotNow(_("Your role in this project does not write questions."))
    question = _question(project, external_id.strip(), by, now)
    version = QuestionVersion.objects.create(
        question=question, number=1, author=by, created_at=now, saved_at=now, **_values(text)
    )
    _cite(version, text.cited, _may_cite(question.project, by))
    similarity.index_version(version=version)
    _record("question.begun", version, by, now)
    return version


@transaction.atomic
def save_draft(
    *, version: QuestionVersion, text: Text, base_rev: int, by: User, now: datetime
) -> QuestionVersion:
    """Save a draft; `base_rev` is the revision that was on the page.

    Raises:
        NotNow: it is no draft any more, or somebody else's.
        StaleDraft: it was saved in another place since.
    """
    version = _locked(version)
    require(
        rules.Act.EDIT, version, by, _("Only its author changes a question, while it is a draft.")
    )
    if version.rev != base_rev:
        raise StaleDraft(
            _("This draft was saved in another place since. Yours is kept here: compare the two."),
            version.rev,
        )
    values = {**_values(text), "rev": base_rev + 1, "saved_at": now}
    QuestionVersion.objects.filter(pk=version.pk, rev=base_rev, state=State.DRAFT).update(**values)
    allowed = _may_cite(version.question.project, by, version)
    version.citations.all().delete()
    _cite(version, text.cited, allowed)
    version.refresh_from_db()
    similarity.index_version(version=version)
    return version


@transaction.atomic
def submit(*, version: QuestionVersion, base_rev: int, by: User, now: datetime) -> QuestionVersion:
    """Hand a draft in for inspection. From now on this version stays as it is.

    Raises:
        NotNow: it is no draft, or somebody else's.
        StaleDraft: it was saved in another place since.
        Incomplete: something is missing, or a finding is not answered; `fields` says what.
    """
    version = _locked(version)
    require(rules.Act.SUBMIT, version, by, _("Only its author submits a question that is a draft."))
    if version.rev != base_rev:
        raise StaleDraft(
            _("This draft was saved in another place since. Read it before you submit it."),
            version.rev,
        )
    found = rules.problems(
        turns=version.turns,
        answer=version.answer,
        capability=version.capability_id,
        difficulty=version.difficulty,
        n_citations=version.citations.count(),
        asks_meaning=asks_meaning(version),
        meaning_changed=version.meaning_changed,
    )
    bank = settings.bank_of(version.question.project)
    if not bank.offers(version.language):
        found["language"] = [
            _("The bank offers %(offered)s, not %(given)s. Choose one of these.")
            % {"offered": ", ".join(bank.languages), "given": version.language}
        ]
    found |= _unanswered(version)
    if found:
        first = _(next(iter(found.values()))[0])
        raise Incomplete(
            first, fields={key: [_(one) for one in all_] for key, all_ in found.items()}
        )
    _move(version, State.DRAFT, State.SUBMITTED, submitted_at=now)
    _record("question.submitted", version, by, now)
    return version


@transaction.atomic
def withdraw(*, version: QuestionVersion, by: User, now: datetime) -> QuestionVersion:
    """Take a version back from inspection, to go on with it.

    Raises:
        NotNow: somebody has inspected it, or it is not theirs.
    """
    version = _locked(version)
    message = _("Only its author takes a question back, before anybody has inspected it.")
    require(rules.Act.WITHDRAW, version, by, message)
    _move(version, State.SUBMITTED, State.DRAFT, submitted_at=None)
    _record("question.withdrawn", version, by, now)
    return version


@transaction.atomic
def discard(*, version: QuestionVersion, by: User, now: datetime) -> None:
    """Throw a draft away; a question that has no other version goes with it.

    Raises:
        NotNow: it is no draft, or somebody else's.
    """
    version = _locked(version)
    require(rules.Act.DISCARD, version, by, _("Only its author throws a draft away."))
    _record("question.discarded", version, by, now)
    question = version.question
    QuestionComment.objects.filter(version=version).update(version=None)
    version.delete()
    if not question.versions.exists():
        question.comments.all().delete()
        question.delete()
        return
    similarity.index_newest(question=question)


@transaction.atomic
def revise(
    *,
    version: QuestionVersion,
    by: User,
    now: datetime,
    suggestion: Mapping[str, Any] | None = None,
) -> QuestionVersion:
    """Begin the next version of a question, from the newest one.

    Args:
        suggestion: texts by field that the author takes over from an inspection.

    Raises:
        NotNow: a version is under way, or the question is out of use.
    """
    Question.objects.select_for_update().get(pk=version.question_id)
    newest = QuestionVersion.objects.filter(question=version.question_id).first() or version
    message = _("A new version begins from one that was accepted or returned, of a live question.")
    require(rules.Act.REVISE, newest, by, message)
    values = {name: getattr(newest, name) for name in CARRIED} | _suggested(newest, suggestion)
    made = QuestionVersion.objects.create(
        question=newest.question,
        number=newest.number + 1,
        author=by,
        created_at=now,
        saved_at=now,
        **values,
    )
    Citation.objects.bulk_create(
        Citation(
            version=made,
            source_version_id=one.source_version_id,
            locator=one.locator,
            start=one.start,
            end=one.end,
            position=one.position,
        )
        for one in newest.citations.all()
    )
    similarity.index_version(version=made)
    _record("question.revised", made, by, now)
    return made


def _unanswered(version: QuestionVersion) -> dict[str, list[str]]:
    """Return what inspection found in the version before and the author has not answered."""
    words = _("Inspection found “%(line)s” not met. Say what you did about it, in the draft.")
    return {
        f"reply-{key}": [words % {"line": line}]
        for key, line in inspections.to_answer(version).items()
        if not version.replies.get(key, "").strip()
    }


def asks_meaning(version: QuestionVersion) -> bool:
    """Return whether the author must say if the meaning changed: a round has used the question."""
    return version.number > 1 and standing.is_used(version.question_id)


def _suggested(version: QuestionVersion, texts: Mapping[str, Any] | None) -> dict[str, Any]:
    taken = dict(texts or {})
    asked = taken.pop("question", None)
    if asked is not None and version.turns:
        taken["turns"] = [*version.turns[:-1], {**version.turns[-1], "content": asked}]
    return {name: value for name, value in taken.items() if name in CARRIED}


def _question(project: Project, external_id: str, by: User, now: datetime) -> Question:
    try:
        with transaction.atomic():
            return Question.objects.create(
                project=project,
                external_id=external_id or _free_id(project),
                created_by=by,
                created_at=now,
            )
    except IntegrityError as problem:
        message = _("The bank has a question with the id %(id)s. Choose another one.")
        words = message % {"id": external_id}
        raise IdTaken(words, fields={"external_id": [words]}) from problem


def _free_id(project: Project) -> str:
    taken = Question.everything.filter(project=project)
    number = taken.count() + 1
    while taken.filter(external_id=f"Q{number:04d}").exists():
        number += 1
    return f"Q{number:04d}"


def _locked(version: QuestionVersion) -> QuestionVersion:
    Question.objects.select_for_update().get(pk=version.question_id)
    return (
        QuestionVersion.objects.select_for_update(of=("self",))
        .select_related("question__project")
        .get(pk=version.pk)
    )


def _move(version: QuestionVersion, old: str, new: str, **values: Any) -> None:
    moved = QuestionVersion.objects.filter(pk=version.pk, state=old).update(state=new, **values)
    if not moved:
        raise NotNow(_("Somebody has moved this question on. Load the page again."))
    version.refresh_from_db()


def _values(text: Text) -> dict[str, Any]:
    return {
        **{name: getattr(text, name) for name in PLAIN},
        "turns": [{"role": one["role"], "content": one["content"]} for one in text.turns],
        "key_points": [one.strip() for one in text.key_points if one.strip()],
        "tags": list(dict.fromkeys(one.strip() for one in text.tags if one.strip())),
        "replies": {key: words for key, words in text.replies.items() if words.strip()},
    }


def _may_cite(
    project: Project, by: User, version: QuestionVersion | None = None
) -> "QuerySet[SourceVersion]":
    """Return the versions of sources that somebody may cite: what they see, and what stands there."""
    seen = Q(source__in=sources.visible_to(project, by).order_by().values("pk"))
    if version is not None:
        there = version.citations.values_list("source_version", flat=True)
        seen |= Q(pk__in=list(there), source__project=project)
    return SourceVersion.objects.filter(seen)


def _cite(
    version: QuestionVersion, cited: Sequence[Cited], allowed: "QuerySet[SourceVersion]"
) -> None:
    rows = allowed.filter(pk__in=[one.source_version_id for one in cited])
    known = dict(rows.annotate(n=Length("text")).values_list("pk", "n"))
    unknown = [one for one in cited if one.source_version_id not in known]
    if unknown:
        message = _("There is no such source in this project. Add it first.")
        raise Incomplete(message, fields={"sources": [message]})
    # A place is cited once, whatever was marked in it.
    places = {(one.source_version_id, one.locator): one for one in reversed(cited)}
    Citation.objects.bulk_create(
        Citation(
            version=version,
            source_version_id=one.source_version_id,
            locator=one.locator,
            position=place,
            **_passage(one, known[one.source_version_id]),
        )
        for place, one in enumerate(reversed(places.values()))
    )


def _passage(cited: Cited, length: int) -> dict[str, int | None]:
    """Return where the passage stands; one that lies outside the text is none."""
    start, end = cited.start, cited.end
    if start is None or end is None or not 0 <= start < end <= length:
        return {"start": None, "end": None}
    return {"start": start, "end": end}


def _record(verb: str, version: QuestionVersion, by: User, now: datetime) -> None:
    audit.record(
        project=version.question.project,
        actor=by,
        verb=verb,
        subject=f"question:{version.question.external_id}/{version.number}",
        at=now,
    )
