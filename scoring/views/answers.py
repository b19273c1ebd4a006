"""Have connected releases give the answers they have not given: of a draft, or of all that can be drawn."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation import permissions
from annotation.forms import collecting as choices
from annotation.models import Round
from annotation.permissions import Scope, door
from annotation.queries import collecting as wants
from annotation.queries import rounds
from annotation.queries.collecting import Wanted
from scoring.forms import runs as run_forms
from scoring.forms.connections import AnswersForm
from scoring.models import Run
from scoring.operations import collecting as operations
from scoring.operations.runs.estimating import Estimate
from scoring.queries import answers as reads
from scoring.views import run_start


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def round_answers(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Start a run that fills what a draft lacks."""
    found = get_object_or_404(rounds.of(scope.project), number=number, state=Round.State.DRAFT)
    wanted = wants.of_round(found, timezone.now())
    name = _("Answers for %(round)s") % {"round": found.name}
    back = reverse("round_collect", args=[scope.project.slug, number])
    return _answer(request, scope, wanted, name=name[:120], back=back, round_=found)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def answers(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Start a run that fills what releases lack of the questions that can be drawn."""
    choice = choices.Choice(request.GET, project=scope.project)
    capabilities, releases = choice.chosen()
    wanted = wants.of_bank(scope.project, capabilities, releases, timezone.now())
    back = reverse("collect", args=[scope.project.slug])
    return _answer(request, scope, wanted, name=_("Answers"), back=back)


def _answer(
    request: HttpRequest,
    scope: Scope,
    wanted: Wanted,
    *,
    name: str,
    back: str,
    round_: Round | None = None,
) -> HttpResponse:
    offers = reads.offers(wanted)
    before = run_start.cloned(scope, request.GET.get("from", ""), Run.Kind.COLLECT)
    initial: dict[str, Any] = {"name": name}
    if before is not None:
        initial |= {**run_forms.initial_of(before), **reads.initial_of(before)}
    form = AnswersForm(run_start.sent(request), offers=offers, initial=initial, **run_start.fresh())

    def config(sent: AnswersForm) -> dict[str, Any]:
        given = sent.cleaned_data
        return operations.configure(
            wanted=wanted, releases=given["releases"], samples=given["samples"], round_=round_
        )

    def estimate(sent: AnswersForm) -> Estimate:
        return operations.estimate(project=scope.project, config=config(sent))

    def start(sent: AnswersForm) -> Run:
        begun = sent.start()
        return operations.request_answers(
            project=scope.project,
            key=begun.key,
            name=begun.name,
            config=config(sent),
            seed=begun.seed,
            user=scope.user,
            now=timezone.now(),
            budget=begun.budget,
            round_=round_,
            cloned_from=before,
        )

    return run_start.answer(
        request,
        scope,
        form=form,
        template="scoring/answers.html",
        context={
            "round": round_,
            "offers": offers,
            "back_url": back,
            "can_start": any(one.is_ready for one in offers),
        },
        estimate=estimate,
        start=start,
    )
