"""What an annotator trains by, and how far they are: plain values, no system in sight.

* What happened to somebody's qualification lately, in the words of their own list: kindly, no figures.
* What an annotator sees of a trial of theirs once it is decided: how it went, and where they differed.
* What of training waits for a curator: people who are ready for a trial, trials without verdicts.
* The trials of a project for their curators: how far each is, and how it ended.
* Examples to train by, as their curators see them, and the answers one could be made of.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q
from django.utils.text import Truncator

from annotation.common import scales, texts
from annotation.common.sentences import gettext as _
from annotation.domains.models import Capability
from annotation.grading.models import Grade
from annotation.grading.worklist import NEWS, AnnotatorMessage
from annotation.people.models import Membership, Project, Rater, Role
from annotation.qualification import answers as references
from annotation.qualification import queries as qualifications
from annotation.qualification import rules
from annotation.qualification.models import Practice, Qualification, TrainingExample, Trial
from annotation.qualification.rules import PoolState, Practised, PractiseProgress
from annotation.rounds.models import Assignment, Round
from annotation.rubrics.models import Criterion
from annotation.rubrics.queries import CriterionFace, criterion_face
from annotation.systems.models import Response
from evalsite.text import markdown


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
        """Return the words of the level, or the labels, that are right."""
        if self.criterion.by_labels:
            return self.criterion.words(self.right)
        return next((one.label for one in self.criterion.levels if one.value == self.right), "")

    @property
    def given_words(self) -> str:
        return self.criterion.words(self.given)

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
class TrainingCourse:
    """The training of a capability, as far as one person has come."""

    capability: Capability
    state: Qualification.State
    progress: PractiseProgress
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


def courses(rater: Rater) -> list[TrainingCourse]:
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
            made.append(
                TrainingCourse(cell.capability, cell.state, progress, threshold, done, cell.last)
            )
    return made


def course(rater: Rater, capability: Capability) -> TrainingCourse:
    """Return the training of one capability."""
    examples = examples_of(rater.project, capability)
    cell = next(one for one in qualifications.cells_of(rater) if one.capability.pk == capability.pk)
    practised, since = _practised(rater), _since(rater).get(capability.pk)
    done = [(one, _how(one, practised[one.pk], since)) for one in examples]
    threshold = qualifications.threshold_of(rater.project, capability)
    progress = rules.progress(threshold, [how for _one, how in done])
    return TrainingCourse(capability, cell.state, progress, threshold, done, cell.last)


def _practised(rater: Rater) -> dict[int, list[Practice]]:
    found: dict[int, list[Practice]] = defaultdict(list)
    for one in Practice.objects.filter(rater=rater).order_by("pk"):
        found[one.example_id].append(one)
    return found


def _since(rater: Rater) -> dict[int, Qualification]:
    """Return the step, by capability, that last sent somebody to train again."""
    rows = Qualification.objects.filter(rater=rater, state=PoolState.RETRAINING).order_by("number")
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


Event = Qualification.Event
#: Of these somebody hears; what they did themselves they know.
TOLD = (
    Event.PASSED,
    Event.FAILED,
    Event.UNDECIDED,
    Event.LAPSED,
    Event.ALLOWED,
    Event.REINSTATED,
)


def messages(rater: Rater, now: datetime) -> Iterator[AnnotatorMessage]:
    """Yield what somebody should know of the last week, the newest first."""
    rows = Qualification.objects.filter(rater=rater, event__in=TOLD, at__gt=now - NEWS)
    for one in rows.select_related("capability", "round").order_by("-pk"):
        yield AnnotatorMessage(_title(one), _text(one), one.at)


def _title(step: Qualification) -> str:
    named = {"about": step.capability.name}
    if step.event in {Event.PASSED, Event.ALLOWED}:
        return _("You have qualified in %(about)s") % named
    if step.event in {Event.FAILED, Event.UNDECIDED}:
        return _("How your trial in %(about)s went") % named
    return _("Train once more in %(about)s") % named


def _text(step: Qualification) -> str:
    if step.event in {Event.PASSED, Event.ALLOWED}:
        return _("Its questions come to you from now on.")
    if step.event == Event.FAILED:
        return _("Not passed yet. See Training.")
    if step.event == Event.UNDECIDED:
        return _("Too small to tell, or not finished. There will be another one.")
    return _("Go through the examples under Training.")


DECIDED = (
    Qualification.Event.PASSED,
    Qualification.Event.FAILED,
    Qualification.Event.UNDECIDED,
)


@dataclass(frozen=True)
class ComparedMark:
    """One mark of one's own beside the one that is right."""

    criterion: str
    given: str
    right: str

    @property
    def is_right(self) -> bool:
        return self.given == self.right


@dataclass(frozen=True)
class TrainingAnswer:
    letter: str
    html: str
    marks: tuple[ComparedMark, ...]
    explanation: str


@dataclass(frozen=True)
class TrainingQuestion:
    place: int
    face: Mapping[str, Any]
    answers: tuple[TrainingAnswer, ...]

    @property
    def differs(self) -> bool:
        return any(not mark.is_right for one in self.answers for mark in one.marks)


def decided(rater: Rater, number: int) -> Qualification | None:
    """Return the decision of a trial about somebody, if there is one."""
    rows = Qualification.objects.filter(rater=rater, round__number=number, event__in=DECIDED)
    return rows.select_related("round", "capability").order_by("-number").first()


def list_decided(rater: Rater) -> list[Qualification]:
    """Return every decision of a trial about somebody, the newest first."""
    rows = Qualification.objects.filter(rater=rater, round__isnull=False, event__in=DECIDED)
    return list(rows.select_related("round", "capability").order_by("-pk"))


def questions(rater: Rater, round_: Round) -> list[TrainingQuestion]:
    """Return one's own questions of a trial, each answer with its right grades."""
    seats = list(
        Assignment.objects.filter(round=round_, rater=rater, state=Assignment.State.SUBMITTED)
        .select_related("round_item")
        .prefetch_related("slots__round_response__display")
        .order_by("submitted_at", "ordinal")
    )
    right = references.current(round_)
    given: dict[tuple[int, int], Grade] = {}
    mine = Grade.objects.filter(assignment__in=seats, kind=Grade.Kind.GIVEN, is_current=True)
    for one in mine:
        given[one.slot_id or 0, one.criterion_id] = one
    criteria = _criteria(seats)
    made = []
    for place, seat in enumerate(seats, start=1):
        answers = []
        for slot in seat.slots.all():
            shown = slot.round_response
            marks, why = [], ""
            for criterion in criteria.get(seat.round_item.rubric_version_id or 0, []):
                reference = right.get((shown.response_id, criterion.pk))
                grade = given.get((slot.pk, criterion.pk))
                if reference is None or reference.value is None:
                    continue
                why = why or reference.reason
                value = "" if grade is None or grade.value is None else scales.text(grade.value)
                words = criterion_face(criterion).words
                wanted = words(scales.text(reference.value))
                marks.append(ComparedMark(criterion.name, words(value), wanted))
            html = shown.display.html if shown.display else ""
            answers.append(TrainingAnswer(texts.letter(slot.position), html, tuple(marks), why))
        made.append(TrainingQuestion(place, seat.round_item.face, tuple(answers)))
    return made


def _criteria(seats: list[Assignment]) -> dict[int, list[Criterion]]:
    found: dict[int, list[Criterion]] = {}
    versions = {seat.round_item.rubric_version_id for seat in seats}
    rows = Criterion.objects.filter(rubric_version__in=versions).prefetch_related("levels")
    for one in rows.order_by("position", "pk"):
        found.setdefault(one.rubric_version_id, []).append(one)
    return found


def ready(project: Project) -> list[str]:
    """Return the names of annotators who are ready for a trial in some capability."""
    held = Membership.objects.with_role([Role.ANNOTATOR]).filter(project=project)
    raters = Rater.objects.filter(project=project, user__in=held.values("user"))
    steps = qualifications.last_steps(raters).filter(state=PoolState.TRAINED)
    users = {step.rater.user for step in steps.select_related("rater__user__person")}
    return sorted(user.display_name for user in users if user is not None)


def undecided(project: Project) -> list[Round]:
    """Return the trials that are closed and not decided, the oldest first."""
    decided = Qualification.objects.filter(round=OuterRef("pk"), event__in=DECIDED)
    closed = Round.objects.filter(
        project=project,
        kind=Round.Kind.TRIAL,
        state__in=[Round.State.REVIEW, Round.State.FINAL],
    )
    return list(closed.filter(~Exists(decided)).order_by("number"))


@dataclass(frozen=True)
class TrialLine:
    trial: Trial
    round: Round
    n_people: int
    n_done: int
    n_seats: int
    n_missing: int
    n_passed: int
    n_failed: int
    n_undecided: int

    @property
    def is_decided(self) -> bool:
        return bool(self.n_passed or self.n_failed or self.n_undecided)


def trial_lines(project: Project) -> list[TrialLine]:
    """Return the trials, the newest first."""
    rows = Trial.objects.filter(
        round__project=project, round__discarded_at__isnull=True
    ).select_related("round", "capability")
    trials = list(rows.order_by("-round__number"))
    rounds = [one.round for one in trials]
    submitted = Q(assignments__state=Assignment.State.SUBMITTED)
    counts = {
        one.pk: one
        for one in Round.objects.filter(pk__in=[row.pk for row in rounds]).annotate(
            n_all=Count("assignments", distinct=True),
            n_done=Count("assignments", filter=submitted, distinct=True),
            n_people=Count(
                "annotators", filter=Q(annotators__ended_at__isnull=True), distinct=True
            ),
        )
    }
    events: Counter[tuple[int, str]] = Counter()
    steps = Qualification.objects.filter(round__in=rounds, event__in=DECIDED)
    for round_id, event in steps.values_list("round_id", "event"):
        events[round_id or 0, event] += 1
    return [
        TrialLine(
            trial=one,
            round=one.round,
            n_people=counts[one.round_id].n_people,
            n_done=counts[one.round_id].n_done,
            n_seats=counts[one.round_id].n_all,
            n_missing=references.n_missing(one.round)
            if one.round.state == Round.State.DRAFT
            else 0,
            n_passed=events[one.round_id, "PASSED"],
            n_failed=events[one.round_id, "FAILED"],
            n_undecided=events[one.round_id, "UNDECIDED"],
        )
        for one in trials
    ]


MOST_ANSWERS = 20
LONG = 160


@dataclass(frozen=True)
class TrainingLine:
    """A capability with its examples and how often they were practised rightly."""

    capability: Capability
    examples: list[TrainingExample]

    @property
    def n_learn(self) -> int:
        return sum(one.use == TrainingExample.Use.LEARN for one in self.examples)

    @property
    def n_practise(self) -> int:
        return len(self.examples) - self.n_learn


def lines(project: Project) -> list[TrainingLine]:
    found: dict[int, list[TrainingExample]] = defaultdict(list)
    rows = (
        TrainingExample.objects.in_use()
        .filter(project=project)
        .select_related("rubric_version__rubric")
        .annotate(
            n_tries=Count("practices", filter=Q(practices__n__gt=0)),
        )
        .order_by("number")
    )
    for one in rows:
        found[one.capability_id].append(one)
    capabilities = Capability.objects.filter(project=project).select_related("rubric")
    return [TrainingLine(one, found[one.pk]) for one in capabilities.order_by("position", "name")]


@dataclass(frozen=True)
class ExampleChoice:
    """An answer of the bank that an example could be made of."""

    key: int
    question: str
    response: str


def answers_of(capability: Capability) -> list[ExampleChoice]:
    """Return some answers to questions of a capability, by their contents."""
    rows = (
        Response.objects.filter(item__capability=capability)
        .select_related("item")
        .order_by("item__external_id", "content_sha")[:MOST_ANSWERS]
    )
    return [
        ExampleChoice(
            one.pk,
            _beginning(texts.conversation(one.item.messages)),
            _beginning(texts.conversation(one.messages)),
        )
        for one in rows
    ]


def _beginning(text: str) -> str:
    """Return how a text begins, as a reader sees it."""
    return Truncator(" ".join(markdown.plain(text[: 4 * LONG]).split())).chars(LONG)


def as_entered(example: TrainingExample) -> dict[str, str]:
    """Return what the form of an example begins with to write another one in its place."""
    grades = {f"grade-{key}": str(value) for key, value in example.grades.items()}
    names = ("use", "question", "reference", "response", "explanation")
    return {**{name: getattr(example, name) for name in names}, **grades}


def begun(project: Project, key: str) -> dict[str, str]:
    """Return what the form of an example begins with: a question and an answer of the bank."""
    if not key.isdigit():
        return {}
    row = Response.objects.filter(item__project=project, pk=int(key)).select_related("item")
    found = row.first()
    if found is None:
        return {}
    return {
        "question": texts.conversation(found.item.messages),
        "reference": found.item.reference,
        "response": texts.conversation(found.messages),
    }
