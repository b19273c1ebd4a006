"""Write examples to train by, and practise them.

* Say what is right for the answers of a round: reference grades, for trials and gold items.
* Begin a trial: a blind round for those who have trained, whose right grades are known.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Max

from annotation.common import scales, sentences
from annotation.common.sentences import gettext as _
from annotation.domains.models import Capability
from annotation.grading.models import Grade
from annotation.people import audit
from annotation.people import operations as people
from annotation.people.models import Project, Rater, User
from annotation.qualification import answers as references_reads
from annotation.qualification import operations as qualifying
from annotation.qualification import queries as qualifications
from annotation.qualification.answers import Place
from annotation.qualification.models import Practice, Qualification, TrainingExample, Trial
from annotation.qualification.rules import Event, PoolState
from annotation.rounds import drafting, drawing, states
from annotation.rounds import rules as draws
from annotation.rounds.models import Round
from annotation.rubrics.models import Criterion, RubricVersion
from annotation.systems.models import SystemRelease
from annotation.training import queries as reads
from annotation.training.records import ExampleText
from evalsite import errors

Use = TrainingExample.Use
LONGEST = 20_000


class ExampleInvalid(errors.Invalid): ...


class NotGraded(errors.Invalid): ...


class ExampleWithdrawn(errors.Conflict): ...


class StandsAside(errors.NotAllowed): ...


class NoRubric(errors.Conflict): ...


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
    audit.done(made, "training.example_added", by, now, capability=capability.pk)
    return made


def _checked(version: RubricVersion, text: ExampleText) -> dict[str, str]:
    """Return the grades as they are stored.

    Raises:
        ExampleInvalid: `fields` says what is wrong.
    """
    problems = _wrong_words(text)
    if version.criteria.filter(mark=Criterion.Mark.CHOICE).exists():
        problems["grades"] = [drafting.untrained()]
    rows = version.criteria.with_values()
    criteria = {one.key: one for one in rows}
    grades: dict[str, str] = {}
    for key, value in text.grades.items():
        if key not in criteria:
            problems["grades"] = [_("The rubric has no criterion %(key)s.") % {"key": key}]
            continue
        try:
            grades[key] = scales.text(criteria[key].scale.check(value))
        except ValueError as problem:
            problems[f"grade-{key}"] = [sentences.of(problem)]
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
        ExampleWithdrawn: somebody did so before.
    """
    done = TrainingExample.objects.in_use().filter(pk=example.pk)
    if not done.update(withdrawn_by=by, withdrawn_at=now):
        raise ExampleWithdrawn(_("This example was withdrawn before."))
    audit.done(example, "training.example_withdrawn", by, now)


@transaction.atomic
def replace(
    *, example: TrainingExample, text: ExampleText, by: User, now: datetime
) -> TrainingExample:
    """Write another example in the place of this one, by the newest wording of the rubric.

    What was practised with the earlier one stays; the new one is to be practised anew.

    Raises:
        ExampleInvalid: something is missing, or a grade does not fit its scale.
        NoRubric: the capability has none any more.
        ExampleWithdrawn: somebody withdrew it before.
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
def note_read(*, example: TrainingExample, rater: Rater, now: datetime) -> Practice:
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
        ExampleWithdrawn: the example is not used any more.
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
            problems[key] = [sentences.of(problem)]
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
        raise ExampleWithdrawn(_("This example is not used any more. Go on with the next one."))
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
    at = PoolState(course.state)
    if at in {PoolState.NEW, PoolState.TRAINING, PoolState.RETRAINING} and course.progress.enough:
        event = Event.PRACTISED
    elif at is PoolState.NEW:
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
    if values.keys() - references_reads.wanted(round_):
        raise states.NotOfThisRound(
            _("One of these answers is not in this round. Load the page again.")
        )
    checked = _checked_reference(values)
    known = references_reads.current(round_)
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
        audit.done(round_, "references.given", by, now, grades=changed)
    return changed


def _checked_reference(values: Mapping[Place, Decimal]) -> dict[Place, Decimal]:
    criteria = Criterion.objects.in_bulk({criterion for _response, criterion in values})
    checked: dict[Place, Decimal] = {}
    problems: dict[str, list[str]] = {}
    for (response, criterion), value in values.items():
        try:
            checked[response, criterion] = criteria[criterion].scale.check(value)
        except ValueError as problem:
            problems[f"reference-{response}-{criterion}"] = [sentences.of(problem)]
    if problems:
        raise states.OffScale(_("Some grades do not fit their scale."), fields=problems)
    return checked


TRIES = frozenset({PoolState.TRAINED})


class TrialInvalid(errors.Invalid): ...


@dataclass(frozen=True)
class TrialPlan:
    """What a trial is made of: questions of a capability and of those below it, by one rubric.

    `external_ids` names the questions; none: `n_items` by lot.
    """

    name: str
    capability: Capability
    releases: Sequence[SystemRelease]
    users: Sequence[User]
    n_items: int = 10
    external_ids: Sequence[str] = ()


@transaction.atomic
def begin(
    *, project: Project, plan: TrialPlan, seed: str, secret: bytes, by: User, now: datetime
) -> Round:
    """Make the draft of a trial, draw its questions and put these people into it.

    Everybody grades every question, blind and without feedback until the trial's end.

    Raises:
        TrialInvalid: nobody, somebody who has not finished the training, or no rubric.
        DesignInvalid: the releases or the number cannot be used.
    """
    version = newest_version(plan.capability)
    raters = [people.rater_of(project=project, user=user, now=now) for user in plan.users]
    _check(plan, raters, has_rubric=version is not None)
    assert version is not None
    made = drafting.create_round(
        project=project,
        name=plan.name.strip(),
        seed=seed,
        secret=secret,
        by=by,
        now=now,
        kind=Round.Kind.TRIAL,
    )
    Trial.objects.create(
        round=made,
        capability=plan.capability,
        rule=qualifications.rule_of(project, plan.capability),
    )
    settings = drafting.RoundSettings(
        name=plan.name,
        n_seats=len(raters),
        # Fewer than three are no danger here: a trial counts in no figure.
        seats_override=_("A trial: each of its annotators grades every question."),
    )
    given: dict[str, Any] = {"round_": made, "by": by, "now": now}
    drafting.configure(settings=settings, by_owner=True, **given)
    drafting.choose_releases(releases=list(plan.releases), **given)
    keys = qualifications.Ladder(project).below(plan.capability.pk)
    covered = Capability.objects.filter(pk__in=keys)
    by_capability = dict.fromkeys(covered, version)
    drafting.choose_rubrics(by_capability=by_capability, rest=None, **given)
    wanted = draws.Draw(
        capabilities=keys,
        external_ids=list(plan.external_ids),
        n_items=None if plan.external_ids else plan.n_items,
    )
    drafting.choose_draw(draw=wanted, **given)
    drafting.invite(users=list(plan.users), by_owner=False, override="", **given)
    for rater in raters:
        qualifying.step(
            rater=rater,
            capability=plan.capability,
            event=Event.INVITED,
            by=by,
            now=now,
            round_=made,
        )
    drawing.prepare(round_=made, now=now)
    made.refresh_from_db()
    return made


def _check(plan: TrialPlan, raters: Sequence[Rater], *, has_rubric: bool) -> None:
    problems: dict[str, list[str]] = {}
    if not raters:
        problems["users"] = [_("Choose one annotator or more who has finished the training.")]
    ladder = qualifications.Ladder(plan.capability.project_id)
    late = [
        str(user.display_name)
        for user, rater in zip(plan.users, raters, strict=True)
        if ladder.state(plan.capability.pk, qualifications.states_of(rater)) not in TRIES
    ]
    if late:
        problems["users"] = [
            _("%(names)s: not ready for a trial. The training comes first.")
            % {"names": ", ".join(late)}
        ]
    if not has_rubric:
        problems["capability"] = [_("This capability has no rubric. Choose one for it first.")]
    if not 1 <= len(plan.name.strip()) <= 200:
        problems["name"] = [_("Give the trial a name of up to 200 characters.")]
    if problems:
        first = next(iter(problems.values()))[0]
        raise TrialInvalid(first, fields=problems)
