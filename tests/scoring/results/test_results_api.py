import json

import pytest

from scoring.figures.models import Figure
from tests.scoring import rounds
from tests.scoring.worker import compute

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("analyst")]
AT = "/api/v1/projects/northport/rounds/1/"


def computed(client, query=""):
    client.get(f"{AT}results/{query}")
    compute()
    return client.get(f"{AT}results/{query}").json()


class TestResults:
    def test_say_where_to_ask_again_while_they_are_computed(self, client):
        rounds.graded()

        answer = client.get(f"{AT}results/")

        assert (answer.status_code, answer["Location"]) == (202, f"{AT}results/")
        assert answer["Retry-After"] == "2"

    def test_hold_exact_values_intervals_and_n(self, client):
        rounds.graded(n_items=18, marks=lambda system, item, rater: (item + rater // 2) % 3)

        found = computed(client)

        first = next(one for one in found["scores"] if one["level"] == "overall")
        assert first["value"]["num"] / first["value"]["den"] == first["value"]["value"]
        assert first["low"] <= first["value"]["value"] <= first["high"]
        assert first["others"]["low"] <= first["low"]
        assert first["high"] <= first["others"]["high"]
        assert (first["n_grades"], first["n_questions"], first["n_raters"]) == (54, 18, 3)
        assert found["coverage"][-1]["wanted"] == found["coverage"][-1]["given"] == 108
        assert "Henderson" in found["methods"]["score.overall"]
        assert (found["claim"], found["margin"]) == ("others", 5)

    def test_hold_everything_the_page_says_of_a_comparison(self, client):
        rounds.graded(n_items=12, marks=lambda system, item, rater: 2 - system * (item % 3 > 0))

        found = computed(client)

        (gap,) = found["differences"]
        assert (gap["clear"], gap["certainty"], gap["n_raters"]) == (True, "clear", 3)
        for told in (gap, gap["others"]):
            assert 0 < told["p"] <= told["p_holm"] < 0.05
            assert 0 < told["low"] < 1 / 3 < told["high"]
            assert told["p_equal"] > 0.9
        assert (gap["n_questions"], gap["n_either"]) == (12, 12)
        assert (gap["n_pairs"], gap["n_left_out"], gap["missing"]) == (36, 0, [])
        assert [(one["low"], one["high"]) for one in found["ranks"]] == [(1, 1), (2, 2)]
        assert found["ranks"][0]["release"] == gap["left"]
        assert found["ranks"][0]["better_than"] == [gap["right"]]
        assert found["not_separable"] == []
        assert found["widest"] == {
            "capability": "Factuality",
            "high": gap["left"],
            "low": gap["right"],
            "points": 33.3,
        }
        whole = next(one for one in found["scores"] if one["level"] == "overall")
        assert (whole["came"], whole["wanted"]) == (36, 36)

    def test_name_whom_nothing_separates(self, client):
        rounds.graded(n_items=12, marks=lambda system, item, rater: (system + item) % 2)

        found = computed(client)

        assert [sorted(group) for group in found["not_separable"]] == [[1, 2]]
        assert [(one["low"], one["high"]) for one in found["ranks"]] == [(1, 2), (1, 2)]

    def test_compare_on_the_questions_that_both_systems_have(self, client):
        rounds.graded(n_items=12, marks=rounds.half_seen)

        (gap,) = computed(client)["differences"]

        assert (gap["value"]["value"], gap["n_questions"], gap["n_either"]) == (0, 5, 12)

    def test_explain_what_is_undefined(self, client):
        rounds.graded(n_items=6, marks=lambda system, item, rater: 1)

        first = computed(client)["scores"][0]

        assert (first["low"], first["interval_reason"]) == (None, "no_spread")
        assert first["explanation"].startswith("No interval")

    def test_hold_no_name_while_names_are_hidden(self, client):
        rounds.graded()

        hidden = computed(client)
        client.post("/p/northport/rounds/1/results/names/")
        shown = client.get(f"{AT}results/").json()

        assert "Kestrel" not in json.dumps(hidden)
        assert (hidden["names_shown"], shown["names_shown"]) == (False, True)
        assert {one["system"] for one in shown["releases"]} == {"Kestrel", "Harbour"}

    def test_number_releases_as_they_are_filtered(self, client):
        rounds.graded(marks=lambda system, item, rater: 2 * system)
        client.post("/p/northport/rounds/1/results/names/")

        listed = computed(client)["releases"]

        # The best comes first, whatever its number.
        assert [one["system"] for one in listed] == ["Harbour", "Kestrel"]
        for one in listed:
            alone = computed(client, f"?release={one['number']}")
            assert alone["releases"] == [one]
            assert {score["release"] for score in alone["scores"]} == {one["number"]}

    def test_say_why_they_could_not_be_computed(self, client):
        rounds.graded()
        client.get(f"{AT}results/")
        Figure.objects.update(state="FAILED", problem="The scale is upside down.")

        answer = client.get(f"{AT}results/")

        assert (answer.status_code, answer.json()) == (
            409,
            {"code": "not_computed", "message": "The scale is upside down.", "fields": {}},
        )

    def test_say_that_there_is_nothing_to_compute_them_from(self, client):
        rounds.graded()
        client.get(f"{AT}results/")
        Figure.objects.update(state="EMPTY", problem="Nobody graded yet.")

        answer = client.get(f"{AT}results/")

        assert (answer.status_code, answer.json()["code"]) == (409, "nothing_yet")

    def test_of_a_draft_are_refused(self, client):
        rounds.graded(n_items=0, state="DRAFT")

        answer = client.get(f"{AT}results/")

        assert (answer.status_code, answer.json()["code"]) == (409, "not_opened")


class TestGrades:
    @pytest.mark.parametrize("form", ["grades.csv", "grades.jsonl", "table.csv"])
    @pytest.mark.parametrize("accept", ["*/*", "text/csv"])
    def test_stream_whatever_is_accepted(self, client, form, accept):
        rounds.graded()

        answer = client.get(f"{AT}{form}", headers={"accept": accept})

        assert answer.streaming
        assert b"Factuality" in b"".join(answer)

    def test_are_refused_with_the_error_shape(self, client):
        answer = client.get(f"{AT}grades.csv")

        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
