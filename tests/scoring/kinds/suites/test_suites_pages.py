from uuid import uuid4

import pytest
from django.core.files.base import ContentFile

from scoring.engine.models import Run
from scoring.kinds.suites import keeping as suite_metrics
from scoring.kinds.suites.models import Suite, SuiteVersion
from scoring.kinds.suites.pages import BEGINNING
from tests import make
from tests.scoring import connected, suites

pytestmark = pytest.mark.django_db
LIST = "/p/northport/suites/"


class TestSuites:
    def test_say_what_to_do_where_there_are_none(self, as_curator):
        page = as_curator.get(LIST).content.decode()

        assert f"{LIST}new/" in page
        assert f"{LIST}form/" in page
        assert "/p/northport/conversations/" in page

    def test_lists_what_each_holds(self, as_curator):
        suites.done(suites.requested())

        page = as_curator.get(LIST).content.decode()

        assert "Drivers" in page
        assert "/p/northport/runs/1/suite/" in page


class TestSuiteNew:
    def test_saves_what_it_begins_with(self, as_curator):
        make.project()

        answer = as_curator.post(f"{LIST}new/", {"text": BEGINNING})

        assert answer.headers["Location"] == f"{LIST}1/"
        assert "is_refusal" in as_curator.get(f"{LIST}1/").content.decode()

    def test_tells_line_by_line_what_cannot_be_used(self, as_curator):
        make.project()

        answer = as_curator.post(f"{LIST}new/", {"text": BEGINNING.replace("string_", "strong_")})

        assert answer.status_code == 422
        assert "Line 4: There is no function metric “strong_length”" in answer.content.decode()
        assert not Suite.objects.exists()

    @pytest.mark.parametrize(
        "text",
        [
            "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
            "metrics: " + "[" * 5_000,
            "metrics: " + "{a: " * 60 + "1" + "}" * 60,
        ],
    )
    def test_refuses_bombs(self, as_curator, text):
        assert as_curator.post(f"{LIST}new/", {"text": text}).status_code == 422


class TestSuiteFile:
    RUN = (
        "data_sources: [{type: file, path: spring.jsonl}]\n"
        "eval: {name: Desk, metrics: {rubric: [{name: good}]}, grader_llm: {function_name: ask}}\n"
        "config: {max_n_conversation_threads: 5, nb_evaluations_per_thread: 2, max_workers: 3}\n"
        "rubric_paths: [rubrics.yaml]\n"
    )
    GOOD = 'good: {prompt: "{completion}", choice_scores: {"YES": 1, "NO": 0}}\n'
    SEVERAL = "a: {metrics: {function: [{name: latency}]}}\nb: {metrics: {function: [{name: is_refusal}]}}\n"

    def sent(self, as_curator, text, **given):
        file = ContentFile(text.encode(), "run.yaml")
        return as_curator.post(f"{LIST}new/", {"text": BEGINNING, "file": file, **given})

    def test_of_a_run_is_taken_with_its_rubrics_and_names_the_files_to_bring(self, as_curator):
        make.project()
        rubrics = ContentFile(self.GOOD.encode(), "rubrics.yaml")

        answer = self.sent(as_curator, self.RUN, rubrics=[rubrics])

        assert answer.headers["Location"] == f"{LIST}1/"
        page = as_curator.get(f"{LIST}1/").content.decode()
        assert "spring.jsonl" in page
        assert "/p/northport/conversations/new/" in page
        assert "Each judge 2 times." in page
        assert "Line 3: “max_workers” is not used" in page

    def test_says_that_rubrics_are_missing(self, as_curator):
        make.project()

        answer = self.sent(as_curator, self.RUN)

        assert answer.status_code == 422
        page = answer.content.decode()
        assert "There is no rubric “good”" in page
        assert "spring.jsonl" in page  # what was in the file can be mended in the field

    def test_of_several_asks_which(self, as_curator):
        make.project()

        asked = self.sent(as_curator, self.SEVERAL)
        as_curator.post(f"{LIST}new/", {"text": self.SEVERAL, "chosen": "b"})

        assert asked.status_code == 422
        assert '<option value="b">' in asked.content.decode()
        version = SuiteVersion.objects.get()
        assert version.suite.name == "b"
        assert "latency" not in version.text

    @pytest.mark.parametrize("name", ["file", "rubrics"])
    def test_that_is_no_text_is_refused(self, as_curator, name):
        make.project()
        file = ContentFile(b"\xff\xfe\x00", "x.yaml")

        answer = as_curator.post(f"{LIST}new/", {"text": BEGINNING, name: file})

        assert answer.status_code == 422
        assert not Suite.objects.exists()


class TestSuiteEdit:
    def test_makes_a_version_and_keeps_the_old_one(self, as_curator):
        suites.saved()

        as_curator.post(f"{LIST}1/edit/", {"text": f"{suites.SUITE}notes: better\n"})

        assert SuiteVersion.objects.count() == 2
        assert "better" in as_curator.get(f"{LIST}1/").content.decode()
        assert "The newest is 2." in as_curator.get(f"{LIST}1/?version=1").content.decode()

    def test_knows_a_name_that_is_taken(self, as_curator):
        suites.saved()
        suites.saved(suites.SUITE.replace("Drivers", "Others"))

        answer = as_curator.post(
            f"{LIST}2/edit/", {"text": f"{suites.SUITE}notes: another suite of this name\n"}
        )

        assert "There is a suite called “Drivers”" in answer.content.decode()


class TestSuiteMetrics:
    def test_shows_each_with_an_example_and_its_value(self, as_curator):
        page = as_curator.get(f"{LIST}metrics/").content.decode()

        assert page.count('<th scope="row"') == len(suite_metrics.available())
        assert "{name: is_role, kwargs: {role: &#x27;assistant&#x27;}, metric_level: Turn}" in page
        assert "118.175" in page


class TestSuiteRun:
    def sent(self, deed, **given):
        return {
            "deed": deed,
            "key": str(uuid4()),
            "name": "R",
            "sets": ["Talks"],
            "seed": 1,
            **given,
        }

    def test_estimates_and_starts(self, as_curator):
        connected.endpoint("Judge")
        suites.saved(suites.JUDGED)
        suites.brought()

        counted = as_curator.post(f"{LIST}1/run/", self.sent("estimate")).content.decode()
        started = as_curator.post(f"{LIST}1/run/", self.sent("start"))

        assert 'id="estimate"' in counted
        assert started.headers["Location"] == "/p/northport/runs/1/"
        page = as_curator.get("/p/northport/runs/1/").content.decode()
        assert "/p/northport/runs/1/suite/" in page
        assert f"{LIST}1/run/?from=1" in page

    def test_starts_one_run_when_it_is_sent_twice(self, as_curator):
        suites.saved()
        suites.brought()
        form = self.sent("start")

        for _ in range(2):
            as_curator.post(f"{LIST}1/run/", form)

        assert Run.objects.count() == 1

    def test_tries_it_on_three_conversations(self, as_curator):
        suites.saved()
        talks = [{**suites.TALKS[0], "id": str(number)} for number in range(9)]
        suites.brought(suites.lines(talks))

        as_curator.post(f"{LIST}1/run/", self.sent("start", tries="on"))

        run = suites.done(Run.objects.get())
        assert run.judgments.values("response").distinct().count() == 3

    def test_says_which_endpoint_is_missing(self, as_curator):
        suites.saved(suites.JUDGED)
        suites.brought()

        answer = as_curator.post(f"{LIST}1/run/", self.sent("start"))

        assert answer.status_code == 422
        assert "endpoint “Judge”" in answer.content.decode()

    def test_leads_on_where_there_are_no_conversations(self, as_curator):
        suites.saved()

        page = as_curator.get(f"{LIST}1/run/").content.decode()

        assert "/p/northport/conversations/new/" in page
