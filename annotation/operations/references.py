"""Say what is right for the answers of a round: reference grades, for trials and gold items."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Criterion, Grade, Qualification, Round, User
from annotation.operations import audit, people
from annotation.operations.rounds import drafting
from annotation.queries import references as reads
from annotation.queries.references import Place
from evalsite import errors


class NotOfThisRound(errors.Invalid):
    code = "not_of_this_round"


class OffScale(errors.Invalid):
    code = "off_scale"


class Decided(errors.Conflict):
    code = "trial_decided"


@transaction.atomic
def give(
    *,
    round_: Round,
    values: Mapping[Place, Decimal],
    why: Mapping[int, str],
    by: User,
    now: datetime,
) -> int:
    """Record reference grades; one that changes becomes the next revision. Returns how many changed.

    Args:
        round_: prepared, whatever its state.
        values: by response and criterion; what is not named stays as it is.
        why: the explanation of an answer's grades, by response.
        by: who knows.
        now: the clock.

    Raises:
        NotOfThisRound: the round has no such answer, or no such criterion for it.
        OffScale: a value that the criterion does not have; `fields` says which.
        Decided: somebody was judged by the references of this trial already.
    """
    Round.objects.select_for_update(no_key=True).get(pk=round_.pk)
    if Qualification.objects.filter(round=round_, event__in=["PASSED", "FAILED"]).exists():
        raise Decided(
            _("This trial is decided; what it was decided by stays. Begin another trial.")
        )
    if values.keys() - reads.wanted(round_):
        raise NotOfThisRound(_("One of these answers is not in this round. Load the page again."))
    checked = _checked(values)
    known = reads.current(round_)
    rater = people.rater_of(project=round_.project, user=by, now=now)
    changed = 0
    for place, value in sorted(checked.items()):
        before = known.get(place)
        said = why.get(place[0], before.reason if before else "")[:300]
        if before is not None and (before.value, before.reason) == (value, said):
            continue
        if before is not None:
            Grade.objects.filter(pk=before.pk).update(is_current=False)
        Grade.objects.create(
            round=round_,
            response_id=place[0],
            criterion_id=place[1],
            rater=rater,
            kind=Grade.Kind.REFERENCE,
            value=value,
            reason=said,
            revision=before.revision + 1 if before else 1,
            given_at=now,
        )
        changed += 1
    if changed:
        audit.record(
            project=round_.project,
            actor=by,
            verb="references.given",
            subject=drafting.subject(round_),
            at=now,
            grades=changed,
        )
    return changed


def _checked(values: Mapping[Place, Decimal]) -> dict[Place, Decimal]:
    criteria = Criterion.objects.in_bulk({criterion for _response, criterion in values})
    checked: dict[Place, Decimal] = {}
    problems: dict[str, list[str]] = {}
    for (response, criterion), value in values.items():
        try:
            checked[response, criterion] = criteria[criterion].scale.check(value)
        except ValueError as problem:
            problems[f"reference-{response}-{criterion}"] = [str(problem)]
    if problems:
        raise OffScale(_("Some grades do not fit their scale."), fields=problems)
    return checked
