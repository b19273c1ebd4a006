"""Forms of losses: which texts are asked about, and which share of tokens is looked at.

* Have losses measured on texts of a test that may have been learnt, and see what they say.
"""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation.common.forms import Filter
from annotation.people import permissions
from annotation.people.models import Project
from annotation.people.permissions import Scope, door
from evalsite import errors
from scoring.endpoints import queries as connections
from scoring.engine import files as run_exporting
from scoring.engine import forms as run_forms
from scoring.engine import starting as run_start
from scoring.engine.estimating import Estimate
from scoring.engine.forms import StartForm
from scoring.engine.models import Run
from scoring.figures import pages as waiting
from scoring.figures.models import Figure
from scoring.kinds.interviews import pages as interviews
from scoring.kinds.interviews.forms import sources
from scoring.kinds.losses import operations as losses
from scoring.kinds.losses import queries as loss_results
from scoring.kinds.losses.operations import MOST_TEXTS, Wish
from scoring.kinds.losses.queries import SHARES, Board
from scoring.shown.sheet import stream

SETTINGS = ("train_over", "test_over", "releases", "seed", "texts")


class LossesForm(StartForm):
    """Which systems are asked about which texts."""

    train_over = forms.ChoiceField(
        label=_("Texts to compare with (train)"),
        help_text=_("Such as the train split of a question set: of the same kind, but no test."),
    )
    test_over = forms.ChoiceField(
        label=_("Texts of the test"),
        help_text=_("Such as the test split of the same set, which systems should not know."),
    )
    texts = forms.IntegerField(
        label=_("How many of each"),
        required=False,
        min_value=1,
        max_value=MOST_TEXTS,
        help_text=_("Drawn by lot. Left empty, as many as both have."),
    )
    releases = forms.TypedMultipleChoiceField(
        label=_("Systems"),
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Their endpoints have to tell log-probabilities of a prompt (echo)."),
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        ready = [one for one in connections.of_project(project) if one.is_ready]
        keys = [one.release.pk for one in ready]
        kwargs["initial"] = {"releases": keys} | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        offered = sources(project)
        for name, choices in (
            ("train_over", offered),
            ("test_over", offered),
            ("releases", [(one.release.pk, str(one.release)) for one in ready]),
        ):
            self.fields[name].choices = choices  # type: ignore[attr-defined]
        self.can_start = bool(ready)

    def wish(self) -> Wish:
        return Wish(**{name: self.cleaned_data[name] for name in SETTINGS})


def initial_of(run: Run) -> dict[str, Any]:
    """Return what the form of a clone shows."""
    return {
        "train_over": run.config["train_over"],
        "test_over": run.config["test_over"],
        "texts": len(run.config["train"]),
        "releases": [one["release"] for one in run.config["releases"]],
    }


class ShareFilter(Filter):
    """How many of a text's tokens Min-K% looks at."""

    share = forms.ChoiceField(
        label=_("Least likely tokens"),
        required=False,
        choices=[(str(one), f"Min-{one}%") for one in SHARES],
    )


PAGE = "scoring/kinds/losses/losses.html"


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def losses_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Choose texts of both kinds and systems, see what it would take, and start."""
    before = run_start.cloned(scope, request.GET.get("from", ""), Run.Kind.LOSSES)
    initial: dict[str, Any] = {"name": gettext("Losses")}
    if before is not None:
        initial |= {**run_forms.initial_of(before), **initial_of(before)}
    form = LossesForm(
        run_start.sent(request), project=scope.project, initial=initial, **run_start.fresh()
    )

    def estimate(sent: LossesForm) -> Estimate:
        return losses.check(project=scope.project, wish=sent.wish(), now=timezone.now())

    def start(sent: LossesForm) -> Run:
        begun = sent.start()
        return losses.start(
            project=scope.project,
            wish=sent.wish(),
            key=begun.key,
            name=begun.name,
            user=scope.user,
            now=timezone.now(),
            budget=begun.budget,
            cloned_from=before,
        )

    return run_start.answer(
        request,
        scope,
        form=form,
        template="scoring/kinds/losses/losses_new.html",
        context={"back_url": reverse("runs", args=[scope.project.slug])},
        estimate=estimate,
        start=start,
    )


@require_GET
@door(permissions.UNBLINDED)
def run_losses(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show losses on both kinds of text, their difference, and Min-K% of every system."""
    try:
        reading = loss_results.allowed(scope, number)
    except errors.Refusal as refusal:
        return interviews.closed(request, scope, number, refusal)
    share = loss_results.share_of(request.GET.dict())
    context = {
        "scope": scope,
        "run": reading.run,
        "form": ShareFilter({"share": str(share)}),
        "share": share,
        "query": request.GET.urlencode(),
    }
    figure = losses.figure_of(run=reading.run, share=share, now=timezone.now())
    if wait := waiting.answer(request, [figure], context, page=PAGE):
        return wait
    context |= {"board": Board(figure.data or {}, reading), "ready": figure}
    return render(request, PAGE, context)


@require_GET
@door(permissions.UNBLINDED)
def run_losses_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send every loss as CSV; while they are computed, go to the page that waits for them."""
    there = reverse("run_losses", args=[scope.project.slug, number])
    there = f"{there}?{request.GET.urlencode()}" if request.GET else there
    try:
        reading = loss_results.allowed(scope, number)
    except errors.Refusal:
        return redirect(there)
    share = loss_results.share_of(request.GET.dict())
    figure = losses.figure_of(run=reading.run, share=share, now=timezone.now())
    if figure.state != Figure.State.READY:
        return redirect(there)
    lines = Board(figure.data or {}, reading).csv_lines()
    export = run_exporting.export_lines(
        reading=reading, form="losses.csv", lines=lines, now=timezone.now()
    )
    return stream(export)
