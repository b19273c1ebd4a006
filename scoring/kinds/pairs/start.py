"""Have a judge compare answers in pairs: who, whose, by what."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext_lazy as _

from annotation.common.forms import one_of
from annotation.people.models import Project
from annotation.rounds import queries as rounds
from scoring.engine.forms import endpoints_of
from scoring.engine.kinds import Action
from scoring.engine.starting import Lack, StartPage
from scoring.kinds.metrics.start import OfAnswersForm, no_answers
from scoring.kinds.pairs import operations, queries
from scoring.kinds.pairs.operations import JudgedPairs


class PairsForm(OfAnswersForm, record=JudgedPairs):
    """Which answers are compared, by whom and by what."""

    field_order = ("over", "endpoint", "criterion", "against")
    endpoint = one_of(JudgedPairs, "endpoint")
    criterion = one_of(JudgedPairs, "criterion")
    against = one_of(JudgedPairs, "against")

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, project=project, **kwargs)
        known = endpoints_of(project)
        asked = [
            (queries.name_of(one), f"{one.name} ({one.rubric_version.rubric.name})")
            for one in queries.criteria(project)
        ]
        systems = [(one.pk, str(one)) for one in rounds.releases_of(project)]
        self.offer(
            endpoint=known,
            criterion=[("", _("that of the round")), *asked],
            against=[("", _("all pairs")), *systems],
        )
        self.has_judge = len(known) > 1


class PairsStart(StartPage):
    name, at = "pairs_new", "judges/pairwise/"
    kind, form, takes = operations.KIND, PairsForm, ("over", "criterion")
    title, run_name = _("Judge pairs"), _("Pairs")
    lead = _("Which of two is better, in both orders.")

    @property
    def path(self) -> Sequence[Action]:
        return [Action(_("Judges"), self.url("judges"))]

    def lack(self, form: Any) -> Lack | None:
        if not form.has_judge:
            action = Action(_("Endpoints"), self.url("endpoints"))
            return Lack(_("Nobody to judge yet"), _("Add an endpoint for the judge."), action)
        return no_answers(
            self,
            form,
            _("No answers to measure yet"),
            _("Import questions and answers, or open a round."),
        )


STARTS = (PairsStart,)
