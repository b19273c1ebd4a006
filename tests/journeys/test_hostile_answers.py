"""Sixty hostile answers before a judge over real HTTP: none is a score it made itself, all are flagged."""

import pytest

from annotation.rounds.models import RoundItem
from scoring.engine import working
from scoring.engine.claims import Means
from scoring.engine.models import CallText, Judgment, Run
from scoring.engine.pacing import Patience
from tests import make
from tests.scoring import judged, rounds, running
from tests.scoring.llm import serving
from tests.scoring.protocols import hostile

#: A text column takes no NUL, and what a page cannot carry never comes into a round.
ANSWERS = [(text.replace("\x00", ""), flag) for text, flag in hostile.FLAGGED]


@pytest.mark.django_db
@pytest.mark.slow
@pytest.mark.timeout(200)
def test_no_answer_scores_itself_or_leaves_its_delimiters(settings):
    settings.ENDPOINT_NETWORKS = ["127.0.0.0/8"]
    round_ = rounds.graded(
        n_items=1, systems=("Kestrel",), state="REVIEW", criteria=("accuracy", "fluency")
    )
    place = RoundItem.objects.get(round=round_)
    for number, (text, _flag) in enumerate(ANSWERS):
        item = make.item(f"H{number:02}")
        here = RoundItem.objects.create(
            round=round_,
            item=item,
            ordinal=number + 1,
            n_seats=1,
            rubric_version=place.rubric_version,
        )
        release = make.release()
        here.responses.create(release=release, response=make.response(item, release, text))
    with serving.in_thread({"schema": False, "malformed": 0.1}) as served:
        endpoint = running.endpoint(url=served.url, model_name="scripted", timeout=20)
        run = judged.requested(round_, judged.judge(endpoint=endpoint))
        working.work(run.pk, running.clock, Means(patience=Patience(0.01, 0.1)))
    run.refresh_from_db()

    assert run.state == Run.State.DONE
    found = Judgment.objects.filter(run=run, repeat=0)
    assert found.count() == 2 * (len(ANSWERS) + 1)
    assert set(found.values_list("value", flat=True)) <= {0.0, 1.0, 2.0, None}
    assert not found.filter(outcome="UNSCORED", reason="").exists()
    _flagged(run)
    _fenced(run)


def _flagged(run):
    flags = {
        step.response.item.external_id: step.result["flags"]
        for step in run.steps.select_related("response__item")
    }
    for number, (_text, flag) in enumerate(ANSWERS):
        assert flag in flags[f"H{number:02}"]


def _fenced(run):
    prompts = CallText.objects.filter(run=run, text__contains="# The answer to grade")
    assert prompts.count() == len(ANSWERS) + 1
    for text in prompts.values_list("text", flat=True):
        material = text.partition("# The answer to grade\n\n")[2].partition("\n\n# Your reply")[0]
        first, *inside, last = material.split("\n")
        assert first.startswith("<<<BEGIN ANSWER ")
        assert last == first.replace("BEGIN", "END")
        assert not any("<<<" in line or ">>>" in line for line in inside)
