"""Objects for tests: typed, small, nothing random. Every maker works without arguments."""

import itertools
import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from annotation import models
from annotation.models import Role
from annotation.operations import grading, people, searching, seating
from annotation.operations.bank import bulk, inspecting, lists, sources, writing
from annotation.operations.bank.changes import Change
from annotation.operations.banks import files, working
from annotation.operations.rounds import drafting, drawing, opening
from annotation.queries import questions
from annotation.rules import checklists, contents, tokens
from annotation.rules.bulk import Action

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PASSWORD = "correct horse battery"

_count = itertools.count(1)


def at(minutes: float) -> datetime:
    """Return the moment so many minutes after NOW."""
    return NOW + timedelta(minutes=minutes)


def user(username: str | None = None, name: str | None = None) -> models.User:
    username = username or f"user-{next(_count)}"
    found = models.User.objects.filter(username=username).first()
    if found:
        return found
    made = models.User.objects.create_user(username, PASSWORD)
    models.Person.objects.create(user=made, name=name or username.title())
    return made


def project(slug: str = "northport", owner: models.User | None = None) -> models.Project:
    found = models.Project.objects.filter(slug=slug).first()
    if found:
        return found
    return people.create_project(
        slug=slug, name=slug.title(), by=owner or user(f"{slug}-owner"), now=NOW
    )


def member(role: Role, *, in_: models.Project | None = None, username: str = "") -> models.User:
    """Return somebody who has this role (and no other) in the project."""
    home = in_ or project()
    somebody = user(username or f"{home.slug}-{role.lower()}")
    owner = models.Membership.objects.filter(project=home, role=Role.OWNER).first()
    people.grant(
        project=home, user=somebody, role=role, by=owner.user if owner else somebody, now=NOW
    )
    return somebody


def rater(of: models.User, *, in_: models.Project | None = None) -> models.Rater:
    return people.rater_of(project=in_ or project(), user=of, now=NOW)


def rubric_version(
    key: str = "factuality",
    *,
    in_: models.Project | None = None,
    maximum: int = 2,
    criteria: Sequence[str] = ("grade",),
) -> models.RubricVersion:
    """Return version 1 of a rubric whose criteria go from 0 to `maximum` and pass at 1."""
    home = in_ or project()
    rubric, _ = models.Rubric.objects.get_or_create(
        project=home, key=key, defaults={"name": key.title(), "created_at": NOW}
    )
    version, created = models.RubricVersion.objects.get_or_create(
        rubric=rubric, number=1, defaults={"principle": "Wrong is 0.", "created_at": NOW}
    )
    if created:
        for position, name in enumerate(criteria):
            criterion = models.Criterion.objects.create(
                rubric_version=version,
                key=name,
                name=name.title(),
                position=position,
                maximum=Decimal(maximum),
                pass_at=Decimal(1),
            )
            for value in range(maximum + 1):
                models.Level.objects.create(
                    criterion=criterion, value=Decimal(value), label=f"Level {value}"
                )
    return version


def capability(name: str = "Factuality", *, in_: models.Project | None = None) -> models.Capability:
    home = in_ or project()
    made, _ = models.Capability.objects.get_or_create(
        project=home,
        name=name,
        parent=None,
        defaults={"rubric": rubric_version(in_=home).rubric},
    )
    return made


def plan_cell(
    wanted: int = 3, *, in_: models.Project | None = None, domain_: models.Domain | None = None
) -> models.PlanCell:
    """Return a cell of the plan: simple questions of factuality."""
    home = in_ or project()
    made, _ = models.PlanCell.objects.get_or_create(
        project=home,
        capability=capability(in_=home),
        difficulty=models.Difficulty.SIMPLE,
        domain=domain_,
        defaults={"wanted": wanted},
    )
    return made


def item(
    external_id: str | None = None,
    *,
    in_: models.Project | None = None,
    question: str = "What is a pallet?",
    reference: str = "A flat base for goods.",
    capability_: models.Capability | None = None,
    earlier: Sequence[dict[str, str]] = (),
    key_points: Sequence[str] = (),
    extra: dict[str, object] | None = None,
) -> models.Item:
    home = in_ or project()
    external_id = external_id or f"Q{next(_count)}"
    messages = [*earlier, *contents.as_messages(question)]
    made = models.Item.objects.create(
        project=home,
        external_id=external_id,
        group=external_id,
        content_sha=contents.content_sha(messages, reference, extra or {}),
        prompt_sha=contents.prompt_sha(messages),
        messages=messages,
        reference=reference,
        extra=extra or {},
        key_points=list(key_points),
        capability=capability_,
        created_at=NOW,
    )
    searching.keep_items(items=[made])
    return made


def release(
    system: str = "Kestrel", label: str = "1", *, in_: models.Project | None = None
) -> models.SystemRelease:
    home = in_ or project()
    judged, _ = models.System.objects.get_or_create(
        project=home,
        name=system,
        defaults={
            "created_at": NOW,
            "colour": models.System.objects.filter(project=home).count() % 8 + 1,
        },
    )
    made, _ = models.SystemRelease.objects.get_or_create(
        system=judged, label=label, defaults={"created_at": NOW}
    )
    return made


def response(
    to: models.Item, of: models.SystemRelease, text: str = "A base that carries goods."
) -> models.Response:
    messages = [{"role": "assistant", "content": text}]
    made = models.Response.objects.create(
        item=to,
        release=of,
        content_sha=contents.response_sha(messages),
        messages=messages,
        created_at=NOW,
    )
    searching.keep_responses(responses=[made])
    return made


SYSTEMS = ("Kestrel", "Heron", "Osprey", "Plover", "Curlew", "Dunlin", "Avocet", "Turnstone")
SECRET = b"a secret of the round for tests."


def secret_of(home: models.Project) -> bytes:
    """Return the secret of a project's rounds: tokens of two projects on one site must differ."""
    return SECRET if home.slug == "northport" else SECRET + home.slug.encode()


def draft_round(
    *,
    n_items: int = 2,
    n_releases: int = 2,
    n_annotators: int = 3,
    n_seats: int = 3,
    in_: models.Project | None = None,
    criteria: Sequence[str] = ("grade",),
    seed: str = "a seed",
    lease_minutes: int = 30,
) -> models.Round:
    """Return a prepared draft: everything is chosen, and it can be opened.

    Questions Q01, Q02, … are answered by the first systems of SYSTEMS, each in words of its own;
    the annotators are ann-1, ann-2, …
    """
    home = in_ or project()
    owner = home.memberships.filter(role=Role.OWNER).earliest("pk").user
    releases = [release(name, in_=home) for name in SYSTEMS[:n_releases]]
    _bank(home, n_items, releases)
    version = rubric_version(in_=home, key="-".join(criteria), criteria=criteria)
    round_ = drafting.create_round(
        project=home, name="A round", seed=seed, secret=secret_of(home), by=owner, now=NOW
    )
    drafting.configure(
        round_=round_,
        settings=drafting.Settings(
            name="A round",
            n_seats=n_seats,
            seats_override="A test." if n_seats < 3 else "",
            lease_minutes=lease_minutes,
        ),
        by=owner,
        by_owner=True,
        now=NOW,
    )
    drafting.choose_releases(round_=round_, releases=releases, by=owner, now=NOW)
    drafting.choose_rubrics(round_=round_, by_capability={}, rest=version, by=owner, now=NOW)
    drafting.choose_draw(round_=round_, draw=drafting.Draw(n_items=n_items), by=owner, now=NOW)
    users = [
        member(Role.ANNOTATOR, in_=home, username=f"ann-{place + 1}")
        for place in range(n_annotators)
    ]
    drafting.invite(round_=round_, users=users, by=owner, by_owner=True, now=NOW, override="")
    drawing.prepare(round_=round_, now=NOW)
    return round_


def _bank(home: models.Project, n_items: int, releases: Sequence[models.SystemRelease]) -> None:
    for number in range(1, n_items + 1):
        asked = models.Item.objects.filter(project=home, external_id=f"Q{number:02}").first()
        asked = asked or item(f"Q{number:02}", in_=home, question=f"What is meant by {number}?")
        for place, one in enumerate(releases):
            if not models.Response.objects.filter(item=asked, release=one).exists():
                response(asked, one, f"Answer {number}, told in way {place}.")


def open_round(
    *,
    n_items: int = 2,
    n_releases: int = 2,
    n_annotators: int = 3,
    n_seats: int = 3,
    in_: models.Project | None = None,
    criteria: Sequence[str] = ("grade",),
    seed: str = "a seed",
    lease_minutes: int = 30,
) -> models.Round:
    """Return an open round, as `draft_round` makes it."""
    round_ = draft_round(
        n_items=n_items,
        n_releases=n_releases,
        n_annotators=n_annotators,
        n_seats=n_seats,
        in_=in_,
        criteria=criteria,
        seed=seed,
        lease_minutes=lease_minutes,
    )
    opening.request_opening(round_=round_, by=round_.created_by, now=NOW)
    opening.open_round(round_=round_, now=NOW)
    return round_


def annotators(of: models.Round) -> list[models.Rater]:
    """Return the annotators of a round, ann-1 first."""
    places = of.annotators.select_related("rater__user").order_by("rater__user__username")
    return [place.rater for place in places]


def claim(
    of: models.Round, by: models.Rater | None = None, *, now: datetime = NOW
) -> models.Assignment:
    """Return the next seat of somebody, by default of ann-1."""
    of.refresh_from_db()
    return seating.claim_next(round_=of, rater=by or annotators(of)[0], now=now)


def holder(of: models.Assignment) -> models.Rater:
    """Return who holds a seat (that is held)."""
    assert of.rater is not None
    return of.rater


def account(of: models.Rater) -> models.User:
    """Return the account of a rater who is a person."""
    assert of.user is not None
    return of.user


def marks(on: models.Assignment, values: int | Mapping[str, int | str] = 1) -> list[grading.Mark]:
    """Return a mark for every response × criterion: one value for all, or by letter.

    A text instead of a number is the reason why a response cannot be graded; a letter that is
    not named is left out.
    """
    version = on.round_item.rubric_version
    assert version is not None
    letters = [tokens.letter(position) for position in range(on.slots.count())]
    by_letter = dict.fromkeys(letters, values) if isinstance(values, int) else values
    return [
        grading.Mark(letter, criterion.key, cannot=value)
        if isinstance(value, str)
        else grading.Mark(letter, criterion.key, Decimal(value))
        for letter, value in by_letter.items()
        for criterion in version.criteria.all()
    ]


def submit(
    on: models.Assignment,
    values: int | Mapping[str, int | str] = 1,
    *,
    now: datetime | None = None,
    base_rev: int = 0,
    comments: Mapping[str, str] | None = None,
    op_id: uuid.UUID | None = None,
    by: models.Rater | None = None,
    active_ms: int | None = None,
) -> models.Receipt:
    """Submit a seat as it was claimed (`on` may be out of date since)."""
    rater = by or holder(on)
    return grading.submit_grades(
        token=on.token or "",
        rater=rater,
        marks=marks(on, values),
        comments=comments or {},
        base_rev=base_rev,
        op_id=op_id or uuid.UUID(int=next(_count)),
        now=now or at(1),
        active_ms=active_ms,
    )


def domain(
    name: str = "Customs", *, in_: models.Project | None = None, priority: str = "P1"
) -> models.Domain:
    made, _created = models.Domain.objects.get_or_create(
        project=in_ or project(), name=name, defaults={"priority": priority}
    )
    return made


def source_version(
    title: str = "Handbook", *, in_: models.Project | None = None
) -> models.SourceVersion:
    """Return the first version of a source of the corpus."""
    home = in_ or project()
    found = models.SourceVersion.objects.filter(source__project=home, source__title=title).first()
    by = member(Role.DESIGNER, in_=home)
    said = sources.Said(text="What the handbook says.")
    return found or sources.add_source(
        project=home, about=sources.About(title), said=said, by=by, now=NOW
    )


def question_text(
    question: str = "What is a bill of lading?",
    answer: str = "A receipt for goods, and a title to them.",
    *,
    in_: models.Project | None = None,
    **values: object,
) -> writing.Text:
    """Return the text of a question that lacks nothing."""
    home = in_ or project()
    given: dict[str, object] = {
        "turns": ({"role": "user", "content": question},),
        "answer": answer,
        "key_points": ("a receipt", "a title"),
        "capability_id": capability(in_=home).pk,
        "domain_id": domain(in_=home).pk,
        "difficulty": models.Difficulty.SIMPLE,
        "question_type": models.QuestionType.FACTUAL,
        "cited": (writing.Cited(source_version(in_=home).pk, "p. 3"),),
    }
    return writing.Text(**{**given, **values})  # type: ignore[arg-type]


def question_version(
    state: str = "ACCEPTED",
    *,
    in_: models.Project | None = None,
    author: models.User | None = None,
    inspector: models.User | None = None,
    external_id: str = "",
    text: writing.Text | None = None,
) -> models.QuestionVersion:
    """Return a version of a new question, taken to this state by its author and an inspector."""
    home = in_ or project()
    by = author or member(Role.DESIGNER, in_=home)
    version = writing.create_question(
        project=home,
        text=text or question_text(in_=home),
        external_id=external_id,
        by=by,
        now=NOW,
    )
    return taken_to(state, version, inspector=inspector)


def taken_to(
    state: str, version: models.QuestionVersion, *, inspector: models.User | None = None
) -> models.QuestionVersion:
    """Take a draft to a state; a core domain gets as many inspectors as it wants."""
    home = version.question.project
    if state != "DRAFT":
        version = writing.submit(version=version, base_rev=version.rev, by=version.author, now=NOW)
    verdict = {"ACCEPTED": "ACCEPT", "RETURNED": "RETURN"}.get(state)
    first = inspector or member(Role.INSPECTOR, in_=home)
    second = member(Role.INSPECTOR, in_=home, username=f"{home.slug}-inspector-2")
    for one in (first, second) if verdict else ():
        if version.state == "SUBMITTED":
            inspecting.inspect(
                version=version,
                verdict=str(verdict),
                checked=checked(home, failed=("correct",) if verdict == "RETURN" else ()),
                by=one,
                now=NOW,
            )
            version.refresh_from_db()
    return version


def saved_filter(
    name: str = "Drafts", *, in_: models.Project | None = None, shared: bool = True
) -> models.SavedFilter:
    """Return a filter of the bank's list that a curator keeps."""
    home = in_ or project()
    return lists.save_filter(
        project=home,
        name=name,
        look=lists.Look({"state": "DRAFT"}, "oldest", ("id", "state", "tags")),
        shared=shared,
        by=member(Role.CURATOR, in_=home),
        now=NOW,
    )


def bulk_edit(*, in_: models.Project | None = None) -> models.BulkEdit:
    """Return what a designer has tried out on a draft of theirs, not started yet."""
    home = in_ or project()
    version = question_version("DRAFT", in_=home)
    rows = questions.newest(home).filter(pk=version.pk)
    change = Change(Action.CHANGE, {"difficulty": "DIFFICULT"})
    return bulk.plan(project=home, change=change, rows=rows, by=version.author, now=NOW)


def bank_file(*, in_: models.Project | None = None) -> models.BankFile:
    """Return an export of a project's whole bank."""
    home = in_ or project()
    owner = models.Membership.objects.filter(project=home, role=Role.OWNER).earliest("pk").user
    asked = files.ask_export(project=home, named=False, by=owner, now=NOW)
    working.work(file=asked, clock=lambda: NOW)
    asked.refresh_from_db()
    return asked


def checked(in_: models.Project, failed: Sequence[str] = ()) -> list[checklists.Checked]:
    """Return an answer to every line of the project's checklist; those named fail."""
    lines = inspecting.current_checklist(project=in_, now=NOW).lines
    return [
        checklists.Checked(row["key"], "FAIL", "wrong", "answer", "Not so.")
        if row["key"] in failed
        else checklists.Checked(row["key"], "PASS")
        for row in lines
    ]
