"""Have answers evaluated by a task, a plan written, or what assistants scored combined."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from django.utils.translation import gettext_lazy as _

from annotation.common.sentences import gettext
from scoring.endpoints import queries as connections
from scoring.engine.kinds import Action
from scoring.engine.starting import CountedEstimate, Lack, StartPage
from scoring.kinds.fusion import combining, operations, task_operations
from scoring.kinds.fusion import queries as reads
from scoring.kinds.fusion.forms import CombineForm, FusionForm, PlanWriteForm
from scoring.kinds.fusion.models import TaskVersion
from scoring.kinds.fusion.pages import task_of
from scoring.kinds.metrics.start import no_answers


class OfTask(StartPage):
    """A run by the newest version of a task."""

    @cached_property
    def of(self) -> TaskVersion:
        return reads.newest(task_of(self.scope, self.number))

    @property
    def path(self) -> Sequence[Action]:
        task = self.of.task
        return [
            Action(_("Evaluation tasks"), self.url("fusion_tasks")),
            Action(task.name, self.url("fusion_task", task.number)),
        ]

    def nobody(self) -> Lack | None:
        """Return that there is no endpoint to ask."""
        if connections.endpoints_of(self.scope.project).exists():
            return None
        text = _("Add an endpoint first.")
        return Lack(_("Nobody to ask"), text, Action(_("Endpoints"), self.url("endpoints")))


class OfTaskAndAnswers(OfTask):
    @property
    def given(self) -> Mapping[str, Any]:
        return {"version": self.of}


class FusionStart(OfTaskAndAnswers):
    name, at = "fusion_new", "judges/tasks/<int:number>/run/"
    kind, form, takes = operations.START, FusionForm, ("over", "plan")
    title = _("Evaluate answers (Fusion-Eval)")
    lead = _("By the task’s criteria and assistants’ scores.")

    @property
    def run_name(self) -> str:
        return self.of.task.name

    @property
    def chosen(self) -> Mapping[str, Any]:
        asked = super().chosen
        return {name: asked[name] for name in self.takes if asked[name] or name != "plan"}

    def lack(self, form: Any) -> Lack | None:
        lacking = no_answers(
            self,
            form,
            _("No answers to evaluate yet"),
            _("Import questions and answers, or open a round."),
        )
        return lacking or self.nobody()


class PlanWriteStart(OfTask):
    name, at = "fusion_plan_write", "judges/tasks/<int:number>/plans/write/"
    kind, form = task_operations.WRITE, PlanWriteForm
    title = _("Have a plan written")
    lead = _("A language model writes which scores help where. You can edit it.")

    @property
    def run_name(self) -> str:
        return gettext("Plan for %(task)s") % {"task": self.of.task.name}

    def lack(self, form: Any) -> Lack | None:
        return self.nobody()


class CombineStart(OfTaskAndAnswers):
    name, at = "fusion_combine", "judges/tasks/<int:number>/combine/"
    kind, form = combining.START, CombineForm
    title = _("Combine assistants")
    asks, asks_again = _("Show what there is to combine"), _("Count again")
    lead = _("AVG, median, LLMSel, CorrW of assistants’ scores. No model is asked.")

    @property
    def run_name(self) -> str:
        return gettext("Combined: %(task)s") % {"task": self.of.task.name}

    def lack(self, form: Any) -> Lack | None:
        text = _("Import questions and answers, or open a round.")
        return no_answers(self, form, _("No answers yet"), text)

    def counted(self, told: Mapping[str, Any]) -> CountedEstimate | None:
        with_score = told["with_score"].items()
        return CountedEstimate(
            _("What there is to combine"),
            _("An answer lacking one gets no score."),
            [
                (_("Answers"), told["answers"], ""),
                *((name, n, _("with a score")) for name, n in with_score),
            ],
        )


STARTS = (FusionStart, PlanWriteStart, CombineStart)
