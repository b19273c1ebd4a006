import json

import pytest

from annotation.grading.models import Grade
from annotation.people.models import Rater
from tests import tampering
from tests.scoring import rounds
from tests.scoring.worker import compute

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("analyst")]
AT = "/api/v1/projects/northport/rounds/1/"
NAMES = ("agreement", "disputes", "annotators", "plan")
#: What would hold a key of the database.
KEYS = {"release", "response", "item"}


def keys(data):
    """Yield the names of all fields, however deep."""
    if isinstance(data, list):
        for one in data:
            yield from keys(one)
    if isinstance(data, dict):
        yield from data
        for one in data.values():
            yield from keys(one)


def ready(client, name, query=""):
    client.get(f"{AT}{name}/{query}")
    compute()
    return client.get(f"{AT}{name}/{query}").json()


@pytest.mark.parametrize("name", NAMES)
class TestEveryAddress:
    def test_says_where_to_ask_again(self, client, name):
        rounds.graded()
        query = {"disputes": "?w1=1", "plan": "?power=0.9"}.get(name, "")

        answer = client.get(f"{AT}{name}/{query}")

        assert (answer.status_code, answer["Location"]) == (202, f"{AT}{name}/{query}")

    def test_takes_no_parameter_it_does_not_know(self, client, name):
        answer = client.get(f"{AT}{name}/?wieght=1")

        assert (answer.status_code, answer.json()["code"]) == (400, "unknown_parameter")
        assert list(answer.json()["fields"]) == ["wieght"]

    def test_holds_no_name_and_no_key(self, client, name):
        rounds.graded(n_items=9, marks=lambda system, item, rater: 0 if rater == 0 else 2)
        client.get(f"{AT}{name}/")
        compute()

        answer = client.get(f"{AT}{name}/")

        assert answer.json()["state"] == "ready"
        assert "Kestrel" not in json.dumps(answer.json())
        assert not KEYS & set(keys(answer.json()))


class TestDisputes:
    def test_follow_the_rules_in_the_address(self, client):
        rounds.graded()
        client.get(f"{AT}disputes/?question_rule=literal")
        compute()

        found = client.get(f"{AT}disputes/?question_rule=literal").json()

        assert found["rules"]["question"] == "literal"
        assert found["never"]
        assert Rater.objects.count() * 2 == len(found["annotators"])

    def test_refuse_a_rule_that_nobody_knows(self, client):
        rounds.graded()

        answer = client.get(f"{AT}disputes/?question_rule=any")

        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_parameter")
        assert "half" in answer.json()["fields"]["question_rule"][0]


class TestAnnotators:
    def test_hold_the_time_of_a_question_beside_standing_alone_as_the_page_does(self, client):
        round_ = rounds.graded(n_items=9)
        with tampering.unguarded():
            Grade.objects.filter(round=round_).update(active_ms=20_000)

        found = ready(client, "annotators")["tempo"]

        assert {one["annotator"] for one in found} == {f"Annotator {n}" for n in (1, 2, 3)}
        assert {(one["seconds"], one["n_seats"]) for one in found} == {(20.0, 9)}


class TestAgreement:
    @pytest.mark.parametrize("kappa", ["linear", "nominal"])
    def test_weighs_pairs_as_the_address_asks(self, client, kappa):
        rounds.graded(n_items=9, marks=lambda system, item, rater: (item + rater * (item % 2)) % 3)
        usual = ready(client, "agreement")
        client.get(f"{AT}agreement/?kappa={kappa}")
        compute()
        found = client.get(f"{AT}agreement/?kappa={kappa}").json()

        assert {one["method"] for one in usual["pairs"]} == {"quadratic"}
        assert {one["method"] for one in found["pairs"]} == {kappa}
        assert found["pairs"][0]["value"] != usual["pairs"][0]["value"]
        assert found["overall"] == usual["overall"]

    def test_refuses_weights_that_nobody_knows(self, client):
        rounds.graded()

        answer = client.get(f"{AT}agreement/?kappa=cubic")

        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_parameter")

    def test_over_all_is_a_mean_over_criteria_and_says_over_how_many(self, client):
        rounds.graded(n_items=12, capabilities=("A", "B"))

        found = ready(client, "agreement")["overall"]

        assert (found["n_strata"], found["n_clusters"], found["n_raters"]) == (2, 12, 3)
        assert {one["n_strata"] + one["n_left_out"] for one in found["coefficients"]} == {2}
        assert "mean over capabilities and criteria" in found["method"]


class TestGroupsOfAnnotators:
    def test_are_told_and_chosen(self, client):
        rounds.grouped({"expert": 1, "novice": 2}, n_items=9)

        told = ready(client, "agreement")["groups"]
        chosen = ready(client, "agreement", "?raters=novice")

        assert [(one["left"], one["right"], one["n_raters"]) for one in told] == [
            ("expert", None, 1),
            ("novice", None, 2),
            ("expert", "novice", 3),
        ]
        assert told[0]["reason"] == "one_rater"
        assert chosen["overall"]["n_raters"] == 2
        assert chosen["groups"] == told

    def test_are_told_by_how_much_they_grade_apart(self, client):
        rounds.grouped({"expert": 2, "novice": 2}, n_items=9)

        told = ready(client, "agreement")["differences"]
        severity = ready(client, "annotators")["severity"]

        (whole,) = told["overall"]
        assert (whole["left"], whole["right"], whole["n_responses"]) == ("expert", "novice", 18)
        assert whole["others"]["low"] <= whole["these"]["low"] < whole["value"]["value"]
        assert whole["certainty"] in {"clear", "likely", "equal", "open"}
        assert len({one["system"] for one in told["systems"]}) == 2
        assert [one["group"] for one in severity["groups"]] == ["expert", "novice"]

    def test_have_their_differences_and_their_severity_in_tables(self, client):
        rounds.grouped({"expert": 2, "novice": 2}, n_items=9)
        for _turn in range(2):
            answers = [
                client.get(f"{AT}tables/{name}.csv")
                for name in ("group-differences", "group-severity")
            ]
            compute()
        apart, severity = (b"".join(one).decode().splitlines() for one in answers)

        assert apart[0].startswith("group,with,system,points,low,high,p,p_holm")
        assert [line.split(",")[:2] for line in apart[1:4]] == [["expert", "novice"]] * 3
        assert severity[0].startswith("group,severity,low,high,points,annotators,grades")
        assert len(severity) == 3

    def test_stand_in_a_table_that_a_group_narrows_not(self, client):
        rounds.grouped({"expert": 1, "novice": 2}, n_items=9)
        for _turn in range(2):
            answers = [
                client.get(f"{AT}tables/{name}.csv?raters=novice") for name in ("groups", "pairs")
            ]
            compute()
        groups, pairs = (b"".join(one).decode().splitlines() for one in answers)

        assert groups[0].startswith(
            "group,with,agreement,low,high,why,responses,questions,annotators"
        )
        assert (len(groups), len(pairs)) == (4, 2)

    def test_that_are_not_there_are_refused(self, client):
        rounds.graded()

        answer = client.get(f"{AT}agreement/?raters=crowd")

        assert (answer.status_code, answer.json()["code"]) == (422, "bad_setting")


class TestTheModel:
    def test_is_told_by_names_and_laid_out_as_tables(self, client):
        rounds.graded(n_items=8)

        told = ready(client, "model")
        tables = {
            name: b"".join(client.get(f"{AT}tables/{name}.csv")).decode().splitlines()
            for name in ("model", "model-differences", "model-parts")
        }

        assert told["converged"] is True
        assert {one["system"] for one in told["systems"]} == {"System 1", "System 2"}
        assert {"left", "right", "value", "low", "high", "plain", "apart"} == told["differences"][
            0
        ].keys()
        assert [len(lines) for lines in tables.values()] == [3, 2, 6]
        assert float(tables["model"][1].split(",")[1]) == pytest.approx(
            100 * told["systems"][0]["value"]
        )

    def test_refuses_a_filter_that_is_not_there(self, client):
        rounds.graded()

        assert client.get(f"{AT}model/?difficulty=y").json()["code"] == "bad_setting"
