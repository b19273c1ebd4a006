import pytest

from annotation.people.models import AuditEvent
from scoring.kinds.metrics.operations import Choice
from tests import make
from tests.scoring import measured, rounds, run_rows

pytestmark = pytest.mark.django_db


def at(run, end="metrics/"):
    return f"/p/northport/runs/{run.number}/{end}"


class TestRunMetrics:
    def test_shows_means_and_reasons(self, as_analyst):
        measured.brought()
        run = measured.done(measured.over_import(["words", "bleu"]))

        page = as_analyst.get(at(run)).content.decode()

        for words in ("Kestrel · 1", "4.00", "as one text", "The answer is empty."):
            assert words in page
        assert at(run) in as_analyst.get(at(run, "")).content.decode()

    def test_says_that_it_is_too_early(self, as_analyst):
        run = measured.done(measured.asked(Choice(["words"]), round_=rounds.graded(state="REVIEW")))

        page = as_analyst.get(at(run))

        assert page.status_code == 409
        assert "once the round is final" in page.content.decode()
        assert as_analyst.get(at(run, "metrics.csv")).headers["Location"] == at(run)

    def test_knows_no_run_that_measures_nothing(self, as_analyst):
        run = run_rows.run(in_=make.project())

        assert as_analyst.get(at(run)).status_code == 404


class TestRunMetricsCsv:
    def test_sends_a_file_and_writes_down_who_took_it(self, as_analyst):
        measured.brought()
        run = measured.done(measured.over_import(["words"]))

        answer = as_analyst.get(at(run, "metrics.csv"))

        assert "Kestrel · 1,Words,4.0,2,0," in b"".join(answer).decode()
        assert AuditEvent.objects.filter(verb="run.exported", data__form="metrics.csv").exists()
