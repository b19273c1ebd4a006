"""The question bank: domains, sources, questions in every state, lists, bulk edits and files."""

from collections.abc import Sequence
from dataclasses import replace

from annotation import models
from annotation.bank import bulk, checklists, questions
from annotation.bank import keeping as lists
from annotation.bank import operations as writing
from annotation.bank import reading as inspections
from annotation.bank.bulk import BulkChange
from annotation.bank.rules import BulkAction
from annotation.bankfile import importing as working
from annotation.bankfile import operations as files
from annotation.inspection import operations as inspecting
from annotation.people.models import Role
from annotation.sources import operations as sources
from tests import copies
from tests.make.accounts import NOW, member, project
from tests.make.things import capability


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
    said = sources.SourceSaid(text="What the handbook says.")
    return found or sources.add_source(
        project=home, about=sources.SourceAbout(title), said=said, by=by, now=NOW
    )


def question_text(
    question: str = "What is a bill of lading?",
    answer: str = "A receipt for goods, and a title to them.",
    *,
    in_: models.Project | None = None,
    **values: object,
) -> writing.WholeDraft:
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
    return writing.WholeDraft(**{**given, **values})  # type: ignore[arg-type]


@copies.made_once_among
def question_version(
    state: str = "ACCEPTED",
    *,
    in_: models.Project | None = None,
    author: models.User | None = None,
    inspector: models.User | None = None,
    external_id: str = "",
    text: writing.WholeDraft | None = None,
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
    """Take a draft to a state; a core domain gets as many inspectors as it wants.

    What inspection found in the version before is answered.
    """
    home = version.question.project
    if state != "DRAFT":
        asked = dict.fromkeys(inspections.to_answer(version), "Mended.") | version.replies
        if asked != version.replies:
            text = replace(writing.WholeDraft.of(version), replies=asked)
            given = {"base_rev": version.rev, "by": version.author, "now": NOW}
            version = writing.save_draft(version=version, text=text, **given)
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
        look=lists.FilterLook({"state": "DRAFT"}, "oldest", ("id", "state", "tags")),
        shared=shared,
        by=member(Role.CURATOR, in_=home),
        now=NOW,
    )


def bulk_edit(*, in_: models.Project | None = None) -> models.BulkEdit:
    """Return what a designer has tried out on a draft of theirs, not started yet."""
    home = in_ or project()
    version = question_version("DRAFT", in_=home)
    rows = questions.newest(home).filter(pk=version.pk)
    change = BulkChange(BulkAction.CHANGE, {"difficulty": "DIFFICULT"})
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
