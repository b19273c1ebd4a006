"""Decide whether two questions, or two responses, say the same. The last word counts."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.models import Item, Project, Response, SamenessTag, User
from annotation.operations import audit
from evalsite import errors

Kind = SamenessTag.Kind


class NotAPair(errors.Invalid):
    code = "not_a_pair"


class TaggedMeanwhile(errors.Conflict):
    code = "tagged_meanwhile"


@transaction.atomic
def tag(
    *,
    project: Project,
    left: Item | Response,
    right: Item | Response,
    verdict: str,
    by: User,
    now: datetime,
    note: str = "",
) -> SamenessTag:
    """Say of two items or two responses of a project whether they are the same in meaning.

    Raises:
        NotAPair: they are not two of a kind, of one question and of this project.
        TaggedMeanwhile: somebody else has decided at the same moment.
    """
    kind = _kind(project, left, right)
    first, second = sorted((left, right), key=lambda one: one.pk)
    name = "item" if kind == Kind.QUESTION else "response"
    pair = {f"left_{name}_id": first.pk, f"right_{name}_id": second.pk}
    rows = SamenessTag.objects.filter(kind=kind, **pair)
    last = rows.order_by("-revision").first()
    if last is not None and (last.verdict, last.note) == (verdict, note):
        return last
    try:
        with transaction.atomic():
            made = SamenessTag.objects.create(
                project=project,
                kind=kind,
                verdict=SamenessTag.Verdict(verdict),
                note=note,
                revision=last.revision + 1 if last else 1,
                by=by,
                at=now,
                **pair,
            )
    except IntegrityError as problem:
        raise TaggedMeanwhile(_("Somebody else has just decided on this pair.")) from problem
    audit.record(
        project=project,
        actor=by,
        verb=f"{name}.tagged",
        subject=f"{name}:{first.pk}+{second.pk}",
        at=now,
        note=note,
        verdict=made.verdict,
    )
    return made


def _kind(project: Project, left: Item | Response, right: Item | Response) -> Kind:
    items = [one if isinstance(one, Item) else one.item for one in (left, right)]
    of_a_kind = type(left) is type(right) and left.pk != right.pk
    if not of_a_kind or any(one.project_id != project.pk for one in items):
        raise NotAPair(_("Only two questions or two responses of one project can be compared."))
    if items[0].group != items[1].group:
        raise NotAPair(_("These belong to different questions."))
    if isinstance(left, Response) and isinstance(right, Response):
        if left.release.system_id != right.release.system_id:
            raise NotAPair(_("These are responses of different systems."))
        return Kind.RESPONSE
    return Kind.QUESTION
