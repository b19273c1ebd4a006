"""What the demo shows of Fusion-Eval: a task with assistants, two plans, and all ways of judging by script."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from annotation.models import Project, Round, RubricVersion, SystemRelease, User
from annotation.rules import seeds
from scoring.models import Endpoint, Plan, Run, TaskVersion
from scoring.operations import (
    assistants,
    assisting,
    combining,
    demo_summaries,
    endpoint_scripts,
    endpoint_tests,
    evaluation_plans,
    evaluation_tasks,
    fusing,
    judge_settings,
    judges,
    judging,
    plan_writing,
)
from scoring.operations.fusion_judges import Settings
from scoring.operations.runs import working
from scoring.protocols.assistants.asking_v1 import Kind
from scoring.protocols.fusion_eval.templates import SUMMARY
from scoring.protocols.fusion_eval.v1 import Variant
from scoring.queries import evaluation_tasks as reads

TASK: Final = demo_summaries.ROUND
NAME: Final = "Summaries by script"
#: The same by the plan that the script wrote: another plan, other scores.
OTHER: Final = "Summaries by script, the endpoint’s plan"
SEEDS: Final = 2**31
#: How far the script follows what the assistants scored: so far that a plan can be seen to matter.
ENDPOINT: Final = "Scripted summaries"
SCRIPT: Final = {"seed": 9, "obey_plan": 0.6}
#: What the plan of a person says, and which assistants it names for which criterion.
PLAN: Final = """Coherence: read the summary at one go. No assistant measures it; ease of reading says only how short \
the sentences are.

Consistency: begin with the supported share and the entailment score. Below 0.5 look for the statement that the \
notice does not make; where the two disagree, believe your own reading.

Fluency: look for sentences without a verb. No assistant measures it.

Relevance: overlap with the reference (ROUGE-1, ROUGE-L) says whether dates, places and charges are there. A summary \
that is right and says nothing of them is not relevant."""
NAMED: Final = {
    "consistency": ("supported-share", "entailment"),
    "relevance": ("rouge-1", "rouge-l"),
}
#: What each assistant's score means and what it compares, as planner and judge are told it.
MEANINGS: Final = {
    "ROUGE-1": ("share of words that both have", "the summary with the reference"),
    "ROUGE-L": ("longest row of words that both have", "the summary with the reference"),
    "Entailment": ("how far the summary follows from the notice", "the notice with the summary"),
    "Supported share": ("share of statements that a checker found", "the summary with the notice"),
    "Ease of reading": ("how easily the text reads; high is easy", "the summary alone"),
}


def play(*, project: Project, by: User, now: datetime) -> None:
    """Have summaries of five notices judged in every way there is; nobody is asked over the network."""
    if not SystemRelease.objects.filter(system__project=project).exists():
        return
    batch = demo_summaries.bring(project=project, by=by, now=now)
    people = Round.objects.get(project=project, name=demo_summaries.ROUND)
    script = endpoint_scripts.add_scripted(
        project=project, by=by, now=now, script=SCRIPT, name=ENDPOINT
    )
    test = endpoint_tests.request(endpoint=script, by=by, now=now)
    endpoint_tests.carry_out(test_id=test.pk, clock=lambda: now)
    script.refresh_from_db()
    cast = _Cast(project, by, now, batch.number, people, script)
    cast.score()
    version = cast.task()
    ours, theirs = cast.plans(version)
    cast.fuse(version, ours, tuple(Variant), NAME, predictions=2)
    cast.fuse(version, theirs, (Variant.FE,), OTHER, predictions=1)
    cast.fill_forms()
    cast.combine(version, ours)


@dataclass(frozen=True)
class _Cast:
    """What all parts of the play need."""

    project: Project
    by: User
    now: datetime
    batch: int
    people: Round
    script: Endpoint

    def score(self) -> None:
        """Have an assistant score the summaries, in a few requests."""
        assistant = assistants.create(
            project=self.project,
            name="Entailment",
            endpoint=self.script,
            settings=assistants.Settings(kind=Kind.SERVED, premise="question"),
            by=self.by,
            now=self.now,
        )
        run = assisting.request_scores(
            assistant=assistant,
            key=self._key("assistant"),
            name="Entailment by script",
            seed=self._seed("assistant"),
            user=self.by,
            now=self.now,
            batch=self.batch,
        )
        self._finish(run)

    def task(self) -> TaskVersion:
        """Write the task by the rubric that people graded by, with five assistants."""
        known = {one.label: one.helper for one in reads.assistants(self.project)}
        helpers = [
            replace(
                known[name],
                assistant=replace(known[name].assistant, meaning=meaning, compares=compares),
            )
            for name, (meaning, compares) in MEANINGS.items()
        ]
        rubric = RubricVersion.objects.get(rubric__project=self.project, rubric__name=TASK)
        return evaluation_tasks.create(
            project=self.project,
            name=TASK,
            content=replace(SUMMARY, helpers=tuple(helpers)),
            by=self.by,
            now=self.now,
            rubric_version=rubric,
        )

    def plans(self, version: TaskVersion) -> tuple[Plan, Plan]:
        """Write a plan as a person, and have another one written."""
        ours = evaluation_plans.write(
            version=version,
            text=PLAN,
            alignment=NAMED,
            source=Plan.Source.PERSON,
            by=self.by,
            now=self.now,
        )
        run = plan_writing.request_plan(
            version=version,
            endpoint=self.script,
            key=self._key("plan"),
            name="A plan by script",
            seed=self._seed("plan"),
            user=self.by,
            now=self.now,
        )
        self._finish(run)
        return ours, Plan.objects.get(run=run)

    def fuse(
        self,
        version: TaskVersion,
        plan: Plan,
        variants: Sequence[Variant],
        name: str,
        *,
        predictions: int,
    ) -> None:
        """Have the summaries evaluated in some ways."""
        wish = fusing.Wish(
            version,
            variants,
            self.script,
            plan,
            batch=self.batch,
            settings=Settings(predictions=predictions, temperature=0.4),
        )
        run = fusing.start(
            project=self.project,
            wish=wish,
            key=self._key(name),
            name=name,
            seed=self._seed("fusion"),
            user=self.by,
            now=self.now,
        )
        self._finish(run)

    def fill_forms(self) -> None:
        """Have a G-Eval judge grade the same summaries."""
        judge = judges.create(
            project=self.project,
            name="G-Eval by script",
            endpoint=self.script,
            settings=judge_settings.GEvalSettings(repeats=2),
            by=self.by,
            now=self.now,
        )
        run = judging.request_judging(
            judge=judge,
            round_=self.people,
            key=self._key("forms"),
            name=f"{judge.name}: {self.people.name}",
            seed=self._seed("forms"),
            user=self.by,
            now=self.now,
        )
        self._finish(run)

    def combine(self, version: TaskVersion, plan: Plan) -> None:
        """Make the scores of the assistants one in three ways."""
        wish = combining.Wish(
            version, tuple(combining.WAYS), plan=plan, batch=self.batch, people=self.people
        )
        run = combining.start(
            project=self.project,
            wish=wish,
            key=self._key("combined"),
            name="Assistants combined",
            seed=self._seed("combined"),
            user=self.by,
            now=self.now,
        )
        self._finish(run)

    def _finish(self, run: Run) -> None:
        """Work on a run to its end; one that needs something written first is planned twice."""
        for _time in range(2):
            working.work(run.pk, clock=lambda: self.now)
        run.refresh_from_db()

    def _key(self, said: str) -> UUID:
        return UUID(int=seeds.integer(self.project.slug, "demo fusion", said, below=2**128))

    def _seed(self, said: str) -> int:
        return seeds.integer(self.project.slug, "demo fusion", said, below=SEEDS)
