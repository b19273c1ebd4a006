"""Fusion-Eval over real summaries, from the files to the page beside people, over a server's wire."""

import gzip
import json

import pytest
from django.urls import reverse

from annotation.files.mappings import FileRubric
from annotation.people.models import Role
from annotation.rounds.models import Round
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine.models import Judgment, LLMCall, Run
from scoring.kinds.fusion import queries as evaluation_tasks
from scoring.kinds.fusion import task_operations as plan_writing
from scoring.kinds.fusion.models import Plan, TaskVersion
from scoring.kinds.fusion.templates import SUMMARY
from scoring.kinds.fusion.v1 import Variant
from tests import imports, make
from tests.scoring import connected, fused, measured, summeval, worker
from tests.scoring.llm import serving

pytestmark = [pytest.mark.django_db]
N_DOCUMENTS = 5
SYSTEMS = ("M0", "M8", "M17", "M22")
MARKS = [f"e{rater}_{criterion}" for rater in range(3) for criterion in summeval.CRITERIA]


@pytest.fixture
def summaries(golden):
    """Bring in twenty summaries, three experts' grades of them, and two lexical metrics."""
    with gzip.open(golden / "summeval" / "summeval_texts.jsonl.gz", "rt") as file:
        texts = [json.loads(next(file)) for _document in range(N_DOCUMENTS)]
    lines = [
        {
            "id": one["doc"],
            "question": one["source"],
            "references": one["references"],
            "system": system,
            "response": one["summaries"][system],
        }
        for one in texts
        for system in SYSTEMS
    ]
    batch = imports.apply(imports.answers(imports.lines(*lines), "summaries.jsonl"))
    wanted = {(one["doc"], system) for one in texts for system in SYSTEMS}
    rows = [
        ",".join([row["doc"], row["system"], *(row[mark] for mark in MARKS)])
        for row in summeval.read(golden, "summeval_ratings.csv")
        if (row["doc"], row["system"]) in wanted
    ]
    table = "\n".join([",".join(["item", "system", *MARKS]), *rows, ""])
    imports.apply(imports.grades(table, new_rubric=FileRubric("Summaries", "1", "5", "")))
    run = measured.over_import(["rouge1", "rouge2"], number=1, batch=batch.number, source="")
    assert measured.done(run).state == Run.State.DONE
    return batch.number


@pytest.fixture
def judge(settings):
    """Return an endpoint that asks a scripted server by HTTP."""
    settings.ENDPOINT_NETWORKS = ["127.0.0.0/8"]
    with serving.in_thread({"seed": 4, "obey_plan": 0.5}) as served:
        yield connected.endpoint(
            "Served",
            kind=Endpoint.Kind.SERVER,
            url=served.url,
            model_name="scripted",
            prompt_price=1,
            completion_price=2,
        )


def by_template() -> TaskVersion:
    known = evaluation_tasks.assistants(make.project())
    helpers = tuple(one.helper for one in known if one.label.startswith("ROUGE"))
    return fused.version(
        name="Summaries",
        description=SUMMARY.description,
        fields=SUMMARY.fields,
        criteria=SUMMARY.criteria,
        helpers=helpers,
    )


def planned(task: TaskVersion, by: Endpoint) -> Plan:
    wish = plan_writing.PlanWritten(**connected.head(2, "Plan", 3), endpoint=by.name)
    run = connected.begun(plan_writing.WRITE, task, wish)
    fused.done(run)
    return Plan.objects.get(run=run)


class TestTheFirstStretch:
    def test_sets_fusion_eval_beside_people_over_twenty_summaries(self, summaries, judge, client):
        task = by_template()
        plan = planned(task, judge)

        wish = fused.wish(task, *Variant, by=judge, plan=plan, batch=summaries, temperature=0.3)
        run = fused.ran(wish, 3)
        mixed = fused.combined(fused.mixed(task, ("AVG", "LLMSEL"), plan=plan, batch=summaries), 4)

        assert (run.state, mixed.state) == ("DONE", "DONE")
        assert plan.source == "ENDPOINT"
        assert LLMCall.objects.filter(run=run, trouble="").count() == 20 * 3 * 2
        means = Judgment.objects.filter(run=run, repeat=0)
        assert means.count() == 20 * 3 * 4
        assert set(means.values_list("outcome", "n_valid")) == {("SCORED", 2)}

        client.force_login(make.member(Role.ANALYST))
        page = self._opened(client, reverse("judges_people", args=["northport"]))
        names = list(Judge.objects.values_list("name", flat=True))
        assert len(names) == 3
        for name in (*names, "AVG · Summaries v1", "LLMSel · plan 1 · Summaries v1", "ROUGE-1"):
            assert name in page
        results = reverse("run_fusion", args=["northport", run.number])
        round_ = Round.objects.get(kind="IMPORTED")
        found = self._opened(client, f"{results}?round={round_.number}&level=pooled")
        for words in (
            "Judges vs people",
            "Plan, no plan, direct",
            "How far each judge goes",
            "USD",
        ):
            assert words in found

    def _opened(self, client, url):
        client.get(url)
        worker.compute()
        answer = client.get(url)
        assert answer.status_code == 200
        return answer.content.decode()
