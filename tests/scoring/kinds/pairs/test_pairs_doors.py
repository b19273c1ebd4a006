from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.people.models import Role
from scoring.engine.models import Run
from scoring.kinds.judging.kind import NothingToJudge
from tests import make
from tests.scoring import connected, judged, paired, preferred, worker

pytestmark = pytest.mark.django_db
URL = "/api/v1/projects/northport/pairs/"
PAGE = "/p/northport/judges/pairwise/"


@pytest.fixture
def chosen():
    round_ = preferred.chosen(n_items=3)
    connected.endpoint("Judge", in_=round_.project)
    return round_


def post(client, **given):
    usual = {"key": str(uuid4()), "name": "In March", "endpoint": "Judge", "seed": 7}
    return client.post(URL, {**usual, **given}, content_type="application/json")


class TestApi:
    def test_estimates_and_starts_once(self, as_curator, chosen):
        asked = {"round": chosen.number, "key": str(uuid4())}

        counted = post(as_curator, **asked, estimate=True).json()
        started, again = (post(as_curator, **asked) for _time in range(2))

        assert (counted["pairs"], counted["calls"]) == (9, 18)
        assert (started.status_code, started.json()["kind"]) == (201, "PAIRS")
        assert started.json()["number"] == again.json()["number"]
        assert Run.objects.count() == 1

    @pytest.mark.parametrize(
        ("given", "field"),
        [
            ({"endpoint": "Nobody"}, "endpoint"),
            ({"criterion": "none/of/them"}, "criterion"),
            ({"round": 77}, "round"),
            ({"against": 987654}, "against"),
            ({"max_tokens": 1}, "max_tokens"),
        ],
    )
    def test_says_what_cannot_be(self, given, field, as_curator, chosen):
        answer = post(as_curator, **{"round": chosen.number, **given})

        assert answer.status_code in {400, 422}
        assert field in answer.json()["fields"]
        assert not Run.objects.exists()

    def test_tells_what_people_agree_with_only_once_the_round_is_final(self, as_analyst, chosen):
        run = paired.done(chosen)

        found = as_analyst.get(f"/api/v1/projects/northport/runs/{run.number}/").json()

        assert found["kind"] == "PAIRS"


class TestStartPage:
    def test_shows_what_there_is_to_choose_and_starts(self, as_curator, chosen):
        shown = as_curator.get(f"{PAGE}?over=round:{chosen.number}").content.decode()
        assert '<option value="preference/better">Better (Preference)</option>' in shown
        assert f'<option value="round:{chosen.number}" selected>' in shown

        sent = {
            "key": str(uuid4()),
            "name": "Pairs",
            "over": f"round:{chosen.number}",
            "endpoint": "Judge",
            "criterion": "",
            "against": str(make.release("Tern").pk),
            "reasons": "on",
            "temperature": "",
            "max_tokens": "900",
            "language": "en",
            "seed": "7",
            "deed": "start",
        }
        answer = as_curator.post(PAGE, sent)

        run = Run.objects.get()
        assert answer.status_code == 302
        assert (run.kind, run.config["temperature"], run.config["max_tokens"]) == (
            "PAIRS",
            None,
            900,
        )
        assert (run.config["reasons"], run.config["reference"]) == (True, False)
        again = as_curator.get(f"{PAGE}?from={run.number}").content.decode()
        assert 'value="900"' in again

    def test_is_where_a_round_of_pairs_leads_to_as_no_other_judge_can_grade_it(
        self, as_curator, chosen
    ):
        there = as_curator.get(f"/p/northport/rounds/{chosen.number}/judge/").content.decode()

        assert f'href="{PAGE}?over=round:{chosen.number}"' in there
        with pytest.raises(NothingToJudge):
            judged.requested(chosen, judged.judge())

    def test_is_for_curators(self, client, chosen):
        client.force_login(make.member(Role.ANALYST))

        assert client.get(PAGE).status_code in {403, 404}


class TestQueries:
    def test_are_as_many_for_more_pairs_and_systems(self, as_curator, chosen):
        seen = []
        for number, (n_items, systems) in enumerate(
            [(3, ("Kestrel", "Harbour")), (8, ("Kestrel", "Harbour", "Tern", "Gull", "Rook"))]
        ):
            round_ = preferred.chosen(n_items=n_items, systems=systems, number=20 + number)
            run = paired.done(round_, 30 + number)
            pages = [
                f"/p/northport/runs/{run.number}/pairs/",
                f"/api/v1/projects/northport/runs/{run.number}/pairs/",
                f"/p/northport/runs/{run.number}/",
                PAGE,
            ]
            seen.append([_counted(as_curator, one) for one in pages])

        few, many = seen
        assert many == few
        assert max(many) <= 20


def _counted(client, address):
    client.get(address)
    worker.compute()
    client.get(address)
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


class TestRun:
    def test_says_by_what_it_compared_and_not_with_whom_while_names_are_hidden(
        self, as_analyst, chosen
    ):
        run = paired.done(chosen, against=make.release("Tern").pk)

        shown = as_analyst.get(f"/p/northport/runs/{run.number}/").content.decode()

        assert "Better" in shown
        assert "Tern" not in shown

    def test_stands_on_the_page_of_its_round_which_leads_to_another(self, as_curator, chosen):
        run = paired.done(chosen)

        shown = as_curator.get(f"/p/northport/rounds/{chosen.number}/").content.decode()

        assert f'href="/p/northport/runs/{run.number}/"' in shown
        assert f'href="{PAGE}?over=round:{chosen.number}"' in shown

    def test_comes_out_as_it_did_when_it_is_played_back(self, chosen):
        run, out = paired.done(chosen), StringIO()

        call_command("verify_run", run.project.slug, str(run.number), stdout=out)

        assert "9 steps come out as they did" in out.getvalue()
