import re
from uuid import uuid4

import pytest
from django.urls import reverse

from scoring.engine.models import Run
from tests import make
from tests.scoring import measured

pytestmark = pytest.mark.django_db
PAGE = "/p/northport/judges/metrics/"


def sent(deed, **given):
    usual = {
        "deed": deed,
        "key": str(uuid4()),
        "name": "Summaries",
        "over": "import:1",
        "metrics": ["rouge1", "words"],
        "references": "texts",
        "many": "mean",
        "source": "",
    }
    return {**usual, **given}


class TestMetricsNew:
    def test_says_what_there_is_to_measure_and_starts(self, as_curator):
        measured.brought()

        counted = as_curator.post(PAGE, sent("estimate")).content.decode()
        started = as_curator.post(PAGE, sent("start"))

        assert re.search(r"With reference texts</dt><dd>2</dd>", counted)
        run = Run.objects.get()
        assert started.status_code == 302
        assert started.headers["Location"] == f"/p/northport/runs/{run.number}/"
        assert (run.kind, run.name) == (Run.Kind.METRICS, "Summaries")

    def test_starts_one_run_when_it_is_sent_twice(self, as_curator):
        measured.brought()
        form = sent("start")

        as_curator.post(PAGE, form)
        as_curator.post(PAGE, form)

        assert Run.objects.count() == 1

    def test_says_what_is_missing(self, as_curator):
        measured.brought()

        answer = as_curator.post(PAGE, sent("start", metrics=["novelty1_source"]))

        assert answer.status_code == 422
        assert "Say where the source text is" in answer.content.decode()
        assert not Run.objects.exists()

    def test_begins_with_a_run_that_is_started_again(self, as_curator):
        measured.brought()
        run = measured.over_import(["chrf"], many="best")

        page = as_curator.get(f"{PAGE}?from={run.number}").content.decode()

        assert re.search(r'value="chrf"[^>]*checked', page)
        assert re.search(r'value="best"[^>]*checked', page)
        assert not re.search(r'value="rouge1"[^>]*checked', page)

    def test_leads_on_where_there_is_nothing_yet(self, as_curator):
        make.project()

        page = as_curator.get(PAGE).content.decode()

        assert "No answers to measure yet" in page
        assert reverse("import_new", args=["northport"]) in page

    def test_is_found_from_the_judges(self, as_curator):
        make.project()

        assert PAGE in as_curator.get("/p/northport/judges/").content.decode()
