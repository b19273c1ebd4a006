"""Tune a judge: split a round's questions, try versions on one part, lock one, measure it on the other."""

import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import F, Max

from annotation.common import draws, scales
from annotation.common.sentences import gettext as _
from annotation.people import audit
from annotation.people.models import Project, User
from annotation.rounds.models import Round, RoundResponse
from annotation.rubrics.models import Criterion
from evalsite import errors
from evalsite.templatetags import amounts
from scoring.beside import verdicts
from scoring.beside.verdicts import PersonGrade
from scoring.endpoints import queries as connections
from scoring.endpoints.models import Judge
from scoring.engine import requests
from scoring.engine.kinds import LARGEST_SEED
from scoring.engine.models import Run
from scoring.kinds.judging import queries as judging
from scoring.kinds.judging import settings as judges
from scoring.kinds.judging.models import Tuning, TuningAside, TuningQuestion, TuningVersion
from scoring.kinds.judging.tuned import kind as tuned
from scoring.kinds.judging.tuned import v1
from scoring.kinds.judging.tuned.kind import ExampleGrade, GradedExample, TunedSettings
from scoring.tuning import queries as reads
from scoring.tuning.records import TuningBegin, TuningExample

#: Questions that either side of a split needs: fewer have no interval.
FEWEST: Final = 4
#: How a judge that is tuned is asked, as far as it can be chosen.
CHOSEN: Final = ("repeats", "temperature", "reference", "language")


class BadTuning(errors.Invalid):
    """A judge cannot be tuned so; `fields` says why."""


class TooFewQuestions(errors.Invalid): ...


class TuningLocked(errors.Conflict):
    """A version was locked; what was held out is not held out any more."""

    code = "tuning_locked"


class TuningMoved(errors.Conflict):
    """Somebody else changed the instructions since they were read."""

    code = "tuning_moved"


class NotTried(errors.Conflict):
    """The version was not tried to its end."""

    code = "version_not_tried"


class MeasureOverBudget(errors.Invalid):
    """The answers set aside are opened once: a measurement is not begun that would stop half-way."""


class NoPracticeAnswer(errors.Invalid):
    """The answer is none of those that are practised on."""


@transaction.atomic
def begin(*, round_: Round, wish: TuningBegin, by: User, now: datetime) -> Tuning:
    """Begin to tune a judge: draw which questions are set aside.

    Args:
        round_: final, with grades of people.
        wish: what was chosen.
        by: who tunes.
        now: the clock.

    Raises:
        BadTuning: endpoint or criteria are not there, or the round is not final.
        TooFewQuestions: a side of the split would have fewer than four.
    """
    project = Project.objects.select_for_update().get(pk=round_.project_id)
    if round_.state != Round.State.FINAL:
        said = _("Only grades of a final round can be agreed with. Choose another round.")
        raise BadTuning(said, fields={"round": [said]})
    endpoint = connections.endpoints_of(project).filter(name=wish.endpoint).first()
    if endpoint is None:
        said = _("No endpoint in use here is called “%(name)s”.") % {"name": wish.endpoint}
        raise BadTuning(said, fields={"endpoint": [said]})
    seed = secrets.randbelow(LARGEST_SEED + 1) if wish.seed is None else wish.seed
    groups = reads.strata_of(round_)
    apart = held_out(groups, seed=seed, share=wish.share)
    made = _made(
        project,
        round_,
        by,
        now,
        name=_free(project, wish.name.strip()),
        endpoint=endpoint,
        criteria=_criteria(round_, wish.criteria),
        settings={name: getattr(wish, name) for name in CHOSEN},
        share=wish.share,
        seed=seed,
        instructions=wish.instructions.strip() or v1.usual(wish.language),
    )
    TuningQuestion.objects.bulk_create(
        TuningQuestion(tuning=made, group=one, is_held_out=one in apart) for one in groups
    )
    return made


def held_out(groups: Mapping[str, str], *, seed: int, share: int) -> set[str]:
    """Return the questions that are set aside: drawn by lot, the same share of every stratum.

    Args:
        groups: questions, each with its stratum.
        seed: the same one draws the same questions.
        share: in percent.

    Raises:
        TooFewQuestions: either side would have fewer than four.
    """
    n = round(len(groups) * share / 100)
    if min(n, len(groups) - n) < FEWEST:
        said = _(
            "Either side needs %(least)d questions; of the %(n)d of this round %(apart)d would be "
            "set aside. Choose a round with more questions, or another share."
        ) % {"least": FEWEST, "n": len(groups), "apart": n}
        raise TooFewQuestions(said, fields={"share": [said]})
    by_lot = sorted(groups, key=lambda one: (groups[one], draws.rank_key(f"tuning {seed}", one)))
    start = draws.integer(seed, "tuning", below=len(by_lot))
    return {one for at, one in enumerate(by_lot) if (at * n + start) % len(by_lot) < n}


def _made(project: Project, round_: Round, by: User, now: datetime, **given: Any) -> Tuning:
    last = Tuning.objects.filter(project=project).aggregate(last=Max("number"))["last"]
    made = Tuning.objects.create(
        project=project,
        number=(last or 0) + 1,
        round=round_,
        created_by=by,
        created_at=now,
        **given,
    )
    audit.done(made, "tuning.begun", by, now, round=round_.number, seed=made.seed)
    return made


def _free(project: Project, name: str) -> str:
    """Return a name that no tuning has.

    Raises:
        BadTuning: one has it.
    """
    if Tuning.objects.filter(project=project, name=name).exists():
        said = _("A judge called “%(name)s” is tuned already. Choose another name.")
        said %= {"name": name}
        raise BadTuning(said, fields={"name": [said]})
    return name


def _criteria(round_: Round, wished: Sequence[str]) -> list[str]:
    known = [one.key for one in judging.choices_of(round_, labels=False)]
    if unknown := sorted(set(wished) - set(known)):
        said = _("The rubrics of this round have no criterion “%(key)s”.") % {"key": unknown[0]}
        raise BadTuning(said, fields={"criteria": [said]})
    return [key for key in known if not wished or key in wished]


@transaction.atomic
def keep(
    *,
    tuning: Tuning,
    instructions: str,
    examples: Sequence[TuningExample],
    rev: int,
    by: User,
    now: datetime,
) -> Tuning:
    """Keep what is being worked on.

    Args:
        tuning: not locked.
        instructions: as they stand now.
        examples: likewise, in their order.
        rev: that of what was read before it was changed.
        by: who works on it.
        now: the clock.

    Raises:
        TuningLocked: a version was locked.
        TuningMoved: somebody else changed it since.
        NoPracticeAnswer: an example is no answer that is practised on.
        BadTuning: nothing is said, or there are too many examples.
    """
    _refuse_locked(tuning)
    instructions = instructions.replace("\r\n", "\n").strip()  # as browsers send it
    if not instructions:
        said = _("Say how to grade.")
        raise BadTuning(said, fields={"instructions": [said]})
    if len(examples) > tuned.MOST_EXAMPLES:
        said = _("A judge takes at most %(n)d examples.") % {"n": tuned.MOST_EXAMPLES}
        raise BadTuning(said, fields={"examples": [said]})
    _refuse_others(tuning, [one.response for one in examples])
    plain = [{"response": one.response, "reason": one.reason.strip()} for one in examples]
    mine = Tuning.objects.filter(pk=tuning.pk, rev=rev, locked__isnull=True)
    if not mine.update(instructions=instructions, examples=plain, rev=F("rev") + 1):
        raise TuningMoved(
            _("Somebody changed the instructions while you worked on them. Load the page again.")
        )
    tuning.refresh_from_db(fields=["instructions", "examples", "rev"])
    return tuning


@transaction.atomic
def show_example(
    *, tuning: Tuning, response: int, reason: str, shown: bool, by: User, now: datetime
) -> Tuning:
    """Have the judge be shown an answer with its grades from the next version on, or no more."""
    tuning.refresh_from_db()
    rest = [one for one in tuning.examples if one["response"] != response]
    added = [{"response": response, "reason": reason[:2000]}] if shown else []
    examples = [TuningExample(**one) for one in [*rest, *added]]
    return keep(
        tuning=tuning,
        instructions=tuning.instructions,
        examples=examples,
        rev=tuning.rev,
        by=by,
        now=now,
    )


@transaction.atomic
def set_aside(*, tuning: Tuning, response: int, right: str, by: User, now: datetime) -> None:
    """Set a disagreement aside, since the judge is right or nobody; "" brings it back.

    Raises:
        TuningLocked: a version was locked.
        NoPracticeAnswer: the answer is none that is practised on.
    """
    _refuse_locked(tuning)
    _refuse_others(tuning, [response])
    TuningAside.objects.filter(tuning=tuning, response=response).delete()
    if right:
        TuningAside.objects.create(tuning=tuning, response_id=response, right=right, by=by, at=now)


@transaction.atomic
def try_version(
    *, tuning: Tuning, key: UUID, note: str, budget: Decimal | None, by: User, now: datetime
) -> TuningVersion:
    """Make a version of what is being worked on and have it grade the practice answers.

    The same key again is the same version.

    Raises:
        TuningLocked: a version was locked.
        judges.JudgeAlreadyThere: it is a version that was tried.
        errors.Refusal: the run cannot be started; says why.
    """
    found = TuningVersion.objects.filter(tuning=tuning, run__key=key).first()
    if found is not None:
        return found
    tuning = Tuning.objects.select_for_update(of=("self",)).get(pk=tuning.pk)
    _refuse_locked(tuning)
    last = tuning.versions.aggregate(last=Max("number"))["last"]
    number = (last or 0) + 1
    settings = TunedSettings(
        **tuning.settings, instructions=tuning.instructions, examples=_snapshot(tuning)
    )
    judge = judges.create(
        project=tuning.project,
        name=f"{tuning.name} v{number}",
        endpoint=tuning.endpoint,
        settings=settings,
        by=by,
        now=now,
        beside={"tuning": tuning.number},
    )
    run = _run(tuning, judge, key, budget, by, now, held_out=False)
    return TuningVersion.objects.create(
        tuning=tuning,
        number=number,
        note=note.strip(),
        instructions=tuning.instructions,
        examples=tuning.examples,
        judge=judge,
        run=run,
        created_by=by,
        created_at=now,
    )


def _run(
    tuning: Tuning,
    judge: Judge,
    key: UUID,
    budget: Decimal | None,
    by: User,
    now: datetime,
    *,
    held_out: bool,
) -> Run:
    words = _("%(judge)s, measured") if held_out else _("%(judge)s, a try")
    return requests.request_run(
        project=tuning.project,
        key=key,
        kind=Run.Kind.JUDGE,
        name=words % {"judge": judge.name},
        protocol=judge.protocol,
        config={
            "criteria": sorted(tuning.criteria),
            "items": reads.items(tuning, held_out=held_out),
            "tuning": tuning.number,
        },
        seed=tuning.seed,
        user=by,
        now=now,
        round_=tuning.round,
        judge=judge,
        budget=budget,
        is_practice=not held_out,
    )


@transaction.atomic
def measure(
    *, tuning: Tuning, number: int, key: UUID, budget: Decimal | None, by: User, now: datetime
) -> Tuning:
    """Lock a version and have it grade, once, the answers that were set aside.

    The same key again is the same measurement.

    Raises:
        TuningLocked: a version was locked before.
        NotTried: this one was not tried to its end.
        MeasureOverBudget: it is estimated to cost more.
        errors.Refusal: the run cannot be started; says why.
    """
    tuning = Tuning.objects.select_for_update(of=("self",)).get(pk=tuning.pk)
    if tuning.measure is not None and tuning.measure.key == key:
        return tuning
    _refuse_locked(tuning)
    version = tuning.versions.select_related("run", "judge").filter(number=number).first()
    if version is None or version.run.state != Run.State.DONE:
        raise NotTried(_("Try the version to its end first; then it can be measured."))
    tuning.measure = _run(tuning, version.judge, key, budget, by, now, held_out=True)
    _refuse_over(tuning.measure)
    tuning.locked, tuning.locked_by, tuning.locked_at = version, by, now
    tuning.save(update_fields=["measure", "locked", "locked_by", "locked_at"])
    audit.done(tuning, "tuning.locked", by, now, version=number, run=tuning.measure.number)
    return tuning


@transaction.atomic
def go_on(*, tuning: Tuning, name: str, by: User, now: datetime) -> Tuning:
    """Tune on from the version that was locked, with the same split; its last figure counts as seen.

    Raises:
        NotTried: no version is locked yet.
        BadTuning: a tuning has this name.
    """
    if tuning.locked is None:
        raise NotTried(_("Finish with a version first."))
    project = Project.objects.select_for_update().get(pk=tuning.project_id)
    made = _made(
        project,
        tuning.round,
        by,
        now,
        name=_free(project, name.strip()),
        endpoint=tuning.endpoint,
        criteria=tuning.criteria,
        settings=tuning.settings,
        share=tuning.share,
        seed=tuning.seed,
        instructions=tuning.locked.instructions,
        examples=tuning.locked.examples,
    )
    TuningQuestion.objects.bulk_create(
        TuningQuestion(tuning=made, group=one.group, is_held_out=one.is_held_out)
        for one in tuning.questions.all()
    )
    return made


def _refuse_locked(tuning: Tuning) -> None:
    if tuning.is_locked:
        raise TuningLocked(
            _("A version was locked and measured. Tune on from it to change something.")
        )


def _refuse_over(run: Run) -> None:
    cost = run.estimate["cost"]
    if run.budget is None or cost is None or cost <= run.budget:
        return
    said = _("Measuring is estimated to cost %(cost)s. Give it a larger budget, or none.")
    said %= {"cost": amounts.money(cost, run.estimate["currency"])}
    raise MeasureOverBudget(said, fields={"budget": [said]})


def _refuse_others(tuning: Tuning, responses: Collection[int]) -> None:
    """Refuse answers of questions that are set aside, or of none at all."""
    known = {one.response_id for one in reads.practised(tuning, responses)}
    if set(responses) - known:
        raise NoPracticeAnswer(
            _("Only answers that are practised on can be examples or be set aside.")
        )


@dataclass(frozen=True, slots=True)
class _GradedExample:
    """An example with what people gave it."""

    place: RoundResponse
    reason: str
    grades: tuple[ExampleGrade, ...]


def _snapshot(tuning: Tuning) -> tuple[GradedExample, ...]:
    """Return the examples as a judge is shown them: the texts that people saw, and their grades."""
    reasons = {one["response"]: one["reason"] for one in tuning.examples}
    places = {one.response_id: one for one in reads.practised(tuning, list(reasons))}
    given = {key: verdicts.given([tuning.round], list(places), key) for key in tuning.criteria}
    graded = [
        _GradedExample(places[response], reason, _grades(places[response], given))
        for response, reason in reasons.items()
        if response in places
    ]
    return tuple(_example(one) for one in graded if one.grades)


def _grades(
    place: RoundResponse, given: Mapping[str, Mapping[int, Sequence[PersonGrade]]]
) -> tuple[ExampleGrade, ...]:
    """Return of each criterion the value that is nearest to people's mean."""
    made = []
    rows = Criterion.objects.filter(rubric_version=place.round_item.rubric_version_id)
    for row in rows.order_by("position"):
        values = [one.value for one in given.get(row.key, {}).get(place.response_id, ())]
        if values:
            mean = sum(values, Decimal(0)) / len(values)
            levels = row.scale.levels() or (round(mean, 2),)
            nearest = min(levels, key=lambda level: (abs(level - mean), level))
            made.append(ExampleGrade(row.key, scales.text(nearest)))
    return tuple(made)


def _example(one: _GradedExample) -> GradedExample:
    place = one.place
    task = judging.task(
        item=place.round_item.item,
        response=place.response,
        shown=place.display,
        criteria=(),
        principle="",
        reference=False,
        language="en",
    )
    question, answer = (
        "\n\n".join(message.content for message in said)[: tuned.MOST_TEXT]
        for said in (task.question, task.answer)
    )
    return GradedExample(question, answer, one.grades, one.reason)
