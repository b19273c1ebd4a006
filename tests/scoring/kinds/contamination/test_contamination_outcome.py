from typing import Any

import pytest
from django.http import QueryDict

from annotation.people.models import Role
from annotation.people.permissions import Scope
from scoring.charts import chart
from scoring.engine import queries as run_reading
from scoring.kinds.contamination import outcome as contamination
from scoring.kinds.contamination.outcome import ContaminationOutcome
from tests import imports, make
from tests.scoring import interviewed, worker
from tests.scoring.outcomes import outcomes_world
from tests.scoring.outcomes.outcomes_world import api_at, page_at

pytestmark = pytest.mark.django_db
LINE = {"intercept": 10.0, "slope": 1.0, "r": 0.9, "n": 4}


def distance(studentised=None, p=None):
    return {
        "without": LINE,
        "residual": -3.0,
        "studentised": studentised,
        "p": p,
        "p_holm": p,
        "reason": None,
    }


def reading_of(run):
    scope = Scope(make.project(), make.member(Role.ANALYST), frozenset({Role.ANALYST}))
    return run_reading.reading_of(scope, run.number)


@pytest.fixture
def outcome():
    releases = [one.pk for one in interviewed.candidates("Kestrel", "Osprey")]
    run = interviewed.requested(n=1, releases=releases)
    part = {
        "dataset": "Quay",
        "releases": releases,
        "x": [50.0, 80.0],
        "y": [60.0, 20.0],
        "line": LINE,
        "distances": [distance(0.2, p=0.6), distance(-9.0, p=0.001)],
        "flagged": [1],
        "n": 2,
        "reason": None,
        "coefficients": [
            {"name": name, "value": 0.4, "low": None, "high": None, "n": 2, "reason": None}
            for name in contamination.COEFFICIENTS
        ],
    }
    data: dict[str, Any] = {"candidates": releases, "parts": [part], "benchmarks": []}
    data |= {"losses": [], "figures": []}
    return ContaminationOutcome(reading_of(run), QueryDict()).outcome({"contamination": data})


class TestOutcome:
    def test_warns_of_who_lies_far_below_the_line(self, outcome):
        assert outcome.is_warning
        assert outcome.verdict == "Possible contamination: Osprey · 1 (Quay)."
        rows = list(outcome.sheets["systems"].records())
        assert [one["flagged"] for one in rows] == [False, True]
        assert rows[1]["studentised"] == -9.0

    def test_is_drawn_with_the_line_of_the_others(self, outcome):
        (drawn,) = outcome.pictures

        assert drawn.title == "Quay"
        assert 'class="ident"' in drawn.picture.lines[0].drawing
        assert 'class="ident"' in outcome.drawing(drawn.name).file()

    def test_shows_benchmarks_losses_and_what_was_brought_in(self, as_analyst):
        run = outcomes_world.contamination()
        as_analyst.get(api_at(run, "contamination"))
        worker.compute()

        found = as_analyst.get(api_at(run, "contamination")).json()

        names = {one["name"] for one in found["tables"]}
        assert names == {"systems", "coefficients", "benchmarks", "figures", "losses"}
        page = as_analyst.get(page_at(run, "contamination")).content.decode()
        assert "Import figures" not in page  # analysts bring nothing in

    def test_leads_curators_to_what_they_can_bring_in(self, as_curator):
        page = as_curator.get(page_at(interviewed.requested(n=1), "contamination"))

        assert "Import figures" in page.content.decode()

    def test_is_none_where_there_is_nothing_to_set_against(self, as_analyst):
        run = interviewed.requested(n=1)
        as_analyst.get(page_at(run, "contamination"))
        worker.compute()

        page = as_analyst.get(page_at(run, "contamination")).content.decode()

        assert "Nothing to set the interviews against" in page

    def test_offers_what_there_is_and_refuses_another_axis(self, as_analyst):
        run = interviewed.requested(n=1)
        imports.apply(imports.figures())

        axis = ContaminationOutcome(reading_of(run), QueryDict()).choices[0]
        refused = as_analyst.get(f"{api_at(run, 'contamination')}?axis=run:99")

        assert list(axis.values) == ["first", "figure:MT-Bench", "figure:accuracy"]
        assert refused.status_code == 400
        assert "first" in refused.json()["fields"]["axis"][0]

    def test_is_computed_anew_when_figures_are_brought_in(self, as_analyst):
        run = outcomes_world.interviews()
        as_analyst.get(api_at(run, "contamination"))
        worker.compute()
        assert as_analyst.get(api_at(run, "contamination")).status_code == 200

        imports.apply(imports.figures())

        assert as_analyst.get(api_at(run, "contamination")).status_code == 202


class TestSegment:
    @pytest.mark.parametrize(
        ("line", "ends"),
        [
            ({"slope": 2.0, "intercept": 0.0}, (0, 0, 50, 100)),
            ({"slope": 0.0, "intercept": 40.0}, (0, 40, 100, 40)),
            ({"slope": -1.0, "intercept": 50.0}, (0, 50, 50, 0)),
        ],
    )
    def test_keeps_within_both_axes(self, line, ends):
        on = chart.scale(0, 100)
        found = contamination._segment(line, on, on, is_dashed=False)

        assert (found.x, found.y, found.to_x, found.to_y) == pytest.approx(ends)
