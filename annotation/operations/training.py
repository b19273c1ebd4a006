"""Write examples to train by, and practise them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from annotation.models import (
    Capability,
    Criterion,
    Practice,
    Project,
    Rater,
    RubricVersion,
    TrainingExample,
    User,
)
from annotation.operations import audit, qualifying
from annotation.queries import training as reads
from annotation.rules import scales
from annotation.rules.qualification import Event, State
from evalsite import errors

Use = TrainingExample.Use
LONGEST = 20_000


class ExampleInvalid(errors.Invalid):
    code = "example_invalid"


class NotGraded(errors.Invalid):
    code = "not_graded"


class Withdrawn(errors.Conflict):
    code = "example_withdrawn"


class StandsAside(errors.NotAllowed):
    code = "stands_aside"


class NoRubric(errors.Conflict):
    code = "no_rubric"


@dataclass(frozen=True)
class ExampleText:
    """An example as it was entered: `grades` by key of the criterion."""

    use: str
    question: str
    response: str
    explanation: str
    grades: Mapping[str, Decimal]
    reference: str = ""


@transaction.atomic
def add_example(
    *,
    project: Project,
    capability: Capability,
    version: RubricVersion,
    text: ExampleText,
    by: User,
    now: datetime,
) -> TrainingExample:
    """Write an example for a capability.

    Raises:
        ExampleInvalid: something is missing, or a grade does not fit its scale.
    """
    grades = _checked(version, text)
    Project.objects.select_for_update().get(pk=project.pk)
    rows = TrainingExample.objects.filter(project=project)
    made = TrainingExample.objects.create(
        project=project,
        capability=capability,
        rubric_version=version,
        number=(rows.aggregate(top=Max("number"))["top"] or 0) + 1,
        use=text.use,
        question=text.question.strip(),
        reference=text.reference.strip(),
        response=text.response.strip(),
        grades=grades,
        explanation=text.explanation.strip(),
        created_by=by,
        created_at=now,
    )
    audit.record(
        project=project,
        actor=by,
        verb="training.example_added",
        subject=f"example:{made.number}",
        at=now,
        capability=capability.pk,
    )
    return made


def _checked(version: RubricVersion, text: ExampleText) -> dict[str, str]:
    """Return the grades as they are stored.

    Raises:
        ExampleInvalid: `fields` says what is wrong.
    """
    problems = _wrong_words(text)
    criteria = {one.key: one for one in version.criteria.all()}
    grades: dict[str, str] = {}
    for key, value in text.grades.items():
        if key not in criteria:
            problems["grades"] = [_("The rubric has no criterion %(key)s.") % {"key": key}]
            continue
        try:
            grades[key] = scales.text(criteria[key].scale.check(value))
        except ValueError as problem:
            problems[f"grade-{key}"] = [str(problem)]
    wanted = set(criteria) if text.use == Use.PRACTISE else set()
    for key in sorted(wanted - grades.keys()):
        problems.setdefault(f"grade-{key}", [_("Say which grade is right.")])
    if not grades and not problems:
        problems["grades"] = [_("Say which grade is right, for one criterion or more.")]
    if problems:
        first = next(iter(problems.values()))[0]
        message = _("The example cannot be used like this: %(why)s")
        raise ExampleInvalid(message % {"why": first}, fields=problems)
    return grades


def _wrong_words(text: ExampleText) -> dict[str, list[str]]:
    problems: dict[str, list[str]] = {}
    needed = {"response": text.response, "explanation": text.explanation}
    if text.use == Use.PRACTISE:
        needed["question"] = text.question
    for name, said in needed.items():
        if not said.strip():
            problems[name] = [_("This is needed.")]
    for name in ("question", "response", "explanation", "reference"):
        if len(getattr(text, name)) > LONGEST:
            problems[name] = [_("At most %(n)d characters.") % {"n": LONGEST}]
    if text.use not in Use.values:
        problems["use"] = [_("Choose one of the two uses.")]
    return problems


@transaction.atomic
def withdraw(*, example: TrainingExample, by: User, now: datetime) -> None:
    """Use an example no more; what was practised with it stays.

    Raises:
        Withdrawn: somebody did so before.
    """
    done = TrainingExample.objects.in_use().filter(pk=example.pk)
    if not done.update(withdrawn_by=by, withdrawn_at=now):
        raise Withdrawn(_("This example was withdrawn before."))
    audit.record(
        project=example.project,
        actor=by,
        verb="training.example_withdrawn",
        subject=f"example:{example.number}",
        at=now,
    )


@transaction.atomic
def replace(
    *, example: TrainingExample, text: ExampleText, by: User, now: datetime
) -> TrainingExample:
    """Write another example in the place of this one, by the newest wording of the rubric.

    What was practised with the earlier one stays; the new one is to be practised anew.

    Raises:
        ExampleInvalid: something is missing, or a grade does not fit its scale.
        NoRubric: the capability has none any more.
        Withdrawn: somebody withdrew it before.
    """
    version = newest_version(example.capability)
    if version is None:
        raise NoRubric(_("This capability has no rubric. Choose one for it first."))
    made = add_example(
        project=example.project,
        capability=example.capability,
        version=version,
        text=text,
        by=by,
        now=now,
    )
    withdraw(example=example, by=by, now=now)
    return made


@transaction.atomic
def adopt_levels(*, capability: Capability, by: User, now: datetime) -> list[TrainingExample]:
    """Take the example answers of a capability's rubric over as examples to learn by.

    Those that are there already are left alone.

    Raises:
        NoRubric: the capability has no rubric, or none of its levels has an example.
    """
    version = newest_version(capability)
    found = [
        (criterion, level, words)
        for criterion in (version.criteria.all() if version else [])
        for level in criterion.levels.all()
        for words in level.examples
    ]
    if version is None or not found:
        raise NoRubric(
            _("The rubric of this capability describes no example answers. Write examples here.")
        )
    known = set(
        TrainingExample.objects.in_use()
        .filter(capability=capability)
        .values_list("response", flat=True)
    )
    return [
        add_example(
            project=capability.project,
            capability=capability,
            version=version,
            text=_of_level(criterion, level.value, level.label, level.description, words),
            by=by,
            now=now,
        )
        for criterion, level, words in found
        if words.strip() not in known
    ]


def _of_level(
    criterion: Criterion, value: Decimal, label: str, description: str, words: str
) -> ExampleText:
    return ExampleText(
        use=Use.LEARN,
        question="",
        response=words,
        explanation=": ".join(part for part in (label, description) if part) or criterion.name,
        grades={criterion.key: value},
    )


def newest_version(capability: Capability) -> RubricVersion | None:
    """Return the newest wording of a capability's rubric."""
    if capability.rubric_id is None:
        return None
    rows = RubricVersion.objects.filter(rubric=capability.rubric_id).order_by("-number")
    return rows.prefetch_related("criteria__levels").first()


@transaction.atomic
def read(*, example: TrainingExample, rater: Rater, now: datetime) -> Practice:
    """Note that somebody has read an example that is there to learn by.

    Raises:
        StandsAside: they are not to train just now.
        NotGraded: it is to be graded, not only to be read.
    """
    if example.use == Use.PRACTISE:
        raise NotGraded(_("Grade this answer first."))
    return _practised(example, rater, {}, 0, 0, now)


@transaction.atomic
def practise(
    *, example: TrainingExample, rater: Rater, grades: Mapping[str, Decimal], now: datetime
) -> Practice:
    """Grade an example; what is right is told at once.

    Raises:
        NotGraded: a criterion lacks its grade, or one does not fit its scale.
        Withdrawn: the example is not used any more.
        StandsAside: they are not to train just now.
    """
    criteria = {one.key: one for one in example.rubric_version.criteria.all()}
    given: dict[str, Decimal] = {}
    problems: dict[str, list[str]] = {}
    for key in example.grades:
        if key not in grades:
            problems[key] = [_("Choose a grade.")]
            continue
        try:
            given[key] = criteria[key].scale.check(grades[key])
        except ValueError as problem:
            problems[key] = [str(problem)]
    if problems:
        raise NotGraded(_("Give a grade for every criterion."), fields=problems)
    n_right = sum(reads.is_right(example, key, value) for key, value in given.items())
    kept = {key: scales.text(value) for key, value in given.items()}
    return _practised(example, rater, kept, n_right, len(given), now)


def _practised(
    example: TrainingExample,
    rater: Rater,
    grades: dict[str, str],
    n_right: int,
    n: int,
    now: datetime,
) -> Practice:
    if example.withdrawn_at is not None:
        raise Withdrawn(_("This example is not used any more. Go on with the next one."))
    before = reads.course(rater, example.capability)
    if not before.may_practise:
        raise StandsAside(_("You stand aside in this capability. Talk to the curator."))
    made = Practice.objects.create(
        example=example, rater=rater, grades=grades, n_right=n_right, n=n, at=now
    )
    _move_on(rater, example.capability, now)
    return made


def _move_on(rater: Rater, capability: Capability, now: datetime) -> None:
    """Let the training begin, or end when enough was practised."""
    course = reads.course(rater, capability)
    at = State(course.state)
    if at in {State.NEW, State.TRAINING, State.RETRAINING} and course.progress.enough:
        event = Event.PRACTISED
    elif at is State.NEW:
        event = Event.BEGUN
    else:
        return
    figures = {
        "n_examples": course.progress.n_examples,
        "n_right": course.progress.n_right,
        "n": course.progress.n_graded,
    }
    qualifying.step(
        rater=rater,
        capability=capability,
        event=event,
        by=rater.user,
        now=now,
        figures=figures,
    )
