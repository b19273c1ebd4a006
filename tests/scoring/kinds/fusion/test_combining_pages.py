import re
from uuid import uuid4

import pytest

from scoring.engine.models import Run
from tests.pages import squeezed
from tests.scoring import fused

pytestmark = pytest.mark.django_db
PAGE = "/p/northport/judges/tasks/1/combine/"


def sent(deed, **given):
    usual = {
        "deed": deed,
        "key": str(uuid4()),
        "name": "Together",
        "over": "import:1",
        "ways": ["AVG"],
        "seed": 3,
    }
    return {**usual, **given}


class TestFusionCombine:
    def test_says_what_there_is_and_starts(self, as_curator):
        fused.scored()
        fused.version("overlap", "entailment")

        counted = squeezed(as_curator.post(PAGE, sent("estimate")).content.decode())
        as_curator.post(PAGE, sent("start"))

        assert re.search(r"<dt>entailment</dt>\s*<dd>3<", counted)
        run = Run.objects.get()
        assert (run.kind, run.name) == (Run.Kind.COMBINE, "Together")
        page = as_curator.get(f"/p/northport/runs/{run.number}/").content.decode()
        assert f"{PAGE}?from={run.number}" in page

    @pytest.mark.parametrize(
        ("ways", "why"),
        [(["LLMSEL"], "choose a plan"), (["CORRW"], "choose the round"), ([], "This field is req")],
    )
    def test_says_what_is_missing(self, as_curator, ways, why):
        fused.scored()
        fused.version("overlap")

        answer = as_curator.post(PAGE, sent("start", ways=ways))

        assert answer.status_code == 422
        assert why in answer.content.decode()
        assert not Run.objects.exists()

    def test_begins_with_a_run_that_is_started_again(self, as_curator):
        fused.scored()
        task = fused.version("overlap")
        plan = fused.plan(task)
        as_curator.post(PAGE, sent("start", ways=["LLMSEL"], plan=plan.pk))

        page = as_curator.get(f"{PAGE}?from=1").content.decode()

        assert re.search(r'value="LLMSEL"[^>]*checked', page)
        assert not re.search(r'value="AVG"[^>]*checked', page)
