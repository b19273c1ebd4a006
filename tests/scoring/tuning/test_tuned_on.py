"""No score of a judge on a question it was tuned on meets a grade of people, wherever the two come together."""

from math import isfinite

import pytest

from annotation.rounds import drawing
from annotation.rounds.models import Round
from annotation.rounds.queries import versions_of
from annotation.systems.models import Response
from scoring.beside import columns, figures
from scoring.beside.columns import PeopleChoice
from scoring.beside.options import BesideChoice
from scoring.endpoints.models import Judge
from scoring.kinds.fusion import figure as combined
from scoring.kinds.fusion import queries as tasks
from scoring.kinds.judging.models import TuningQuestion
from scoring.publishing import choosing, outputs
from scoring.publishing import operations as publishing
from tests import make
from tests.scoring import fused, judged, tuned
from tests.scoring.interviews_published import graded
from tests.scoring.publishing.test_publishing import collected, publish

pytestmark = pytest.mark.django_db


@pytest.fixture
def world():
    """Return a judge tuned on part of a published round and run over all of it, and a combination with it."""
    round_ = publish(publishing.source_of(collected(12)))
    drawing.prepare(round_=round_, now=make.NOW)
    graded(round_)
    Round.objects.filter(pk=round_.pk).update(state="FINAL", final_at=make.NOW)
    round_.refresh_from_db()
    tuning = tuned.begun(round_)
    judge = tuned.tried(tuning).judge
    tuned.measured(tuning)
    judged.ran(round_, judge, number=50)
    return round_, judge


def mixed(round_: Round, judge: Judge, how: str):
    criteria = tasks.from_rubric(versions_of(round_.project)[0]).criteria
    own = [one for one in tasks.assistants(round_.project) if one.helper.rater == judge.rater_id]
    task = fused.version(criteria=criteria, helpers=fused.helpers(own[0].label))
    return fused.combined(fused.mixed(task, (how,), round=round_, people=round_))


def of_columns(round_, rater):
    found = columns.columns(PeopleChoice((round_,)), [rater])
    ((_key, one),) = found.judges.items()
    return dict(zip(found.response, one.values, strict=True))


def beside_people(round_, judge):
    return of_columns(round_, judge.rater_id)


def combined_beside_people(round_, judge):
    return of_columns(round_, mixed(round_, judge, "AVG").config["mixes"][0]["rater"])


def correlation_weights(round_, judge):
    """Weights are learnt on what the judge was not tuned on."""
    run = mixed(round_, judge, "CORRW")
    ((criterion, _pk),) = run.config["mixes"][0]["criteria"].items()
    found = combined.combine(run, "CORRW", criterion)
    groups = {one.group for one in TuningQuestion.objects.filter(is_held_out=True)}
    n = Response.objects.filter(pk__in=found.responses, item__group__in=groups).count()
    assert all(one["n_train"] <= n for one in found.weights)
    return of_columns(round_, run.config["mixes"][0]["rater"])


def saving_human_grades(round_, judge):
    key = versions_of(round_.project)[0].criteria.get().key
    choice = BesideChoice(
        rounds=(round_.number,),
        judges=(judge.rater_id,),
        criteria={key: {judge.rater_id: key}},
        criterion=key,
    )
    both = columns.sides(round_, choice)
    _key, human, own = both.of_one()
    frame = figures.frame_of(round_, both, human, own)
    run = round_.publication.run
    places = [one.response_id for unit in outputs.collected(run) for one in unit.outputs]
    return dict(zip(places, frame.judge, strict=True))


def drawing_sooner(round_, judge):
    """What a judge says of outputs aids the scores of all of them that people graded."""
    run = round_.publication.run
    rule = next(one for one in choosing.rules_of(run) if one.kind == "low")
    found = choosing.preferred(run, outputs.units(run), rule.key)
    return {response: value for (response, _level, _index), value in found.aid.items()}


@pytest.mark.parametrize(
    "scores",
    [
        beside_people,
        combined_beside_people,
        correlation_weights,
        saving_human_grades,
        drawing_sooner,
    ],
)
def test_only_questions_that_were_set_aside_count(world, scores):
    round_, judge = world
    tuning = judge.tuned_version.tuning

    found = scores(round_, judge)

    with_a_score = {response for response, value in found.items() if isfinite(value)}
    assert with_a_score == set(tuned.responses(tuning, held_out=True))
