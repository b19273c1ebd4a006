"""Ask connected systems for the answers that a draft of a round, or the bank, lacks of them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.common.forms import some_of
from annotation.common.sentences import gettext
from annotation.imports import collecting
from annotation.imports.collecting import WantedAnswers
from annotation.rounds import queries as rounds
from annotation.rounds.models import Round
from scoring.engine.forms import StartForm
from scoring.engine.kinds import Action
from scoring.engine.starting import Lack, StartPage
from scoring.kinds.collect import operations as collect
from scoring.kinds.collect.operations import Collected, CollectOffer


class AnswersForm(StartForm, record=Collected, leave_out=("round", "releases", "capabilities")):
    """Of which connected releases answers are collected, and how many of each."""

    field_order = ("releases", "samples")
    releases = some_of(Collected, "releases", required=True)

    def __init__(
        self, *args: Any, offers: list[CollectOffer], given: dict[str, Any], **kwargs: Any
    ) -> None:
        ready = [one for one in offers if one.is_ready]
        keys = [one.release.pk for one in ready]
        kwargs["initial"] = {"releases": keys} | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        self.offer(releases=[(one.release.pk, one.label) for one in ready])
        self._given = given

    def wish(self) -> Collected:
        found: Collected = super().wish()
        return replace(found, **self._given)


class CollectPage(StartPage):
    """What is asked: `wanted` says which answers are missing, `given` what the form does not ask."""

    kind, form = collect.KIND, AnswersForm
    title = _("Ask the systems")
    above, form_title = "scoring/kinds/collect/parts/offers.html", _("The run")
    lead = _("Asks connected releases what they have not answered.")

    @cached_property
    def wanted(self) -> tuple[WantedAnswers, dict[str, Any]]:
        raise NotImplementedError

    @cached_property
    def offers(self) -> list[CollectOffer]:
        return collect.offers(self.wanted[0])

    @property
    def given(self) -> Mapping[str, Any]:
        return {"offers": self.offers, "given": self.wanted[1]}

    def lack(self, form: Any) -> Lack | None:
        if not self.offers:
            text = _("Connect a release with an endpoint.")
            action = Action(_("Systems"), self.url("systems"))
            return Lack(_("Nobody to ask"), text, action)
        if any(one.is_ready for one in self.offers):
            return None
        return Lack(
            "",
            _("No answer is missing, or no release lacking one is connected."),
        )


class AnswersStart(CollectPage):
    """What releases lack of the questions that can be drawn."""

    name, at = "answers", "systems/answers/"
    run_name = _("Answers")

    @cached_property
    def wanted(self) -> tuple[WantedAnswers, dict[str, Any]]:
        project = self.scope.project
        capabilities, releases = collecting.CollectForm(self.request.GET, project=project).chosen()
        found = collecting.of_bank(project, capabilities, releases, timezone.now())
        return found, {"capabilities": tuple(capabilities)}

    @property
    def path(self) -> Sequence[Action]:
        return [
            Action(_("Systems"), self.url("systems")),
            Action(_("Collect answers"), self.url("collect")),
        ]


class RoundAnswersStart(CollectPage):
    """What a draft of a round lacks."""

    name, at = "round_answers", "rounds/<int:number>/answers/"
    note = _("Then prepare the draft again.")

    @cached_property
    def round(self) -> Round:
        drafts = rounds.rounds_of(self.scope.project).filter(state=Round.State.DRAFT)
        return get_object_or_404(drafts, number=self.number)

    @cached_property
    def wanted(self) -> tuple[WantedAnswers, dict[str, Any]]:
        return collecting.of_round(self.round, timezone.now()), {"round": self.round.number}

    @property
    def run_name(self) -> str:
        return gettext("Answers for %(round)s") % {"round": self.round.name}

    @property
    def path(self) -> Sequence[Action]:
        return [
            Action(_("Rounds"), self.url("rounds")),
            Action(self.round.name, self.url("round", self.number)),
            Action(_("Collect answers"), self.url("round_collect", self.number)),
        ]


STARTS = (AnswersStart, RoundAnswersStart)
