"""What the demo has of summaries: those of five notices, with grades by criteria and scores, brought in.

* What the demo shows of Fusion-Eval: a task with assistants, two plans, and all ways of judging by script.
"""

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from annotation.common import draws as seeds
from annotation.files.columns import Target
from annotation.files.mappings import AnswerMapping, ColumnTarget, FileRubric, GradeMapping
from annotation.files.models import ImportBatch, ImportKind
from annotation.files.scores import CRITERION, METRIC, Machine, ScoreMapping
from annotation.people.models import Project, User
from annotation.rounds.models import Round
from annotation.rubrics.models import RubricVersion
from annotation.systems.models import SystemRelease
from scoring.demo import files as demo_files
from scoring.endpoints import testing
from scoring.endpoints.models import Endpoint
from scoring.engine import requests, working
from scoring.engine.kinds import BeginRun, Begun
from scoring.engine.models import Run
from scoring.kinds.assistants import operations as assistants
from scoring.kinds.assistants.asking_v1 import Kind
from scoring.kinds.fusion import combining, task_operations
from scoring.kinds.fusion import operations as fusing
from scoring.kinds.fusion import queries as reads
from scoring.kinds.fusion.models import Plan, TaskVersion
from scoring.kinds.fusion.templates import SUMMARY
from scoring.kinds.fusion.v1 import Variant
from scoring.kinds.judging import kind as judging
from scoring.kinds.judging import settings
from scoring.kinds.judging.geval.kind import GEvalSettings

ROUND: Final = "Summaries of notices"
RUBRIC: Final = FileRubric(ROUND, "1", "5", "1")
#: Brought in like scores of anybody's evaluator; the second is no share, so that ranges differ.
ASSISTANTS: Final = (
    Machine("ROUGE-1", METRIC, "0", "1"),
    Machine("ROUGE-L", METRIC, "0", "1"),
    Machine("Supported share", METRIC, "0", "1"),
    Machine("Ease of reading", METRIC, "0", "100"),
)
ANSWERS: Final = (
    Target.EXTERNAL_ID,
    Target.QUESTION,
    Target.STANDARD_ANSWER,
    Target.SYSTEM,
    Target.RELEASE,
    Target.RESPONSE,
)
WHERE: Final = (Target.ITEM, Target.SYSTEM, Target.RELEASE)


def bring(*, project: Project, by: User, now: datetime) -> ImportBatch:
    """Bring in the summaries, what three people gave them, and two evaluators' scores; return the first.

    Raises:
        errors.Refusal: they are there already.
    """
    answers = AnswerMapping(tuple(ColumnTarget(one, one) for one in ANSWERS))
    brought = demo_files.bring(
        project=project,
        kind=ImportKind.ANSWERS,
        name="summaries.jsonl",
        mapping=answers,
        by=by,
        now=now,
    )
    table = "summary_grades.csv"
    grades = GradeMapping(_wide(table, _grade), ROUND, new_rubric=RUBRIC)
    demo_files.bring(
        project=project, kind=ImportKind.GRADES, name=table, mapping=grades, by=by, now=now
    )
    table = "summary_scores.csv"
    scores = ScoreMapping(_wide(table, _score), ASSISTANTS)
    demo_files.bring(
        project=project, kind=ImportKind.SCORES, name=table, mapping=scores, by=by, now=now
    )
    return brought


def _grade(column: str) -> ColumnTarget:
    """Return the place of a column such as “Grader 1_fluency”."""
    rater, _line, criterion = column.partition("_")
    return ColumnTarget(column, Target.GRADE, rater=rater, criterion=criterion)


def _score(column: str) -> ColumnTarget:
    return ColumnTarget(column, Target.SCORE, rater=column, criterion=CRITERION)


def _wide(name: str, place: Callable[[str], ColumnTarget]) -> tuple[ColumnTarget, ...]:
    """Return where the columns of a table go: those that say whose answer it is, then the rest."""
    with (demo_files.FOLDER / name).open(encoding="utf-8") as file:
        columns = next(csv.reader(file))
    return tuple(ColumnTarget(one, one) if one in WHERE else place(one) for one in columns)


TASK: Final = ROUND
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
    batch = bring(project=project, by=by, now=now)
    people = Round.objects.get(project=project, name=ROUND)
    script = testing.add_scripted(project=project, by=by, now=now, script=SCRIPT, name=ENDPOINT)
    test = testing.request(endpoint=script, by=by, now=now)
    testing.carry_out(test_id=test.pk, clock=lambda: now)
    script.refresh_from_db()
    cast = _FusionCast(project, by, now, batch.number, people, script)
    cast.score()
    version = cast.task()
    ours, theirs = cast.plans(version)
    cast.fuse(version, ours, tuple(Variant), NAME, predictions=2)
    cast.fuse(version, theirs, (Variant.FE,), OTHER, predictions=1)
    cast.fill_forms()
    cast.combine(version, ours)


@dataclass(frozen=True)
class _FusionCast:
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
            settings=assistants.AssistantSettings(kind=Kind.SERVED, premise="question"),
            by=self.by,
            now=self.now,
        )
        wish = assistants.Assisted(
            key=self._key("assistant"),
            name="Entailment by script",
            seed=self._seed("assistant"),
            assistant=assistant.rater_id,
            batch=self.batch,
        )
        run = self._asked(assistants.KIND, self.project, wish)
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
        return task_operations.create(
            project=self.project,
            name=TASK,
            content=replace(SUMMARY, helpers=tuple(helpers)),
            by=self.by,
            now=self.now,
            rubric_version=rubric,
        )

    def plans(self, version: TaskVersion) -> tuple[Plan, Plan]:
        """Write a plan as a person, and have another one written."""
        ours = task_operations.write(
            version=version,
            text=PLAN,
            alignment=NAMED,
            source=Plan.Source.PERSON,
            by=self.by,
            now=self.now,
        )
        wish = task_operations.PlanWritten(
            key=self._key("plan"),
            name="A plan by script",
            seed=self._seed("plan"),
            endpoint=self.script.name,
        )
        run = self._asked(task_operations.WRITE, version, wish)
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
        wish = fusing.Fused(
            key=self._key(name),
            name=name,
            seed=self._seed("fusion"),
            variants=tuple(map(str, variants)),
            endpoint=self.script.name,
            plan=plan.number,
            batch=self.batch,
            predictions=predictions,
            temperature=0.4,
        )
        run = self._asked(fusing.START, version, wish)
        self._finish(run)

    def fill_forms(self) -> None:
        """Have a G-Eval judge grade the same summaries."""
        judge = settings.create(
            project=self.project,
            name="G-Eval by script",
            endpoint=self.script,
            settings=GEvalSettings(repeats=2),
            by=self.by,
            now=self.now,
        )
        wish = judging.Judged(
            key=self._key("forms"),
            name=f"{judge.name}: {self.people.name}"[:120],
            seed=self._seed("forms"),
            judge=judge.rater_id,
        )
        run = self._asked(judging.KIND, self.people, wish)
        self._finish(run)

    def combine(self, version: TaskVersion, plan: Plan) -> None:
        """Make the scores of the assistants one in three ways."""
        wish = combining.Combined(
            key=self._key("combined"),
            name="Assistants combined",
            seed=self._seed("combined"),
            ways=tuple(combining.WAYS),
            plan=plan.number,
            batch=self.batch,
            people=self.people.number,
        )
        run = self._asked(combining.START, version, wish)
        self._finish(run)

    def _asked(self, kind: Begun, of: Any, wish: BeginRun) -> Run:
        return requests.started(kind, of, wish, user=self.by, now=self.now)

    def _finish(self, run: Run) -> None:
        """Work on a run to its end; one that needs something written first is planned twice."""
        for _time in range(2):
            working.work(run.pk, clock=lambda: self.now)
        run.refresh_from_db()

    def _key(self, said: str) -> UUID:
        return UUID(int=seeds.integer(self.project.slug, "demo fusion", said, below=2**128))

    def _seed(self, said: str) -> int:
        return seeds.integer(self.project.slug, "demo fusion", said, below=SEEDS)
