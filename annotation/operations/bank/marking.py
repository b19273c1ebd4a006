"""Mark what a machine drafted. The mark stays with the version for as long as it is there."""

from datetime import datetime

from django.db import transaction

from annotation.models import MachineDraft, QuestionVersion, User
from annotation.operations import audit


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
    audit.record(
        project=version.question.project,
        actor=by,
        verb="question.machine_drafted",
        subject=f"question:{version.question.external_id}/{version.number}",
        at=now,
        part=part,
        protocol=protocol,
        run=run,
    )
    return made
