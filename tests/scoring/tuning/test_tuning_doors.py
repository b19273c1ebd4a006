import json
import re
from io import StringIO
from uuid import UUID, uuid4

import pytest
from django.core.management import call_command

from annotation.rounds.models import Round
from scoring.endpoints.models import Endpoint
from scoring.kinds.judging.models import Tuning
from scoring.management.endings import Unusable
from scoring.tuning import queries as reads
from tests import make
from tests.scoring import connected, judged, tuned, worker

pytestmark = pytest.mark.django_db
API = "/api/v1/projects/northport/tunings/"
PAGE = "/p/northport/judges/tune/"


def body(**given):
    return {"name": "Reader", "round": 1, "endpoint": "Scripted", "seed": 7, **given}


def worked(client, number=1):
    """Do what a tuning waits for: runs, then figures."""
    from scoring.engine.models import Run

    for run in Run.objects.exclude(state="DONE"):
        judged.done(run)
    client.get(f"{API}{number}/")
    worker.compute()


class TestApi:
    @pytest.fixture
    def api(self, as_curator):
        connected.endpoint(in_=tuned.round_of(n_items=20).project)

        def ask(method, path="", data=None, status=200):
            send = getattr(as_curator, method)
            more = {} if data is None else {"data": data, "content_type": "application/json"}
            answer = send(f"{API}{path}", **more)
            assert answer.status_code == status, answer.content
            return answer.json()

        return ask

    def test_goes_from_the_split_to_the_measurement(self, api, as_curator):
        made = api("post", "", body(), 201)
        assert (made["number"], made["state"], made["judge"]) == (1, "tuning", None)

        key = str(uuid4())
        wish = {"key": key, "instructions": "Be strict.", "note": "Strict"}
        asked = api("post", "1/versions/", wish, 202)
        assert [one["run_state"] for one in asked["versions"]] == ["STAGED"]
        assert api("post", "1/versions/", wish, 202)["versions"][0]["number"] == 1  # the same key
        worked(as_curator)

        found = api("get", "1/")
        (version,) = found["versions"]
        (criterion,) = version["figure"]["criteria"]
        assert (found["practice_questions"], found["held_out_questions"]) == (12, 8)
        assert criterion["agreement"]["n"] == 36
        assert criterion["agreement"]["low"] < criterion["agreement"]["value"]
        assert "own" not in criterion

        cases = api("get", "1/cases/")
        assert cases["n"] == len(criterion["apart"])
        gaps = [abs(one["gap"]) for one in cases["results"]]
        assert gaps == sorted(gaps, reverse=True)
        first = cases["results"][0]["response"]
        api("post", "1/cases/", {"response": first, "right": "JUDGE"})
        assert api("get", "1/cases/")["n"] == cases["n"] - 1
        assert api("get", "1/cases/?which=aside")["results"][0]["right"] == "JUDGE"

        api("post", "1/measure/", {"key": str(UUID(int=5)), "version": 1}, 202)
        worked(as_curator)
        ended = api("get", "1/")
        assert (ended["state"], ended["locked_version"], ended["opened"]) == ("locked", 1, 1)
        assert ended["measured"]["criteria"][0]["agreement"]["n"] == 24
        api("post", "1/cases/", {"response": first, "right": ""}, 409)
        practice = criterion["agreement"]["value"]
        held = ended["measured"]["criteria"][0]["agreement"]["value"]
        assert ended["optimism"]["grade"] == pytest.approx(practice - held)

        again = api("post", "1/again/", {"name": "Reader 2"}, 201)
        assert again["number"] == 2
        assert api("get", "2/")["opened"] == 1

    def test_says_what_is_wrong_and_where(self, api):
        wrong = api("post", "", body(round=9), 422)
        assert "round" in wrong["fields"]
        api("post", "", body(share=5), 400)
        api("post", "", body(), 201)
        held = tuned.responses(reads.tunings_of(make.project())[0], held_out=True)[0]
        api("post", "1/cases/", {"response": held, "right": "JUDGE"}, 422)
        api("get", "1/cases/", status=409)


class TestPages:
    def test_a_viewer_sees_the_course_and_no_button(self, client):
        tuning = tuned.begun(tuned.round_of(n_items=20))
        tuned.tried(tuning)
        client.force_login(make.member("ANALYST"))

        page = client.get(f"{PAGE}1/").content.decode()

        assert "8 questions are set aside" in page
        assert 'name="act"' not in page
        assert client.post(f"{PAGE}1/", {}).status_code == 403

    def test_say_that_somebody_else_changed_the_instructions(self, as_curator):
        tuning = tuned.begun()
        tuned.kept(tuning, "Theirs.")

        sent = {"key": str(uuid4()), "rev": 0, "instructions": "Mine.", "act": "keep"}
        answer = as_curator.post(f"{PAGE}1/", sent)

        assert answer.status_code == 422
        assert "Somebody changed the instructions" in answer.content.decode()
        assert "Mine." in answer.content.decode()

    def test_measure_within_a_budget_after_saying_what_it_takes(self, as_curator):
        connected.endpoint(in_=tuned.round_of(n_items=20).project)
        Endpoint.objects.update(prompt_price=10, completion_price=10, currency="EUR")
        tuning = tuned.begun(Round.objects.get(), endpoint=Endpoint.objects.get().name)
        tuned.tried(tuning)
        worked(as_curator)

        page = as_curator.get(f"{PAGE}1/").content.decode()
        sent = {"key": str(uuid4()), "version": 1}
        small, odd = (
            as_curator.post(f"{PAGE}1/measure/", sent | {"budget": budget}, follow=True)
            for budget in ("0.00001", "much")
        )

        assert re.search(r"about\s+24\s+calls ·", page)
        assert 'id="measure_budget"' in page
        assert "Give it a larger budget" in small.content.decode()
        assert "Enter a number" in odd.content.decode()
        assert not Tuning.objects.filter(locked__isnull=False).exists()
        as_curator.post(f"{PAGE}1/measure/", sent | {"budget": "100"})
        assert Tuning.objects.get().measure.budget == 100

    def test_lead_somewhere_where_nothing_can_be_tuned(self, as_curator):
        make.project()

        page = as_curator.get(f"{PAGE}new/").content.decode()

        assert "No final round yet" in page


class TestCommand:
    def told(self, *args, **options):
        out = StringIO()
        call_command("tune", *args, stdout=out, **options)
        return out.getvalue()

    def test_goes_from_the_split_to_the_measurement(self, tmp_path):
        connected.endpoint(in_=tuned.round_of(n_items=20).project)
        said = tmp_path / "said.txt"
        said.write_text("Be strict.")

        begun = self.told(
            "begin", "northport", "--round=1", "--endpoint=Scripted", "--name=R", "--seed=7"
        )
        assert begun == "Tuning 1: 12 questions to practise on, 8 set aside.\n"
        tried = self.told("try", "northport", "1", f"--instructions={said}", "--here")
        assert "run 1 has been asked for" in tried
        self.told("measure", "northport", "1", "--tried=1", "--here")

        shown = self.told("show", "northport", "1").splitlines()
        assert shown[0].startswith("v1: grade r ")
        assert shown[1].startswith("v1, set aside: grade r ")
        found = json.loads(self.told("show", "northport", "1", "--json"))
        assert found["locked"] == 1
        assert "version 1 locked" in self.told("list", "northport")

    def test_refuses_what_is_not_there(self):
        make.project()
        with pytest.raises(Unusable, match="no tuning 3"):
            self.told("show", "northport", "3")
        with pytest.raises(Unusable, match="no round 4"):
            self.told("begin", "northport", "--round=4", "--endpoint=E", "--name=R")
