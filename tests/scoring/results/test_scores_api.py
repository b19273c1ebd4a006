import json

import pytest

from annotation.rubrics.models import Criterion
from scoring.figures.models import Figure
from tests import tampering
from tests.scoring import rounds
from tests.scoring.spread import spread
from tests.scoring.worker import compute

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("analyst")]
AT = "/api/v1/projects/northport/rounds/1/"


def computed(client, path):
    client.get(AT + path)
    compute()
    return client.get(AT + path).json()


class TestResults:
    def test_say_by_which_weights_and_filters(self, client):
        spread()

        found = computed(client, "results/?w.g-GENERAL=3&difficulty=SIMPLE")

        settings = found["settings"]
        general = next(one for one in settings["weights"] if one["name"] == "w.g-GENERAL")
        assert (general["stored"], general["used"], general["share"]) == ("1", "3", 0.6)
        assert settings["query"] == "w.g-GENERAL=3&difficulty=SIMPLE"
        assert not settings["is_usual"]
        assert found["weights"][0] == {"capability": "Coherence", "weight": "3"}

    def test_refuse_what_cannot_be_used_with_its_field(self, client):
        spread(n_items=3)

        answer = client.get(f"{AT}results/?w.g-GENERAL=x&difficulty=y&margin=0")

        assert answer.status_code == 422
        assert answer.json()["code"] == "bad_setting"
        assert set(answer.json()["fields"]) == {"w.g-GENERAL", "difficulty", "margin"}
        assert not Figure.objects.exists()


class TestTheBreakdown:
    def test_holds_cells_that_say_how_to_open_them(self, client):
        spread()

        found = computed(client, "breakdown/")

        assert found["claim"] in {"these", "others"}
        cell = next(
            one for one in found["cells"] if (one["part"], one["area"]) == ("Overall", "Cargo")
        )
        opened = client.get(f"{AT}items/", cell["at"]).json()
        grades = [g for one in opened["items"] for a in one["answers"] for g in a["grades"]]
        assert len(grades) == cell["n_grades"] == cell["wanted"]

    def test_holds_no_name_while_names_are_hidden(self, client):
        spread(n_items=6)

        assert "Kestrel" not in json.dumps(computed(client, "breakdown/"))


class TestGradedItems:
    def test_come_in_pages(self, client):
        spread()

        first = client.get(f"{AT}items/?at_release=1").json()
        second = client.get(f"{AT}items/{first['next']}").json()

        assert (first["n_items"], len(first["items"]), len(second["items"])) == (24, 20, 4)
        assert second["next"] is None
        assert first["items"][0]["answers"][0]["grades"][0]["person"] is None

    def test_of_no_such_cell_are_refused(self, client):
        spread(n_items=3)

        answer = client.get(f"{AT}items/?at_node=x")

        assert (answer.status_code, answer.json()["code"]) == (422, "bad_cell")


class TestFiles:
    @pytest.mark.parametrize("form", ["results.csv", "breakdown.csv"])
    def test_stream_once_they_are_computed(self, client, form):
        spread(n_items=6)
        waiting = client.get(f"{AT}{form}?w.g-GENERAL=2")
        compute()

        text = b"".join(client.get(f"{AT}{form}?w.g-GENERAL=2")).decode()

        assert waiting.status_code == 202
        assert "Coherence 2" in text

    def test_hold_the_grades_of_a_cell(self, client):
        spread(n_items=3)

        text = b"".join(client.get(f"{AT}items.csv?at_release=1")).decode()

        assert len(text.splitlines()) == 1 + 9


class TestAnotherWay:
    """Kestrel has 2 of 2 on the first question, once, and 1 and 0 on the second."""

    def graded(self):
        marks = {(0, 0): 2, (0, 1): None, (1, 0): 1, (1, 1): 0}
        rounds.graded(
            n_items=2,
            n_raters=2,
            systems=("Kestrel",),
            marks=lambda _s, item, rater: marks[item, rater],
        )

    @pytest.mark.parametrize(
        ("way", "value"),
        [("", 1 / 2), ("?way=printed", 1 / 2), ("?way=questions", (1 + 1 / 4) / 2)],
    )
    def test_of_a_score_can_be_chosen(self, client, way, value):
        self.graded()

        told = computed(client, f"results/{way}")

        (score,) = (
            one["value"]["value"]
            for one in told["scores"]
            if (one["level"], one["figure"]) == ("overall", "score")
        )
        assert score == pytest.approx(value)
        assert told["settings"]["is_usual"] is (way == "")

    def test_counts_marks_from_zero_as_printed(self, client):
        self.graded()
        with tampering.unguarded():
            Criterion.objects.update(minimum=-2)

        values = {
            way: {
                one["figure"]: one["value"] and one["value"]["value"]
                for one in computed(client, f"results/{way}")["scores"]
                if one["level"] == "overall"
            }
            for way in ("", "?way=printed")
        }

        assert values[""]["score"] == pytest.approx(9 / 12)
        assert values["?way=printed"]["score"] == pytest.approx(1 / 2)
        assert values[""]["accuracy"] == values["?way=printed"]["accuracy"]

    def test_that_is_none_is_refused(self, client):
        self.graded()

        answer = client.get(f"{AT}results/?way=median")

        assert (answer.status_code, list(answer.json()["fields"])) == (400, ["way"])
