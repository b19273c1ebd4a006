"""Have an endpoint help with drafting, and take what it proposes over into drafts of one's own."""

import dataclasses
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.bank import operations as bank
from annotation.bank import questions as standing
from annotation.bank import rules as bank_rules
from annotation.bank.models import MachineDraft, QuestionVersion
from annotation.people import audit
from annotation.people import queries as people_queries
from annotation.people import rules as people_rules
from annotation.people.models import Project, User
from annotation.sources import queries as corpus
from annotation.sources.models import SourceVersion
from evalsite import errors
from scoring.endpoints.models import Endpoint
from scoring.engine import requests as requesting
from scoring.engine.models import Run
from scoring.kinds.drafting import kind as reads
from scoring.kinds.drafting import v1
from scoring.kinds.drafting.kind import DraftingNotAllowed
from scoring.kinds.drafting.models import Drafting, DraftingRule, Proposal, ProposalUse

Task = Drafting.Task


class NothingToDraftFrom(errors.Invalid): ...


@transaction.atomic
def allow(*, project: Project, endpoint: Endpoint | None, by: User, now: datetime) -> DraftingRule:
    """Allow an endpoint to help with drafting, in place of the one before; None allows nobody.

    Raises:
        DraftingNotAllowed: they do not own the project, or the endpoint is another project's.
    """
    if "OWNER" not in people_queries.roles(project.pk, by):
        raise DraftingNotAllowed(_("The owner decides who helps with drafting."))
    if endpoint is not None and (endpoint.project_id != project.pk or endpoint.retired_at):
        raise DraftingNotAllowed(_("This endpoint is not in use here. Choose another."))
    made = DraftingRule.objects.create(project=project, endpoint=endpoint, by=by, at=now)
    audit.done(
        project,
        "drafting.allowed" if endpoint else "drafting.ended",
        by,
        now,
        endpoint=endpoint.pk if endpoint else None,
    )
    return made


def request_questions(
    *, version: SourceVersion, start: int, end: int, key: UUID, seed: int, by: User, now: datetime
) -> Drafting:
    """Have questions proposed from a passage, in the background. The same key is the same request.

    Raises:
        errors.Refusal: they may not, no endpoint helps here, or the passage cannot be used.
    """
    source = version.source
    _refuse_others(source.project, by)
    if not corpus.visible_to(source.project, by).filter(pk=source.pk).exists():
        raise DraftingNotAllowed(_("You do not see this source."))
    passage = version.text[start:end]
    if not passage.strip():
        raise NothingToDraftFrom(_("Mark a passage to draft from."))
    material = v1.Material(v1.QUESTIONS, passage=passage)
    where = {"source_version": version, "start": start, "end": end}
    name = _("Questions from %(title)s") % {"title": source.title}
    return _request(source.project, material, where, name, key=key, seed=seed, by=by, now=now)


def request_help(
    *, version: QuestionVersion, task: str, key: UUID, seed: int, by: User, now: datetime
) -> Drafting:
    """Have key points proposed for a draft's answer, or have its question read for ambiguity.

    Raises:
        errors.Refusal: they may not, no endpoint helps here, or question or answer is missing.
    """
    project = version.question.project
    _refuse_others(project, by)
    if not bank_rules.allows(bank_rules.Act.EDIT, standing.standing_of(version, by)):
        raise DraftingNotAllowed(_("Only its author has help with a draft."))
    asked = "\n\n".join(f"{one['role']}: {one['content']}" for one in version.turns)
    if not version.asked or (task == Task.POINTS and not version.answer.strip()):
        raise NothingToDraftFrom(_("Write the question and its standard answer first, and save."))
    material = v1.Material(task, question=asked, answer=version.answer)
    where = {"question_version": version}
    name = f"{Task(task).label}: {version.question.external_id}"
    return _request(project, material, where, name, key=key, seed=seed, by=by, now=now)


@transaction.atomic
def _request(
    project: Project,
    material: v1.Material,
    where: dict[str, Any],
    name: str,
    *,
    key: UUID,
    seed: int,
    by: User,
    now: datetime,
) -> Drafting:
    endpoint = reads.endpoint_of(project)
    run = requesting.request_run(
        project=project,
        key=key,
        kind=Run.Kind.DRAFT,
        name=name,
        protocol=v1.PROTOCOL,
        config={
            "endpoint": endpoint.pk if endpoint else 0,
            "material": dataclasses.asdict(material),
            "prompts_sha": v1.prompts_sha(),
        },
        seed=seed,
        user=by,
        now=now,
    )
    made, _is_new = Drafting.objects.get_or_create(
        run=run, defaults={"task": material.task, **where}
    )
    return made


@transaction.atomic
def take_question(*, proposal: Proposal, by: User, now: datetime) -> QuestionVersion:
    """Begin a question with what was proposed: a draft of whoever takes it, marked for ever.

    Raises:
        errors.Refusal: they may not write questions, or did not ask for this.
    """
    drafting = _own(proposal, Task.QUESTIONS, by)
    said, source = proposal.content, drafting.source_version
    cited = (
        [bank.Cited(source.pk, _place(drafting), drafting.start, drafting.end)] if source else []
    )
    text = bank.WholeDraft(
        turns=[{"role": "user", "content": said["question"]}],
        answer=said["answer"],
        key_points=said["key_points"],
        cited=cited,
    )
    made = bank.create_question(project=drafting.run.project, text=text, by=by, now=now)
    _mark(proposal, made, MachineDraft.Part.QUESTION, by, now)
    return made


@transaction.atomic
def take_points(*, proposal: Proposal, base_rev: int, by: User, now: datetime) -> QuestionVersion:
    """Put the key points that were proposed into the draft, in place of those that stand there.

    Raises:
        errors.Refusal: the draft is gone, has moved on, or is somebody else's.
    """
    drafting = _own(proposal, Task.POINTS, by)
    version = drafting.question_version
    if version is None:
        raise NothingToDraftFrom(_("The draft was thrown away."))
    text = dataclasses.replace(
        bank.WholeDraft.of(version), key_points=proposal.content["key_points"]
    )
    saved = bank.save_draft(version=version, text=text, base_rev=base_rev, by=by, now=now)
    _mark(proposal, saved, MachineDraft.Part.KEY_POINTS, by, now)
    return saved


def _mark(proposal: Proposal, version: QuestionVersion, part: str, by: User, now: datetime) -> None:
    run = proposal.drafting.run
    endpoint = Endpoint.objects.get(pk=run.config["endpoint"])
    bank.mark_machine_drafted(
        version=version,
        part=part,
        endpoint=f"{endpoint.name}, {endpoint.model_name}".strip(", ")[:120],
        protocol=run.protocol,
        prompts_sha=run.config["prompts_sha"],
        run=run.number,
        by=by,
        now=now,
    )
    ProposalUse.objects.create(proposal=proposal, question_version=version, by=by, at=now)


def _own(proposal: Proposal, task: str, by: User) -> Drafting:
    drafting = proposal.drafting
    if drafting.run.requested_by_id != by.pk or drafting.task != task:
        raise DraftingNotAllowed(_("Only who asked for a proposal takes it over."))
    return drafting


def _place(drafting: Drafting) -> str:
    assert drafting.source_version is not None
    return corpus.place_of(drafting.source_version.text, drafting.start or 0, drafting.end or 0)


def _refuse_others(project: Project, by: User) -> None:
    if not people_queries.roles(project.pk, by) & people_rules.DESIGNERS:
        raise DraftingNotAllowed(_("Your role in this project does not write questions."))
