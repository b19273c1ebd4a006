"""Evaluation by a task (Fusion-Eval), its plans and combined scores, as kinds of runs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.endpoints.models import Judge
from scoring.engine.kinds import Action, Beginning, RunPlugin
from scoring.engine.models import Run
from scoring.kinds.fusion.models import EvaluationTask, Plan, TaskVersion


def form(name: str) -> Callable[[Run], str]:
    """Return what finds a form that stands on the pages of a run's task."""

    def at(run: Run) -> str:
        task = EvaluationTask.objects.filter(pk=run.config.get("task", 0)).first()
        return "" if task is None else reverse(name, args=[run.project.slug, task.number])

    return at


def plans(run: Run) -> Sequence[Action]:
    return [
        Action(
            _("The plan"),
            reverse("fusion_plan", args=[run.project.slug, one.task.number, one.number]),
        )
        for one in run.plans.select_related("task")
    ]


def beside_people(run: Run) -> Sequence[Action]:
    return [Action(_("Judges vs people"), reverse("judges_people", args=[run.project.slug]))]


def told(run: Run) -> Mapping[str, Any]:
    """Return the parameters of a run as a person and a comparison of runs read them."""
    config = run.config
    version = TaskVersion.objects.select_related("task").filter(pk=config.get("version", 0)).first()
    made: dict[str, Any] = {}
    if version is not None:
        names = {"task": version.task.name, "n": version.number}
        made["task"] = gettext("%(task)s, version %(n)d") % names
    if plan := Plan.objects.filter(pk=config.get("plan") or 0).first():
        made["plan"] = str(plan.number)
    if config.get("import") is not None:
        made["answers"] = gettext("import %(n)d") % {"n": config["import"]}
    if "endpoint" in config:
        made["endpoint"] = config["endpoint"]
    if judges := config.get("judges"):
        made["ways"] = [one["variant"] for one in judges]
        made |= {"endpoint": judges[0]["endpoint"], **judges[0]["settings"]}
    if mixes := config.get("mixes"):
        made["ways"] = [one["how"] for one in mixes]
        judge = Judge.objects.filter(pk=config.get("judge") or 0).first()
        made |= {} if judge is None else {"judge": judge.name}
        made |= {} if config.get("people") is None else {"people": str(config["people"])}
    return made


RUNS = (
    RunPlugin(
        kind=Run.Kind.FUSION,
        works="scoring.kinds.fusion.kind.FUSION_KIND",
        form=form("fusion_new"),
        begins=[Beginning(_("Evaluate by a task (Fusion-Eval)"), "fusion_tasks", 90)],
        links=[(_("Results"), "run_fusion")],
        told=told,
    ),
    RunPlugin(
        kind=Run.Kind.PLAN,
        works="scoring.kinds.fusion.kind.KIND",
        form=form("fusion_plan_write"),
        links=plans,
        told=told,
    ),
    RunPlugin(
        kind=Run.Kind.COMBINE,
        works="scoring.kinds.fusion.combining.KIND",
        form=form("fusion_combine"),
        links=beside_people,
        told=told,
    ),
)
