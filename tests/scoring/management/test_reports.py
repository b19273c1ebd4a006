import json
import re

import pytest

from scoring.engine.models import Run, Step
from scoring.management import reports
from scoring.management.endings import Unusable
from scoring.management.reports import GateReport, RunReport
from tests.scoring import connected, judged, rounds

pytestmark = pytest.mark.django_db
KEPT = GateReport("mean of kind ≥ 0.1", "Tutor 2", 0.5, True, "")
MISSED = GateReport("max of <len> | x", "Tutor 2", 12.0, False, "12 is above 9 & more")


@pytest.fixture
def run():
    return judged.ran(rounds.graded())


def report(run, *gates, tolerated=0.0):
    return RunReport(run, tolerated, connected.owner(run.project), gates)


class TestCode:
    def test_says_what_the_command_ends_with(self, run):
        assert report(run, KEPT).code == 0
        assert report(run, KEPT, MISSED).code == 1
        run.steps.create(ordinal=99, key="lost", state=Step.State.FAILED)
        assert report(run, KEPT).code == 3
        assert report(run, KEPT, tolerated=0.5).code == 0

    def test_is_3_where_the_run_is_not_over(self, run):
        Run.objects.filter(pk=run.pk).update(state=Run.State.PAUSED)
        run.refresh_from_db()

        assert report(run).code == 3


class TestWrite:
    def options(self, folder, **more):
        names = {"json": None, "junit": None, "markdown": None}
        return names | {name: folder / file for name, file in more.items()}

    def test_makes_junit_that_other_programs_read(self, run, tmp_path):
        reports.write(report(run, KEPT, MISSED), self.options(tmp_path, junit="a/report.xml"))

        text = (tmp_path / "a" / "report.xml").read_text()
        assert re.search(r'<testsuite name="[^"]+" tests="3" failures="1" errors="0">', text)
        assert "max of &lt;len&gt; | x · Tutor 2" in text
        assert '<failure message="12 (12 is above 9 &amp; more)">' in text

    def test_makes_junit_of_what_xml_cannot_hold(self, run, tmp_path):
        broken = GateReport("mean of \x00kind", "Tutor", None, False, "it said \x1b[31mno")

        reports.write(report(run, broken), self.options(tmp_path, junit="report.xml"))

        text = (tmp_path / "report.xml").read_text()
        assert "mean of \ufffdkind · Tutor" in text
        assert "\x1b" not in text

    def test_says_in_junit_that_steps_failed(self, run, tmp_path):
        run.steps.create(ordinal=99, key="lost", state=Step.State.FAILED)

        reports.write(report(run), self.options(tmp_path, junit="report.xml"))

        assert '<error message="1 of 9 steps failed' in (tmp_path / "report.xml").read_text()

    def test_keeps_standards_for_a_later_run(self, run, tmp_path):
        whole = RunReport(
            run, 0.0, connected.owner(run.project), (), [{"metric": "kind", "value": 1}]
        )
        reports.write(whole, self.options(tmp_path, json="report.json"))

        assert reports.kept_standards(tmp_path / "report.json") == [{"metric": "kind", "value": 1}]
        found = json.loads((tmp_path / "report.json").read_text())
        assert (found["exit_code"], found["run"]["kind"], found["steps"]["failed"]) == (
            0,
            "judge",
            0,
        )

    def test_appends_a_summary_whose_cells_hold(self, run, tmp_path):
        for _time in range(2):
            reports.write(report(run, MISSED), self.options(tmp_path, markdown="sum.md"))

        text = (tmp_path / "sum.md").read_text()
        assert text.count("## ") == 2
        assert "| max of \\<len\\> \\| x | Tutor 2 |" in text

    def test_refuses_a_baseline_that_is_no_report_and_a_place_it_cannot_write(self, run, tmp_path):
        (tmp_path / "other.json").write_text("[]")
        with pytest.raises(Unusable, match="is no report of a run"):
            reports.kept_standards(tmp_path / "other.json")
        with pytest.raises(Unusable, match="cannot be read as a report"):
            reports.kept_standards(tmp_path / "gone.json")
        with pytest.raises(Unusable, match="cannot be written"):
            reports.write(report(run), self.options(tmp_path, json="other.json/x.json"))
