"""Have accuracy measured on questions of multiple choice: what is asked of whom, in how many orders."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from annotation.common.forms import one_of, some_of
from annotation.people.models import Project
from scoring.engine.forms import ReleasesForm
from scoring.kinds.accuracy import operations as accuracy
from scoring.kinds.accuracy.operations import Quiz
from scoring.kinds.interviews.forms import sources
from scoring.kinds.interviews.start import AboutQuestions


class QuizForm(ReleasesForm, record=Quiz, leave_out=("releases",)):
    """Which systems choose among which options, in how many orders, after how many examples."""

    field_order = ("over", "questions", "releases")
    over = one_of(Quiz, "over")
    releases = some_of(Quiz, "releases")
    examples_over = one_of(Quiz, "examples_over")

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, project=project, **kwargs)
        offered = sources(project)
        self.offer(over=offered, examples_over=[("", _("the same questions")), *offered[1:]])


class QuizStart(AboutQuestions):
    name, at = "quiz_new", "accuracy/new/"
    kind, form = accuracy.KIND, QuizForm
    title, run_name = _("Measure accuracy"), _("Accuracy")
    lead = _("Multiple choice, scored without a judge.")

    def said(self, told: Mapping[str, Any]) -> str:
        without = told["without_options"]
        left_out = ngettext(
            "%(n)d has no options and is left out.",
            "%(n)d have no options and are left out.",
            without,
        )
        return self.drawn(told, without, left_out)


STARTS = (QuizStart,)
