"""What the demo shows of training: examples, a trial with its verdicts, who stands where since."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from django.conf import settings

from annotation.common import texts as tokens
from annotation.domains.models import Capability
from annotation.grading import operations as grading
from annotation.grading import seating
from annotation.grading.models import Grade
from annotation.people import operations as people
from annotation.people.models import Membership, Project, Rater, Role, User
from annotation.qualification import operations as qualifying
from annotation.qualification import rules
from annotation.qualification.models import TrainingExample
from annotation.qualification.rules import Event
from annotation.rounds import drawing as identity
from annotation.rounds import opening, states
from annotation.rounds.models import IdentityHit, Round, RoundResponse
from annotation.systems.models import SystemRelease
from annotation.training import operations as training
from annotation.training.records import ExampleText
from scoring.trials import figure as trial_figures
from scoring.trials import queries as deciding

#: How long before now the training began, and the trial was opened.
TRAINED_AGO, TRIED_AGO = timedelta(days=12), timedelta(days=9)
MINUTE = timedelta(minutes=1)
Entry = Mapping[str, Any]


def play(*, project: Project, by: User, now: datetime) -> None:
    """Write the training of fixtures/demo/training.json, play its trial, and what came after."""
    path = settings.BASE_DIR / "fixtures" / "demo" / "training.json"
    entry = json.loads(path.read_text(encoding="utf-8"))
    capabilities = {one.name: one for one in Capability.objects.filter(project=project)}
    plan = entry["trial"]
    final = Round.objects.filter(project=project, state="FINAL")
    if plan["capability"] not in capabilities or not final.exists():
        return
    curator = _curator(project)
    began = now - TRAINED_AGO
    _tell_expertise(project, by, began)
    examples: dict[str, list[TrainingExample]] = {}
    for one in entry["trainings"]:
        capability = capabilities[one["capability"]]
        if one["rule"]:
            _set_rule(capability, one["rule"], curator, began)
        examples[capability.name] = _write_examples(capability, one["examples"], curator, began)
    capability = capabilities[plan["capability"]]
    raters = {name: _rater(project, name, began) for name in plan["given"]}
    for rater in raters.values():
        _train(rater, examples[capability.name], began + MINUTE)
    round_ = _open(capability, plan, list(raters.values()), curator, now - TRIED_AGO)
    for name, marks in plan["given"].items():
        _take(round_, raters[name], marks, now - TRIED_AGO + timedelta(hours=1))
    _decide(round_, curator, now - TRIED_AGO + timedelta(days=2))
    _train(raters[entry["again"]], examples[capability.name], now - TRIED_AGO + timedelta(days=4))
    for one in entry["steps"]:
        _step(raters[one["who"]], capabilities[one["capability"]], one, curator, by, now)


def _curator(project: Project) -> User:
    curators = Membership.objects.with_role([Role.CURATOR]).filter(project=project)
    return curators.select_related("user").order_by("pk")[0].user


def _set_rule(capability: Capability, rule: Entry, by: User, now: datetime) -> None:
    asked = qualifying.RuleAsked(
        reference_at=Decimal(rule["reference_at"]), n_least=rule["n_least"]
    )
    qualifying.set_rule(
        project=capability.project, capability=capability, asked=asked, by=by, now=now
    )


def _step(
    rater: Rater, capability: Capability, entry: Entry, curator: User, owner: User, now: datetime
) -> None:
    """Record what was said of somebody by hand, or that they have begun."""
    event = Event(entry["event"])
    at = now - timedelta(days=entry["days"])
    about: dict[str, Any] = {"rater": rater, "capability": capability, "event": event, "now": at}
    if event is Event.BEGUN:
        qualifying.step(by=rater.user, **about)
        return
    by_owner = event in rules.BY_OWNER
    said = owner if by_owner else curator
    qualifying.say(by=said, by_owner=by_owner, reason=entry["reason"], **about)


def _rater(project: Project, name: str, now: datetime) -> Rater:
    return people.rater_of(project=project, user=User.objects.get(username=name), now=now)


def _tell_expertise(project: Project, by: User, now: datetime) -> None:
    path = settings.BASE_DIR / "fixtures" / "demo" / "project.json"
    for one in json.loads(path.read_text(encoding="utf-8"))["people"]:
        if one["role"] == "ANNOTATOR":
            user = User.objects.get(username=one["username"])
            qualifying.set_tags(project=project, user=user, tags=one["expertise"], by=by, now=now)


def _write_examples(
    capability: Capability, entries: Sequence[Entry], by: User, now: datetime
) -> list[TrainingExample]:
    version = training.newest_version(capability)
    assert version is not None
    learned = training.adopt_levels(capability=capability, by=by, now=now)
    practised = [
        training.add_example(
            project=capability.project,
            capability=capability,
            version=version,
            text=ExampleText(
                use=one["use"],
                question=one["question"],
                reference=one["standard_answer"],
                response=one["response"],
                explanation=one["explanation"],
                grades={key: Decimal(value) for key, value in one["grades"].items()},
            ),
            by=by,
            now=now,
        )
        for one in entries
    ]
    return [*learned, *practised]


def _train(rater: Rater, examples: Sequence[TrainingExample], now: datetime) -> None:
    """Read and grade examples, all of them rightly."""
    for n, one in enumerate(examples):
        at = now + n * MINUTE
        if one.use == TrainingExample.Use.LEARN:
            training.note_read(example=one, rater=rater, now=at)
            continue
        right = {key: Decimal(str(value)) for key, value in one.grades.items()}
        training.practise(example=one, rater=rater, grades=right, now=at)


def _open(
    capability: Capability, plan: Entry, raters: Sequence[Rater], by: User, now: datetime
) -> Round:
    project = capability.project
    releases = SystemRelease.objects.filter(
        system__project=project, system__name__in=plan["systems"]
    ).select_related("system")
    # From a secret that was drawn by chance, so that nobody can guess this one either.
    earlier = Round.objects.filter(project=project).earliest("number")
    secret = hashlib.sha256(bytes(earlier.secret) + plan["seed"].encode()).digest()
    round_ = training.begin(
        project=project,
        plan=training.TrialPlan(
            name=plan["title"],
            capability=capability,
            releases=list(releases),
            users=[rater.user for rater in raters if rater.user],
            external_ids=plan["questions"],
        ),
        seed=plan["seed"],
        secret=secret,
        by=by,
        now=now,
    )
    _refer(round_, plan, by, now)
    if round_.identity_hits.exists():
        identity.decide(round_=round_, decision=IdentityHit.Decision.MASK, by=by, now=now)
    opening.request_opening(round_=round_, by=by, now=now)
    opening.open_round(round_=round_, now=now)
    round_.refresh_from_db()
    return round_


def _refer(round_: Round, plan: Entry, by: User, now: datetime) -> None:
    values: dict[tuple[int, int], Decimal] = {}
    why: dict[int, str] = {}
    shown = RoundResponse.objects.filter(round_item__round=round_).select_related(
        "release__system", "round_item__item", "round_item__rubric_version"
    )
    for one in shown:
        system = one.release.system.name
        right = plan["references"][one.round_item.item.external_id][system]
        version = one.round_item.rubric_version
        assert version is not None
        for criterion in version.criteria.all():
            values[one.response_id, criterion.pk] = Decimal(right)
        why[one.response_id] = plan["explanation"].get(system, "")
    training.give(round_=round_, values=values, why=why, by=by, now=now)


def _take(round_: Round, rater: Rater, marks: Entry, now: datetime) -> None:
    for n in range(len(marks)):
        at = now + 5 * n * MINUTE
        seat = seating.claim_next(round_=round_, rater=rater, now=at)
        given = marks[seat.round_item.item.external_id]
        version = seat.round_item.rubric_version
        assert version is not None
        slots = seat.slots.select_related("round_response__release__system").order_by("position")
        grading.submit_grades(
            token=seat.token or "",
            rater=rater,
            marks=[
                grading.EnteredMark(
                    tokens.letter(slot.position),
                    criterion.key,
                    Decimal(given[slot.round_response.release.system.name]),
                )
                for slot in slots
                for criterion in version.criteria.all()
            ],
            comments={},
            base_rev=seat.rev,
            op_id=uuid5(NAMESPACE_URL, f"demo {seat.token}"),
            active_ms=1000 * (110 + 20 * n),
            now=at + 3 * MINUTE,
            view="plain",
        )


def _decide(round_: Round, by: User, now: datetime) -> None:
    """Close the trial, record what it says of each, and leave it final."""
    assert Grade.objects.filter(round=round_, kind=Grade.Kind.GIVEN).exists()
    states.close(round_=round_, by=by, now=now)
    round_.refresh_from_db()
    trial = round_.trial
    data = trial_figures.trial_of(round_, deciding.params(trial))
    assert isinstance(data, dict)
    report = deciding.TrialReport(trial, data)
    deciding.record(report=report, by=by, now=now + timedelta(hours=1))
    states.finish(round_=round_, by=by, now=now + timedelta(hours=2))
