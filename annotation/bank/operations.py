"""What the bank refuses, and why.

* Write questions: drafts that are saved as one writes, submitted, returned, written anew.
* Take questions out of use and back: retired, invalidated, live. Their history stays.
* Mark what a machine drafted. The mark stays with the version for as long as it is there.
* Take imported items into the bank: each becomes a question whose first version is a draft.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Length

from annotation.bank import checklists, rules
from annotation.bank import questions as standing
from annotation.bank import reading as inspections
from annotation.bank.models import (
    Citation,
    MachineDraft,
    Question,
    QuestionChange,
    QuestionComment,
    QuestionVersion,
)
from annotation.bank.records import Cited as Cited
from annotation.bank.records import WholeDraft as WholeDraft
from annotation.common.sentences import gettext as _
from annotation.people import audit
from annotation.people import queries as people
from annotation.people import rules as people_rules
from annotation.people.models import Project, User
from annotation.search import similarity
from annotation.sources import queries as sources
from annotation.sources.models import SourceVersion
from annotation.systems import queries as reads
from annotation.systems.models import Item
from evalsite import errors, records


class StaleDraft(errors.Conflict):
    """The draft was saved in another place since; `rev` is what it is now."""

    def __init__(self, message: str, rev: int) -> None:
        super().__init__(message)
        self.rev = rev


class IdTaken(errors.Invalid): ...


def require(act: rules.Act, version: QuestionVersion, by: User, message: str) -> None:
    """Refuse with this message unless the act is theirs now.

    Raises:
        NotNow: it is not.
    """
    if not rules.allows(act, standing.standing_of(version, by)):
        raise errors.NotNow(message)


State = QuestionVersion.State
#: Fields that hold lists or tables.
LISTS = ("turns", "key_points", "tags", "replies")
#: Fields of a version that a draft sets as they are given.
PLAIN = tuple(
    one.name for one in records.parts(WholeDraft) if one.record is None and one.name not in LISTS
)
#: Fields that the next version takes over from the one before it: all but what is said of the change.
ASKED = ("meaning_changed", "meaning_note")
CARRIED = tuple(one for one in (*LISTS, *PLAIN) if one not in {"replies", *ASKED})


@transaction.atomic
def create_question(
    *, project: Project, text: WholeDraft, by: User, now: datetime, external_id: str = ""
) -> QuestionVersion:
    """Begin a question with the draft of its first version; without an id it gets the next free one.

    Raises:
        NotNow: their role does not write questions.
        IdTaken: the bank has a question with this id.
    """
    if not people.roles(project.pk, by) & people_rules.DESIGNERS:
        raise errors.NotNow(_("Your role in this project does not write questions."))
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
    *, version: QuestionVersion, text: WholeDraft, base_rev: int, by: User, now: datetime
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
    bank = people.bank_of(version.question.project)
    if not bank.offers(version.language):
        found["language"] = [
            _("The bank offers %(offered)s, not %(given)s. Choose one of these.")
            % {"offered": ", ".join(bank.languages), "given": version.language}
        ]
    found |= _unanswered(version)
    if found:
        first = _(next(iter(found.values()))[0])
        raise errors.Incomplete(
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
    message = _("A new version begins from an accepted or returned one of a live question.")
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
        Citation(version=made, position=one.position, **records.values(Cited.of(one)))
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
        raise errors.NotNow(_("Somebody has moved this question on. Load the page again."))
    version.refresh_from_db()


def _values(text: WholeDraft) -> dict[str, Any]:
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
        raise errors.Incomplete(message, fields={"sources": [message]})
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
    audit.done(version, verb, by, now)


@transaction.atomic
def change_life(
    *, question: Question, act: rules.Act, reason: str, by: User, now: datetime
) -> QuestionChange:
    """Retire, invalidate or revive a question, with a reason.

    Raises:
        NotNow: the question is not in a state for it, or it is not theirs to do.
        Incomplete: no reason was given.
    """
    target = rules.OF_CURATORS[act][1]
    question = Question.objects.select_for_update().select_related("project").get(pk=question.pk)
    newest = QuestionVersion.objects.filter(question=question).select_related("question").first()
    if newest is None:
        raise errors.NotNow(_("This question has no version any more."))
    require(
        act, newest, by, _("This is for owners and curators, and not from where it stands now.")
    )
    if not reason.strip():
        message = _("Say why; it stays on record.")
        raise errors.Incomplete(message, fields={"reason": [message]})
    old = question.state
    moved = Question.objects.filter(pk=question.pk, state=old).update(state=target)
    if not moved:
        raise errors.NotNow(_("Somebody has moved this question on. Load the page again."))
    made = QuestionChange.objects.create(
        question=question, old=old, new=target, reason=reason.strip(), by=by, at=now
    )
    audit.record(
        project=question.project,
        actor=by,
        verb=f"question.{act.name.lower()}d",
        subject=f"question:{question.external_id}",
        at=now,
        note=reason.strip(),
    )
    return made


@transaction.atomic
def comment(
    *,
    question: Question,
    text: str,
    by: User,
    now: datetime,
    version: QuestionVersion | None = None,
    field: str = "",
) -> QuestionComment:
    """Say something about a question, at a field of a version or in general.

    Raises:
        NotNow: their role has no part in the bank.
        Incomplete: nothing was said, or there is no such field.
    """
    newest = version or question.versions.select_related("question").first()
    if newest is None or newest.question_id != question.pk:
        raise errors.NotNow(_("There is no such version of this question."))
    require(rules.Act.COMMENT, newest, by, _("Your role in this project has no part in the bank."))
    if not text.strip():
        message = _("Write the comment first.")
        raise errors.Incomplete(message, fields={"text": [message]})
    if field and field not in checklists.FIELDS:
        message = _("A question has no such field.")
        raise errors.Incomplete(message, fields={"field": [message]})
    return QuestionComment.objects.create(
        question=question, version=version, field=field, text=text.strip(), author=by, at=now
    )


@transaction.atomic
def mark_machine_drafted(
    *,
    version: QuestionVersion,
    part: str,
    endpoint: str,
    protocol: str,
    prompts_sha: str,
    run: int | None,
    by: User,
    now: datetime,
) -> MachineDraft:
    """Write down that an endpoint drafted a part of a draft, and who took it over."""
    made = MachineDraft.objects.create(
        version=version,
        part=part,
        endpoint=endpoint,
        protocol=protocol,
        prompts_sha=prompts_sha,
        run=run,
        by=by,
        at=now,
    )
    audit.done(version, "question.machine_drafted", by, now, part=part, protocol=protocol, run=run)
    return made


#: So many questions are begun in one transaction.
BATCH = 50
#: So many are taken at a time.
MOST = 500
#: A refusal names so many ids.
NAMED = 20


def adopt(
    *, project: Project, external_ids: Iterable[str], by: User, now: datetime
) -> list[QuestionVersion]:
    """Begin a question for each of these imported items; return the drafts, in this order.

    Of several contents under one id the newest is taken. A draft says what the item says and names
    no source yet. The items stay as they are, with their responses, rounds and grades. If somebody
    takes one of the ids meanwhile, the batches before it stay.

    Raises:
        NotNow: their role does not write questions.
        IdTaken: the bank has questions with some of these ids; nothing was begun.
        Incomplete: none was chosen, or too many, or there is no such item.
    """
    if not people.roles(project.pk, by) & people_rules.DESIGNERS:
        raise errors.NotNow(_("Your role in this project does not write questions."))
    wanted = list(dict.fromkeys(external_ids))
    _refuse_number(wanted)
    _refuse_taken(project, wanted)
    found = reads.imported(project, wanted)
    if unknown := [one for one in wanted if one not in found]:
        raise _incomplete(_("No imported item has these ids: %(ids)s.") % {"ids": _named(unknown)})
    made: list[QuestionVersion] = []
    for start in range(0, len(wanted), BATCH):
        items = [found[one] for one in wanted[start : start + BATCH]]
        made += _begin(project, items, by, now)
    return made


@transaction.atomic
def _begin(project: Project, items: list[Item], by: User, now: datetime) -> list[QuestionVersion]:
    made = [
        create_question(
            project=project, text=_text(item), external_id=item.external_id, by=by, now=now
        )
        for item in items
    ]
    audit.done(
        project,
        "items.adopted",
        by,
        now,
        questions=[one.question.external_id for one in made],
        items=[one.pk for one in items],
    )
    return made


def _text(item: Item) -> WholeDraft:
    return WholeDraft(
        turns=[
            {"role": str(one.get("role") or "user"), "content": str(one.get("content") or "")}
            for one in item.messages
        ],
        answer=item.reference,
        key_points=[str(one) for one in item.key_points],
        capability_id=item.capability_id,
        domain_id=item.domain_id,
        difficulty=item.difficulty,
        question_type=item.question_type,
        principle=str(item.extra.get("principle") or ""),
        as_of=item.as_of,
    )


def _refuse_number(wanted: list[str]) -> None:
    if not wanted:
        raise _incomplete(_("Choose the items that the bank is to have."))
    if len(wanted) > MOST:
        words = _("Take at most %(most)d items at a time; these are %(n)d.")
        raise _incomplete(words % {"most": MOST, "n": len(wanted)})


def _refuse_taken(project: Project, wanted: list[str]) -> None:
    rows = Question.everything.filter(project=project, external_id__in=wanted)
    if taken := sorted(rows.values_list("external_id", flat=True)):
        words = _("The bank has questions with these ids already: %(ids)s. Leave them out.")
        words %= {"ids": _named(taken)}
        raise IdTaken(words, fields={"id": [words]})


def _incomplete(words: str) -> errors.Incomplete:
    return errors.Incomplete(words, fields={"id": [words]})


def _named(ids: list[str]) -> str:
    return ", ".join(ids[:NAMED]) + (" …" if len(ids) > NAMED else "")
