"""What an annotator trains by, and how far they are: plain values, no system in sight."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from annotation.models import (
    Capability,
    Practice,
    Project,
    Qualification,
    Rater,
    TrainingExample,
)
from annotation.queries import qualifications
from annotation.rubrics.queries import CriterionFace, criterion_face
from annotation.rules import qualification as rules
from annotation.rules.qualification import Practised, Progress, State
from evalsite import markdown


@dataclass(frozen=True)
class Right:
    """A criterion of an example: what it should get, and what this person gave."""

    criterion: CriterionFace
    right: str
    given: str

    @property
    def is_right(self) -> bool:
        return self.given == self.right

    @property
    def words(self) -> str:
        """Return the words of the level that is right."""
        return next((one.label for one in self.criterion.levels if one.value == self.right), "")

    @property
    def anchor(self) -> str:
        return next((one.anchor for one in self.criterion.levels if one.value == self.right), "")


@dataclass(frozen=True)
class ExampleFace:
    """An example as the one who trains sees it; without `rights` it is still to be graded."""

    number: int
    is_task: bool
    done: bool
    question: str
    reference: str
    response: str
    principle: str
    criteria: list[CriterionFace]
    rights: list[Right]
    explanation: str

    @property
    def n_right(self) -> int:
        return sum(one.is_right for one in self.rights)


@dataclass(frozen=True)
class Course:
    """The training of a capability, as far as one person has come."""

    capability: Capability
    state: Qualification.State
    progress: Progress
    threshold: rules.Threshold
    steps: list[tuple[TrainingExample, Practised]]
    last: Qualification | None

    @property
    def following(self) -> int | None:
        """Return the number of the first example that is not done yet."""
        return next((one.number for one, how in self.steps if not how.done), None)

    @property
    def may_practise(self) -> bool:
        return self.state != Qualification.State.SUSPENDED


def examples_of(project: Project, capability: Capability) -> list[TrainingExample]:
    """Return the examples in use: those to learn by first."""
    rows = TrainingExample.objects.in_use().filter(project=project, capability=capability)
    return sorted(rows, key=lambda one: (one.use != TrainingExample.Use.LEARN, one.number))


def courses(rater: Rater) -> list[Course]:
    """Return every capability that has a training, or in which this person stands anywhere."""
    cells = qualifications.cells_of(rater)
    by_capability: dict[int, list[TrainingExample]] = defaultdict(list)
    rows = TrainingExample.objects.in_use().filter(project=rater.project).order_by("number")
    for one in sorted(rows, key=lambda row: row.use != TrainingExample.Use.LEARN):
        by_capability[one.capability_id].append(one)
    practised = _practised(rater)
    since = _since(rater)
    made = []
    for cell in cells:
        examples = by_capability[cell.capability.pk]
        if examples or cell.last:
            done = [
                (one, _how(one, practised[one.pk], since.get(cell.capability.pk)))
                for one in examples
            ]
            threshold = qualifications.threshold_of(rater.project, cell.capability)
            progress = rules.progress(threshold, [how for _one, how in done])
            made.append(Course(cell.capability, cell.state, progress, threshold, done, cell.last))
    return made


def course(rater: Rater, capability: Capability) -> Course:
    """Return the training of one capability."""
    examples = examples_of(rater.project, capability)
    cell = next(one for one in qualifications.cells_of(rater) if one.capability.pk == capability.pk)
    practised, since = _practised(rater), _since(rater).get(capability.pk)
    done = [(one, _how(one, practised[one.pk], since)) for one in examples]
    threshold = qualifications.threshold_of(rater.project, capability)
    progress = rules.progress(threshold, [how for _one, how in done])
    return Course(capability, cell.state, progress, threshold, done, cell.last)


def _practised(rater: Rater) -> dict[int, list[Practice]]:
    found: dict[int, list[Practice]] = defaultdict(list)
    for one in Practice.objects.filter(rater=rater).order_by("pk"):
        found[one.example_id].append(one)
    return found


def _since(rater: Rater) -> dict[int, Qualification]:
    """Return the step, by capability, that last sent somebody to train again."""
    rows = Qualification.objects.filter(rater=rater, state=State.RETRAINING).order_by("number")
    sent = [Qualification.Event.FAILED, Qualification.Event.LAPSED, Qualification.Event.REINSTATED]
    return {one.capability_id: one for one in rows.filter(event__in=sent)}


def _how(
    example: TrainingExample, rows: Sequence[Practice], since: Qualification | None
) -> Practised:
    is_task = example.use == TrainingExample.Use.PRACTISE
    counted = [one for one in rows if since is None or one.at > since.at]
    if not counted:
        return Practised(is_task, False)
    last = counted[-1]
    return Practised(is_task, True, last.n_right, last.n)


def face(example: TrainingExample, rater: Rater, how: Practised) -> ExampleFace:
    """Return an example; its grades only if it is to be learned by, or was just graded."""
    rows = example.rubric_version.criteria.order_by("position", "pk").prefetch_related("levels")
    criteria = [criterion_face(one) for one in rows]
    given: dict[str, str] = {}
    if how.is_task and how.done:
        last = Practice.objects.filter(example=example, rater=rater).order_by("pk").last()
        given = {key: str(value) for key, value in last.grades.items()} if last else {}
    shown = not how.is_task or how.done
    return ExampleFace(
        number=example.number,
        is_task=how.is_task,
        done=how.done,
        question=markdown.render(example.question) if example.question else "",
        reference=markdown.render(example.reference) if example.reference else "",
        response=markdown.render(example.response),
        principle=markdown.render(example.rubric_version.principle),
        criteria=criteria,
        rights=[
            Right(one, str(example.grades[one.key]), given.get(one.key, ""))
            for one in criteria
            if shown and one.key in example.grades
        ],
        explanation=markdown.render(example.explanation) if shown else "",
    )


def unseen(how: Practised) -> Practised:
    """Return the same as if it had not been graded yet: to be tried once more."""
    return Practised(how.is_task, False)


def is_right(example: TrainingExample, key: str, value: Decimal | None) -> bool:
    return value is not None and Decimal(str(example.grades[key])) == value
