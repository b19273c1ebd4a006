from uuid import uuid4

import pytest

from annotation.people.models import Role
from scoring.endpoints.models import Judge
from scoring.engine.models import Run
from tests import make
from tests.scoring import assisted, connected, judged

pytestmark = pytest.mark.django_db
URL = "/api/v1/projects/northport/judges/"


def post(client, url, **given):
    return client.post(url, given, content_type="application/json")


def of(round_):
    return f"/api/v1/projects/northport/rounds/{round_.number}/judge/"


class TestLiveJudges:
    def test_makes_one_and_lists_it(self, as_curator):
        connected.endpoint()

        made = post(as_curator, URL, name="Strict", endpoint="Scripted", repeats=5, reference=False)

        judge = Judge.objects.get()
        assert made.status_code == 201
        assert as_curator.get(URL).json()["results"] == [made.json()]
        assert made.json() == {
            "key": judge.rater_id,
            "name": "Strict",
            "protocol": "direct/v1",
            "endpoint": "Scripted",
            "scripted": True,
            "usable": True,
            "config": judge.config,
            "config_sha": judge.config_sha,
        }
        assert (judge.config["repeats"], judge.config["reference"]) == (5, False)

    def test_says_what_cannot_be_made(self, as_curator):
        connected.endpoint()
        post(as_curator, URL, name="Strict", endpoint="Scripted")

        twin = post(as_curator, URL, name="Twin", endpoint="Scripted")
        unknown = post(as_curator, URL, name="Other", endpoint="Nowhere")
        wrong = post(as_curator, URL, name="Other", endpoint="Scripted", repeats=1, fewest_valid=2)

        assert (twin.status_code, twin.json()["code"]) == (409, "judge_already_there")
        assert unknown.status_code == 422
        assert unknown.json()["fields"] == {
            "endpoint": ["No endpoint in use here is called “Nowhere”."]
        }
        assert list(wrong.json()["fields"]) == ["fewest_valid"]

    def test_makes_other_kinds_with_settings_of_their_own(self, as_curator):
        connected.endpoint()
        home = {"endpoint": "Scripted"}

        made = post(as_curator, URL, name="Forms", kind="geval", weights="samples", **home)
        wrong = post(as_curator, URL, name="Whole", kind="single", together=True, **home)

        assert (made.status_code, made.json()["protocol"]) == (201, "geval/v1")
        assert made.json()["config"]["weights"] == "samples"
        assert list(wrong.json()["fields"]) == ["together"]
        assert Judge.objects.count() == 1

    def test_leaves_assistants_to_their_own_list(self, as_curator):
        assisted.assistant()

        assert as_curator.get(URL).json() == {"results": []}

    def test_an_analyst_reads_and_makes_none(self, client):
        client.force_login(make.member(Role.ANALYST))
        connected.endpoint()

        assert client.get(URL).json() == {"results": []}
        assert post(client, URL, name="Strict", endpoint="Scripted").status_code == 403


class TestJudgeRound:
    def test_says_what_there_is_to_judge(self, as_curator):
        found = as_curator.get(of(make.open_round(n_items=2, n_releases=2))).json()

        assert found["answers"] == 4
        assert [one["key"] for one in found["criteria"]] == ["grade"]

    def test_estimates_and_starts_once(self, as_curator):
        round_, judge = make.open_round(), judged.judge()
        asked = {"key": str(uuid4()), "name": "By program", "judge": judge.rater_id, "seed": 3}

        estimate = post(as_curator, of(round_), **asked, estimate=True).json()
        first, again = (post(as_curator, of(round_), **asked) for _twice in range(2))

        assert estimate["calls"] == 4
        assert first.json() == again.json()
        run = Run.objects.get()
        assert (first.status_code, first.json()["number"]) == (201, run.number)
        assert (run.judge, run.round, run.seed, run.name) == (judge, round_, 3, "By program")

    def test_refuses_what_cannot_be_judged(self, as_curator):
        judge = judged.judge()
        asked = {"key": str(uuid4()), "name": "N", "judge": judge.rater_id, "seed": 3}
        round_ = make.open_round()

        unknown = post(as_curator, of(round_), **asked, criteria=["charm"])

        assert unknown.json()["code"] == "nothing_to_judge"
        assert post(as_curator, of(round_), **{**asked, "judge": 9}).json()["fields"]["judge"]
