import json

import pytest

from scoring.engine import files as run_export
from tests import make
from tests.scoring import machines, running

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged():
    for number in range(2):
        make.response(make.item(f"Q{number}"), make.release("Kestrel"), f"Answer {number}.")
    judge = machines.judge("a judge").rater_id
    endpoint = running.endpoint().pk

    def run(key):
        made = running.requested(key, endpoint=endpoint, judges=judge, calls=2)
        return running.worked(made, running.Model())

    return run


class TestLines:
    def test_hold_steps_calls_with_their_texts_and_judgments(self, judged):
        lines = [json.loads(one) for one in run_export.lines(judged(1))]

        assert [one["line"] for one in lines] == ["run", *["step", "call", "call", "judgment"] * 2]
        assert lines[1]["item"] == "Q0"
        assert lines[2]["messages"] == [["user", "Q0 by Kestrel, 0, after []"]]
        assert lines[4]["text"] == lines[3]["text"]

    def test_are_equal_for_runs_that_did_the_same(self, judged):
        first, second = judged(1), judged(2)

        assert list(run_export.lines(first)) == list(run_export.lines(second))
