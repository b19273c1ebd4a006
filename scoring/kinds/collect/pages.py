"""What scoring puts into annotation's pages about systems and their answers.

* Forms about who answers as a release, and about collecting its answers.
* Have connected releases give the answers they have not given: of a draft, or of all that can be drawn.
"""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from annotation.imports import collecting
from annotation.imports.collecting import Wanted
from annotation.people import permissions
from annotation.people.permissions import Scope, door
from annotation.rounds import queries as rounds
from annotation.rounds.models import Round
from annotation.systems.models import SystemRelease
from scoring.endpoints import queries as connections
from scoring.engine import forms as run_forms
from scoring.engine import starting as run_start
from scoring.engine.estimating import Estimate
from scoring.engine.forms import StartForm
from scoring.engine.models import Run
from scoring.kinds.collect import operations as collect
from scoring.kinds.collect.operations import MOST_SAMPLES, Offer
from scoring.publishing.models import Publication


def of_release(*, scope: Scope, release: SystemRelease, **_context: Any) -> SafeString:
    """Say what answers as a release."""
    context = {
        "scope": scope,
        "release": release,
        "connection": connections.current([release.pk]).get(release.pk),
        "may_edit": scope.may(permissions.CURATORS),
    }
    return render_to_string("scoring/kinds/collect/parts/release_connection.html", context)


def of_published(*, scope: Scope, round: Round, **_context: Any) -> SafeString | None:
    """Say of a round what it was made of, if it was made of outputs of machines."""
    if not scope.may(permissions.UNBLINDED):
        return None
    one = Publication.objects.filter(round=round).select_related("run").first()
    if one is None:
        return None
    return render_to_string(
        "scoring/kinds/collect/parts/published.html", {"scope": scope, "one": one}
    )


def of_missing_answers(
    *, scope: Scope, wanted: Wanted, round: Round | None, query: str, **_context: Any
) -> SafeString | None:
    """Lead from missing answers to the systems that can be asked for them."""
    if not wanted.n_missing:
        return None
    offers = [one for one in collect.offers(wanted) if one.n_missing]
    url = (
        reverse("round_answers", args=[scope.project.slug, round.number])
        if round
        else reverse("answers", args=[scope.project.slug]) + (f"?{query}" if query else "")
    )
    context = {
        "scope": scope,
        "offers": offers,
        "n_ready": sum(one.is_ready for one in offers),
        "url": url,
    }
    return render_to_string("scoring/kinds/collect/parts/collect_answers.html", context)


class AnswersForm(StartForm):
    """Of which connected releases answers are collected, and how many of each."""

    releases = forms.TypedMultipleChoiceField(
        label=_("Releases"), coerce=int, widget=forms.CheckboxSelectMultiple
    )
    samples = forms.IntegerField(
        label=_("Answers to each question"),
        min_value=1,
        max_value=MOST_SAMPLES,
        initial=1,
        help_text=_("One is what rounds grade; more show how much a system varies."),
    )

    def __init__(self, *args: Any, offers: list[Offer], **kwargs: Any) -> None:
        ready = [one for one in offers if one.is_ready]
        kwargs["initial"] = {"releases": [one.release.pk for one in ready]} | (
            kwargs.get("initial") or {}
        )
        super().__init__(*args, **kwargs)
        self.fields["releases"].choices = [  # type: ignore[attr-defined]
            (one.release.pk, one.label) for one in ready
        ]


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def round_answers(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Start a run that fills what a draft lacks."""
    found = get_object_or_404(rounds.of(scope.project), number=number, state=Round.State.DRAFT)
    wanted = collecting.of_round(found, timezone.now())
    name = gettext("Answers for %(round)s") % {"round": found.name}
    back = reverse("round_collect", args=[scope.project.slug, number])
    return _answer(request, scope, wanted, name=name[:120], back=back, round_=found)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def answers(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Start a run that fills what releases lack of the questions that can be drawn."""
    choice = collecting.Choice(request.GET, project=scope.project)
    capabilities, releases = choice.chosen()
    wanted = collecting.of_bank(scope.project, capabilities, releases, timezone.now())
    back = reverse("collect", args=[scope.project.slug])
    return _answer(request, scope, wanted, name=gettext("Answers"), back=back)


def _answer(
    request: HttpRequest,
    scope: Scope,
    wanted: Wanted,
    *,
    name: str,
    back: str,
    round_: Round | None = None,
) -> HttpResponse:
    offers = collect.offers(wanted)
    before = run_start.cloned(scope, request.GET.get("from", ""), Run.Kind.COLLECT)
    initial: dict[str, Any] = {"name": name}
    if before is not None:
        initial |= {**run_forms.initial_of(before), **collect.initial_of(before)}
    form = AnswersForm(run_start.sent(request), offers=offers, initial=initial, **run_start.fresh())

    def config(sent: AnswersForm) -> dict[str, Any]:
        given = sent.cleaned_data
        return collect.configure(
            wanted=wanted, releases=given["releases"], samples=given["samples"], round_=round_
        )

    def estimate(sent: AnswersForm) -> Estimate:
        return collect.estimate(project=scope.project, config=config(sent))

    def start(sent: AnswersForm) -> Run:
        begun = sent.start()
        return collect.request_answers(
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
        template="scoring/kinds/collect/answers.html",
        context={
            "round": round_,
            "offers": offers,
            "back_url": back,
            "can_start": any(one.is_ready for one in offers),
        },
        estimate=estimate,
        start=start,
    )
