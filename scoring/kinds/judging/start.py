"""Have a judge grade the answers of a round: which one, and by which criteria."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from annotation.common.forms import one_of, some_of
from annotation.common.sentences import gettext
from annotation.people.models import Project
from annotation.rounds.models import Round
from scoring.engine.forms import StartForm
from scoring.engine.kinds import Action
from scoring.engine.starting import Lack, StartPage
from scoring.kinds.judging import queries as reads
from scoring.kinds.judging.kind import KIND, Judged
from scoring.kinds.judging.queries import CriterionChoice


class JudgeRoundForm(StartForm, record=Judged, leave_out=("criteria",)):
    """Which judge grades a round, and by which of its criteria."""

    field_order = ("judge", "criteria")
    judge = one_of(Judged, "judge")
    criteria = some_of(Judged, "criteria")

    def __init__(
        self, *args: Any, project: Project, choices: Sequence[CriterionChoice], **kwargs: Any
    ) -> None:
        self._keys = [one.key for one in choices]
        kwargs["initial"] = {"criteria": self._keys} | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        known = [(one.rater_id, str(one)) for one in reads.usable(project)]
        self.offer(
            judge=[("", _("Choose a judge")), *known],
            criteria=[(one.key, f"{one.name} ({', '.join(one.rubrics)})") for one in choices],
        )

    def wish(self) -> Judged:
        found: Judged = super().wish()
        all_of_them = set(found.criteria) == set(self._keys)
        return replace(found, criteria=()) if all_of_them else found


class JudgeStart(StartPage):
    name, at = "round_judge", "rounds/<int:number>/judge/"
    kind, form = KIND, JudgeRoundForm
    heading = _("Have it judged by a machine")

    @cached_property
    def of(self) -> Round:
        found = get_object_or_404(reads.rounds_of(self.scope.project), number=self.number)
        found.project = self.scope.project
        return found

    @cached_property
    def n_answers(self) -> int:
        return reads.n_places(self.of)

    @cached_property
    def judges(self) -> list[int]:
        return list(reads.usable(self.scope.project).values_list("rater_id", flat=True)[:2])

    @property
    def title(self) -> str:
        return gettext("Judge “%(name)s”") % {"name": self.of.name}

    @property
    def run_name(self) -> str:
        return gettext("Judging of %(round)s") % {"round": self.of.name}

    @property
    def lead(self) -> str:
        n = self.n_answers
        of = ngettext(
            "One answer, as people see it.",
            "%(n)d answers, as people see them.",
            n,
        )
        return f"{of % {'n': n}} {_('Gold questions and repeats are left out.')}"

    @property
    def chosen(self) -> Mapping[str, Any]:
        only = self.judges[0] if len(self.judges) == 1 else ""
        return {"judge": self.request.GET.get("judge", "") or only}

    @property
    def given(self) -> Mapping[str, Any]:
        return {"choices": reads.choices_of(self.of)}

    @property
    def path(self) -> Sequence[Action]:
        return [
            Action(_("Rounds"), self.url("rounds")),
            Action(self.of.name, self.url("round", self.number)),
        ]

    @property
    def actions(self) -> Sequence[Action]:
        new = Action(_("New judge"), f"{self.url('judge_new')}?round={self.number}")
        return [] if self.of.of_pairs else [new]

    @property
    def note(self) -> Any:
        if self.of.state == Round.State.FINAL:
            return ""
        return _("Judgments are hidden until the round is final.")

    def lack(self, form: Any) -> Lack | None:
        if self.of.of_pairs:
            there = f"{self.url('pairs_new')}?over=round:{self.of.number}"
            return Lack(_("People compare pairs here"), "", Action(_("Judge pairs"), there))
        if not self.n_answers:
            return Lack("", _("This round has no answers that could be judged."))
        if self.judges:
            return None
        return Lack(_("No judge to ask yet"), "", Action(_("New judge"), self.url("judge_new")))


STARTS = (JudgeStart,)
