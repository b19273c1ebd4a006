"""Say something of a study; what was said before stays."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.people import audit
from annotation.people.models import Project, User
from annotation.people.operations import ChangedMeanwhile
from annotation.rounds.models import Round
from evalsite.records import plain
from scoring.study import queries
from scoring.study.models import StudyAnswers
from scoring.study.records import Study


@transaction.atomic
def answer(
    *, project: Project, round_: Round | None, study: Study, base: int, by: User, now: datetime
) -> bool:
    """Write what is said of a study; return whether anything was changed.

    Args:
        project: whose study.
        round_: of which it is said; None: of every round.
        study: the answers; of a round what is otherwise there than in the project.
        base: the number of the answers that were on the page; 0: there were none.
        by: who says it.
        now: when.

    Raises:
        ChangedMeanwhile: other answers hold by now.
    """
    Project.objects.select_for_update().get(pk=project.pk)
    held = queries.held(project, round_)
    body = {name: text for name, text in plain(study).items() if text}
    if (held.number if held else 0) != base:
        said = _("Somebody has changed these answers since you opened the page. Load it anew.")
        raise ChangedMeanwhile(said)
    if (held.body if held else {}) == body:
        return False
    StudyAnswers.objects.create(
        project=project, round=round_, number=base + 1, body=body, by=by, at=now
    )
    subject = f"round:{round_.number}" if round_ else f"project:{project.slug}"
    audit.record(
        project=project,
        actor=by,
        verb="study.answered",
        subject=subject,
        at=now,
        number=base + 1,
        answered=sorted(body),
    )
    return True
