"""What is asked, answered and graded by: rubrics, capabilities, items, releases and responses."""

from collections.abc import Iterable, Sequence
from decimal import Decimal

from annotation import models
from annotation.common import texts as contents
from annotation.rubrics import rules
from annotation.rubrics.rules import CriterionText, LevelText
from annotation.search import operations as searching
from evalsite import records
from tests.make.accounts import NOW, count, project, user


def _labels(*names: str) -> tuple[LevelText, ...]:
    return tuple(LevelText(Decimal(place), name) for place, name in enumerate(names, start=1))


#: What a response says where nothing else is asked for.
SAID = "A base that carries goods."
#: Criteria of the other kinds of mark, by the names under which a rubric asks for them.
KINDS = {
    one.key: one.settled()
    for one in (
        CriterionText("polite", "Polite", mark="YES_NO", pass_at=Decimal(1)),
        CriterionText("slip", "Slip", mark="LABEL", levels=_labels("Fact", "Beside", "Unclear")),
        CriterionText("traits", "Traits", mark="LABELS", levels=_labels("Long", "Stiff", "Twice")),
        CriterionText("minutes", "Minutes", Decimal(0), Decimal(90), step=None, mark="NUMBER"),
        CriterionText("wish", "Better", mark="TEXT"),
    )
}
#: Criteria that ask which of two answers is better: everything is offered, or the least.
CHOICES = {
    one.key: one.settled()
    for one in (
        CriterionText(
            "better", "Which is better?", mark="CHOICE", levels=_labels(*rules.CHOICES.values())
        ),
        CriterionText("kinder", "Which is kinder?", mark="CHOICE", levels=_labels(*"-A-B")[1::2]),
    )
}
#: Those with more labels than there are digits.
MANY = {
    one.key: one.settled()
    for one in (
        CriterionText("topic", "Topic", mark="LABEL", levels=_labels(*"ABCDEFGHIJKLMNOPQRSTUVWX")),
        CriterionText("tags", "Tags", mark="LABELS", levels=_labels(*"ABCDEFGHIJKL")),
    )
}


def rubric_version(
    key: str = "factuality",
    *,
    in_: models.Project | None = None,
    maximum: int = 2,
    criteria: Sequence[str] = ("grade",),
) -> models.RubricVersion:
    """Return version 1 of a rubric whose criteria go from 0 to `maximum` and pass at 1.

    Those called as one of `KINDS`, `MANY` or `CHOICES` are of that kind.
    """
    home = in_ or project()
    rubric, _ = models.Rubric.objects.get_or_create(
        project=home, key=key, defaults={"name": key.title(), "created_at": NOW}
    )
    version, created = models.RubricVersion.objects.get_or_create(
        rubric=rubric, number=1, defaults={"principle": "Wrong is 0.", "created_at": NOW}
    )
    if created:
        for position, name in enumerate(criteria):
            if kind := (KINDS | MANY | CHOICES).get(name):
                _of_kind(version, position, kind)
                continue
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


def _of_kind(version: models.RubricVersion, position: int, text: CriterionText) -> None:
    criterion = models.Criterion.objects.create(
        rubric_version=version, position=position, **records.values(text)
    )
    models.Level.objects.bulk_create(
        models.Level(criterion=criterion, **records.values(one)) for one in text.levels
    )


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
    external_id = external_id or f"Q{next(count)}"
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


def imported(
    external_id: str,
    *,
    question: str = "What is a pallet?",
    capability_: models.Capability | None = None,
    reference: str = "A flat base for goods.",
) -> models.Item:
    """Return an item that import 9 of the project brought."""
    made = item(external_id, question=question, reference=reference, capability_=capability_)
    batch, _created = models.ImportBatch.objects.get_or_create(
        project=made.project,
        number=9,
        defaults={
            "kind": "ANSWERS",
            "file_name": "a.csv",
            "file_sha": "9",
            "mapping": {},
            "mapping_sha": "9",
            "state": models.ImportBatch.State.APPLIED,
            "created_by": user("northport-owner"),
            "created_at": NOW,
            "touched_at": NOW,
        },
    )
    models.Item.objects.filter(pk=made.pk).update(batch=batch)
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


def response(to: models.Item, of: models.SystemRelease, text: str = SAID) -> models.Response:
    return responses([(to, of, text)])[0]


def responses(
    said: Iterable[tuple[models.Item, models.SystemRelease, str]],
) -> list[models.Response]:
    """Return a response for each item, release and text."""
    made = [
        models.Response(item=to, release=of, messages=_said(text), created_at=NOW)
        for to, of, text in said
    ]
    for one in made:
        one.content_sha = contents.response_sha(one.messages)
    models.Response.objects.bulk_create(made)
    searching.keep_responses(responses=made)
    return made


def _said(text: str) -> list[dict[str, str]]:
    return [{"role": "assistant", "content": text}]
