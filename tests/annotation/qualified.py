"""Training and trials for tests: examples that are practised, a trial that is graded and closed."""

from collections.abc import Sequence
from decimal import Decimal

from annotation import models
from annotation.people import operations as people
from annotation.people.models import Role
from annotation.qualification import answers as reads
from annotation.qualification import operations as qualifying
from annotation.qualification.rules import Event
from annotation.rounds import opening, states
from annotation.training import operations as training
from annotation.training.records import ExampleText
from tests import make

SECRET = b"another secret, that of a trial."


def example(
    use: str = "PRACTISE",
    right: int = 2,
    *,
    capability: models.Capability | None = None,
    response: str = "A flat base that carries goods.",
) -> models.TrainingExample:
    """Return an example of a capability with one criterion, `grade`, from 0 to 2."""
    about = capability or make.capability()
    version = training.newest_version(about)
    assert version is not None
    return training.add_example(
        project=about.project,
        capability=about,
        version=version,
        text=ExampleText(
            use=use,
            question="What is a pallet?",
            reference="A flat base for goods.",
            response=response,
            explanation="It says all that matters.",
            grades={"grade": Decimal(right)},
        ),
        by=curator(about.project),
        now=make.NOW,
    )


def curator(of: models.Project) -> models.User:
    return make.member(Role.CURATOR, in_=of)


def owner(of: models.Project) -> models.User:
    return of.memberships.filter(role=Role.OWNER).earliest("pk").user


def annotator(name: str = "ann-1", *, in_: models.Project | None = None) -> models.Rater:
    home = in_ or make.project()
    return make.rater(make.member(Role.ANNOTATOR, in_=home, username=name), in_=home)


def practise(
    one: models.TrainingExample, by: models.Rater, value: int = 2, *, minutes: float = 1
) -> models.Practice:
    return training.practise(
        example=one, rater=by, grades={"grade": Decimal(value)}, now=make.at(minutes)
    )


def trained(rater: models.Rater, capability: models.Capability | None = None) -> models.Rater:
    """Return somebody who has practised enough."""
    return _moved(rater, capability, Event.PRACTISED)


def qualified(rater: models.Rater, capability: models.Capability | None = None) -> models.Rater:
    """Return somebody whom an owner let in."""
    return _moved(rater, capability, Event.ALLOWED)


def _moved(rater: models.Rater, capability: models.Capability | None, event: Event) -> models.Rater:
    qualifying.step(
        rater=rater,
        capability=capability or make.capability(),
        event=event,
        by=None,
        now=make.NOW,
        reason="A test.",
    )
    return rater


def bank(n: int, capability: models.Capability) -> None:
    """Make questions of a capability that Kestrel and Heron have answered."""
    for number in range(1, n + 1):
        if models.Item.objects.filter(
            project=capability.project, external_id=f"T{number:02}"
        ).exists():
            continue
        asked = make.item(
            f"T{number:02}", in_=capability.project, capability_=capability, question=f"{number}?"
        )
        for name in make.SYSTEMS[:2]:
            release = make.release(name, in_=capability.project)
            make.response(asked, release, f"Answer {number} by {len(name)}.")


def draft_trial(names: Sequence[str] = ("ann-1", "ann-2"), n_items: int = 3) -> models.Round:
    """Return the draft of a trial in factuality with people who have trained."""
    about = make.capability()
    bank(n_items, about)
    raters = [trained(annotator(name)) for name in names]
    return training.begin(
        project=about.project,
        plan=training.TrialPlan(
            name="First trial",
            capability=about,
            releases=[make.release(name) for name in make.SYSTEMS[:2]],
            users=[make.account(one) for one in raters],
            n_items=n_items,
        ),
        seed="a seed",
        secret=SECRET,
        by=curator(about.project),
        now=make.NOW,
    )


def refer(round_: models.Round, value: int = 2) -> None:
    """Say the same of every answer."""
    training.give(
        round_=round_,
        values=dict.fromkeys(reads.wanted(round_), Decimal(value)),
        why={},
        by=curator(round_.project),
        now=make.NOW,
    )


def open_trial(names: Sequence[str] = ("ann-1", "ann-2"), n_items: int = 3) -> models.Round:
    round_ = draft_trial(names, n_items)
    refer(round_)
    opening.request_opening(round_=round_, by=curator(round_.project), now=make.NOW)
    opening.open_round(round_=round_, now=make.NOW)
    return round_


def take(round_: models.Round, rater: models.Rater, values: Sequence[int]) -> None:
    """Grade as many questions as there are values, all answers of one alike."""
    for n, value in enumerate(values):
        make.submit(make.claim(round_, rater, now=make.at(n)), value, now=make.at(n))


def close(round_: models.Round) -> models.Round:
    states.close(round_=round_, by=curator(round_.project), now=make.at(60))
    round_.refresh_from_db()
    return round_


def somebody(name: str, *, in_: models.Project | None = None) -> models.Rater:
    home = in_ or make.project()
    return people.rater_of(project=home, user=make.user(name), now=make.NOW)
