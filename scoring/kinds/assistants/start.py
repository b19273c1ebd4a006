"""Have an assistant score answers: which one, and whose."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from django.utils.translation import gettext_lazy as _

from annotation.common.forms import one_of
from annotation.people.models import Project
from scoring.engine.kinds import Action
from scoring.engine.starting import Lack, StartPage
from scoring.kinds.assistants import operations as assistants
from scoring.kinds.assistants import queries as assistant_results
from scoring.kinds.assistants.operations import Assisted
from scoring.kinds.metrics.start import OfAnswersForm, no_answers


class AssistForm(OfAnswersForm, record=Assisted):
    """Which assistant scores which answers."""

    field_order = ("assistant", "over")
    assistant = one_of(Assisted, "assistant")

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, project=project, **kwargs)
        known = [(one.rater_id, str(one)) for one in assistant_results.assistants(project)]
        self.offer(assistant=[("", _("Choose an assistant")), *known])


class AssistStart(StartPage):
    name, at = "assist", "judges/assistants/"
    kind, form, takes = assistants.KIND, AssistForm, ("assistant", "over")
    title, run_name = _("Have answers scored"), _("Scores of an assistant")
    heading = _("Have answers scored by an assistant")
    lead = _("A round’s scores are hidden until it is final.")

    @cached_property
    def has_assistants(self) -> bool:
        return assistant_results.assistants(self.scope.project).exists()

    @property
    def path(self) -> Sequence[Action]:
        return [Action(_("Judges"), self.url("judges"))]

    @property
    def actions(self) -> Sequence[Action]:
        new = Action(_("New assistant"), self.url("assistant_new"))
        return [new] if self.has_assistants else []

    def lack(self, form: Any) -> Lack | None:
        if not self.has_assistants:
            new = Action(_("New assistant"), self.url("assistant_new"))
            return Lack(_("No assistant yet"), "", new)
        return no_answers(
            self,
            form,
            _("No answers to score yet"),
            _("Import questions and answers, or open a round."),
        )


STARTS = (AssistStart,)
