import pytest

from annotation.rounds.models import Round
from scoring.beside.sheets import PLOTS, TABLES
from tests.scoring import beside_people
from tests.scoring.beside.test_judge_board import made, options

pytestmark = pytest.mark.django_db


@pytest.fixture(name="round_", autouse=True)
def _round():
    return beside_people.world()


def records(name, query=""):
    kind = TABLES[name]
    if kind.figure == "judge":
        query = f"judge={beside_people.judge('good')}&{query}"
    return list(kind.make(*made(kind.figure, query)).records())


class TestCoefficients:
    def test_have_a_row_for_every_judge_and_coefficient(self):
        rows = records("coefficients", "level=system")

        assert len(rows) == 3 * 4
        assert {row["level"] for row in rows} == {"system"}
        assert all(-1 <= row["low"] <= row["value"] <= row["high"] <= 1 for row in rows)


class TestTables:
    @pytest.mark.parametrize("name", TABLES)
    def test_can_be_written_as_csv(self, name):
        kind = TABLES[name]
        one = f"judge={beside_people.judge('good')}" if kind.figure == "judge" else ""
        data, found = made(kind.figure, one)

        head, *rows = "".join(kind.make(data, found).lines()).splitlines()

        assert head.endswith(",convention")
        assert len(rows) > 0 or name in {"overall", "labels", "kappas"}  # nothing is labelled here

    def test_say_what_the_page_says(self):
        assert [row["use"] for row in records("capabilities")]
        assert {row["system"] for row in records("systems")} == set(beside_people.SYSTEMS)
        assert len(records("disagreements")) == 96
        assert len(records("levels")) == 3 * 4
        assert [row["shift"] > 0.2 for row in records("shifts") if row["judge"] == "good"] == [True]
        assert {row["people"] for row in records("ceilings")} == {3}

    def test_keep_hidden_what_was_not_shown(self, round_):
        query = f"judge={beside_people.judge('good')}"
        data, _found = made("judge", query)
        Round.objects.filter(pk=round_.pk).update(kind="PRODUCTION")

        for name in ("systems", "disagreements"):
            rows = TABLES[name].make(data, options(query)).records()
            assert {row["system"] for row in rows} == {f"System {n}" for n in range(1, 5)}


class TestPlots:
    @pytest.mark.parametrize("name", PLOTS)
    def test_can_be_drawn(self, name, monkeypatch):
        beside_people.by_lot(monkeypatch, 1)
        kind = PLOTS[name]
        drawn = kind.make(*made(kind.figure, f"judge={beside_people.judge('good')}"))

        assert drawn.startswith("<svg")
