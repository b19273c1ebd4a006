"""Start interviews, or have the dialogues of a run judged again by others."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from annotation.common.sentences import gettext
from evalsite import errors
from scoring.engine.kinds import Action
from scoring.engine.models import Run
from scoring.engine.starting import Lack, OfReleases, StartPage
from scoring.kinds.interviews import rejudging
from scoring.kinds.interviews.forms import InterviewForm, RejudgeForm
from scoring.kinds.interviews.kind import KIND
from scoring.kinds.interviews.outcome import InterviewOutcome
from scoring.outcomes import pages as outcome_pages


class AboutQuestions(OfReleases):
    """A run that asks systems about questions which are drawn."""

    takes = ("over",)

    @property
    def actions(self) -> Sequence[Action]:
        there = f"{self.url('import_new')}?kind=CHOICES"
        return [Action(_("Import a question set"), there, icon="import")]

    def drawn(self, told: Mapping[str, Any], without: int, left_out: str) -> str:
        """Return how many questions can be drawn, and how many are left out."""
        n = told["questions"]
        can = ngettext("%(n)d question can be drawn.", "%(n)d questions can be drawn.", n) % {
            "n": n
        }
        return f"{can} {left_out % {'n': without}}" if without else can


class InterviewStart(AboutQuestions):
    name, at = "interviews_new", "interviews/new/"
    kind, form = KIND, InterviewForm
    title, run_name = _("Interview systems (KIEval)"), _("Interviews")
    nobody = _("Nobody to interview yet")
    lead = _(
        "Systems are interviewed about their answers; verdicts from 1 to 4 on five "
        "aspects and overall."
    )

    def said(self, told: Mapping[str, Any]) -> str:
        without = told["without_answer"]
        left_out = ngettext(
            "%(n)d has no standard answer and is left out.",
            "%(n)d have no standard answer and are left out.",
            without,
        )
        return self.drawn(told, without, left_out)


class RejudgeStart(StartPage):
    name, at = "run_judge_again", "runs/<int:number>/evaluators/again/"
    kind, form = rejudging.KIND, RejudgeForm
    heading = _("Judge again")
    lead = _("Other evaluators judge the same dialogues; first verdicts stay.")

    @cached_property
    def of(self) -> Run:
        return InterviewOutcome.allowed(self.scope, self.number).run

    def refused(self, refusal: errors.Refusal) -> HttpResponse:
        return outcome_pages.closed(self.request, self.scope, self.number, refusal)

    @property
    def is_scripted(self) -> bool:
        return self.of.scripted

    @property
    def title(self) -> str:
        return f"{self.heading} · {self.of.name}"

    @property
    def run_name(self) -> str:
        return gettext("%(name)s, judged again") % {"name": self.of.name}

    @property
    def path(self) -> Sequence[Action]:
        return [
            Action(_("Runs"), self.url("runs")),
            Action(self.of.name, self.url("run", self.number)),
            Action(_("Evaluators"), self.url("run_evaluators", self.number)),
        ]

    def lack(self, form: Any) -> Lack | None:
        if self.of.state not in {Run.State.DONE, Run.State.CANCELLED}:
            text = _(
                "Wait until the run is finished, or call it off: then its dialogues stay as they are."
            )
            run = Action(_("The run"), self.url("run", self.number))
            return Lack(_("These interviews are not over yet"), text, run)
        if form.can_start:
            return None
        text = _("Add an endpoint for the judge.")
        return Lack(_("Nobody to judge yet"), text, Action(_("Endpoints"), self.url("endpoints")))


STARTS = (InterviewStart, RejudgeStart)
