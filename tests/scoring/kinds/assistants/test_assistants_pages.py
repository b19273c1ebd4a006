import csv
import io
import re
from uuid import uuid4

import pytest

from scoring.endpoints.models import Judge
from scoring.engine.models import Judgment, Run
from scoring.kinds.assistants.asking_v1 import Kind
from tests import make
from tests.scoring import assisted, connected, judged, measured

pytestmark = pytest.mark.django_db
NEW = "/p/northport/judges/assistants/new/"
START = "/p/northport/judges/assistants/"


def configured(**given):
    usual = {"name": "NLI", "endpoint": connected.endpoint().pk, "premise": "standard"}
    more = {"low": "0", "high": "1", "higher_is_better": "on", "at_once": 8}
    return {**usual, **more, **given}


def sent(deed, assistant, **given):
    usual = {"deed": deed, "key": str(uuid4()), "name": "First", "assistant": assistant.pk}
    return {**usual, "over": "import:1", "seed": 7, "budget": "", **given}


class TestAssistantNew:
    def test_makes_one_and_leads_to_the_start(self, as_curator):
        answer = as_curator.post(NEW, configured(high="5", turned="on"))

        made = Judge.objects.get()
        assert (made.config["high"], made.config["turned"]) == (5.0, True)
        assert answer.headers["Location"] == f"{START}?assistant={made.pk}"

    @pytest.mark.parametrize("kind", list(Kind))
    def test_has_a_form_for_each_kind(self, as_curator, kind):
        more = {"repeats": 2, "temperature": "0.5", "language": "en"}

        page = as_curator.get(f"{NEW}?kind={kind}").content.decode()
        as_curator.post(f"{NEW}?kind={kind}", configured(**more))

        assert "No endpoint to ask yet" in page
        assert Judge.objects.get().config["kind"] == kind.value

    def test_says_what_cannot_be_used(self, as_curator):
        answer = as_curator.post(NEW, configured(low="2"))

        assert answer.status_code == 422
        assert "The lowest score lies below the highest." in answer.content.decode()

    def test_links_to_the_import_of_scores(self, as_curator):
        connected.endpoint()

        assert "imports/new/?kind=SCORES" in as_curator.get(NEW).content.decode()


class TestAssist:
    def test_estimates_and_starts_once(self, as_curator):
        measured.brought()
        form = sent("start", assisted.assistant())

        counted = as_curator.post(START, {**form, "deed": "estimate"}).content.decode()
        answers = [as_curator.post(START, form) for _twice in range(2)]

        assert 'id="estimate"' in counted
        run = Run.objects.get()
        assert {one.headers["Location"] for one in answers} == {f"/p/northport/runs/{run.number}/"}
        assert (run.kind, run.config["import"], run.seed) == (Run.Kind.ASSIST, 1, 7)

    def test_shows_what_a_run_was_started_with(self, as_curator):
        measured.brought()
        run = assisted.over_import(1)

        page = as_curator.get(f"{START}?from={run.number}").content.decode()

        assert re.search(r'value="import:1" selected', page)
        assert f'value="{run.judge_id}" selected' in page

    def test_leads_on_where_there_is_nothing_yet(self, as_curator):
        make.project()
        assert "No assistant yet" in as_curator.get(START).content.decode()

        assisted.assistant()

        assert "No answers to score yet" in as_curator.get(START).content.decode()


class TestRunAssistant:
    def test_sends_the_score_of_every_answer_or_why_there_is_none(self, as_curator):
        run = judged.done(assisted.over_import(measured.brought().number))
        at = f"/p/northport/runs/{run.number}/assistant"

        answer = as_curator.get(f"{at}.csv")

        lines = list(csv.DictReader(io.StringIO(b"".join(answer).decode("utf-8-sig"))))
        values = Judgment.objects.filter(run=run).order_by("pk").values_list("value", flat=True)
        assert [float(one["value"]) if one["value"] else None for one in lines] == list(values)
        assert {one["reason"] for one in lines if not one["value"]} == {"The answer is empty."}
        assert {one["release"] for one in lines} == {"Kestrel · 1", "Harbour · 1"}
        assert f"{at}.csv" in as_curator.get(f"{at}/").content.decode()

    def test_leads_back_from_the_file_while_the_round_is_not_final(self, as_curator):
        run = assisted.ran(make.open_round())

        answer = as_curator.get(f"/p/northport/runs/{run.number}/assistant.csv")

        assert answer["Location"] == f"/p/northport/runs/{run.number}/assistant/"


class TestLists:
    def test_the_judges_name_assistants(self, as_curator):
        assisted.assistant()

        assert "assistant" in as_curator.get("/p/northport/judges/").content.decode()
