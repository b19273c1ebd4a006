import csv
import io
import json

import pytest
from django.urls import reverse

from annotation.people.models import AuditEvent
from scoring.endpoints.models import Endpoint
from tests import make
from tests.scoring import run_rows

pytestmark = pytest.mark.django_db


def sent(client, run, form):
    answer = client.get(reverse("run", args=["northport", run.number]) + f"files/{form}")
    return b"".join(answer.streaming_content).decode()


class TestRunExport:
    def test_says_in_every_line_that_a_run_is_scripted(self, as_analyst):
        run = run_rows.run(scripted=True)
        run_rows.call(run_rows.step(run))

        for form in ("steps.csv", "calls.csv"):
            [row] = csv.DictReader(io.StringIO(sent(as_analyst, run, form)))
            assert row["note"] == "scripted, not a measurement"
        first = json.loads(sent(as_analyst, run, "run.jsonl").splitlines()[0])
        assert first["note"] == "scripted, not a measurement"

    @pytest.mark.parametrize(("kind", "scripted"), [("SCRIPTED", True), ("SERVER", False)])
    def test_says_of_every_reply_whether_a_script_gave_it(self, as_analyst, kind, scripted):
        run = run_rows.run(scripted=True)
        run_rows.call(run_rows.step(run))
        Endpoint.objects.update(kind=kind)

        [call] = [
            one
            for one in map(json.loads, sent(as_analyst, run, "run.jsonl").splitlines())
            if one["line"] == "call"
        ]
        assert call["scripted"] is scripted

    def test_holds_everything(self, as_analyst):
        run = run_rows.run()
        run_rows.call(run_rows.step(run, result={"grade": 4}), "I say four.")

        lines = [json.loads(line) for line in sent(as_analyst, run, "run.jsonl").splitlines()]

        assert [one["line"] for one in lines] == ["run", "step", "call"]
        assert lines[1]["result"] == {"grade": 4}
        assert lines[2]["reply"] == "I say four."
        assert lines[2]["messages"] == [{"role": "user", "content": "How good is it?"}]

    def test_hides_what_judges_said_until_the_round_is_final(self, as_analyst):
        run = run_rows.run(round=make.open_round())
        run_rows.call(run_rows.step(run, result={"grade": 4}), "I say four.")

        text = sent(as_analyst, run, "run.jsonl")

        assert "I say four." not in text
        assert '"grade": 4' not in text

    def test_holds_no_formula(self, as_analyst):
        run = run_rows.run()
        run_rows.step(run, problem="=HYPERLINK(1)")

        assert ",'=HYPERLINK(1)," in sent(as_analyst, run, "steps.csv")

    def test_is_written_down(self, as_analyst):
        run = run_rows.run()
        sent(as_analyst, run, "steps.csv")

        event = AuditEvent.objects.get(verb="run.exported")
        assert event.data == {"form": "steps.csv", "named": True}
