"""What somebody found who looked into an annotator's signals.

* Signals of a round's annotators: who needs a look, and what somebody found who looked.
* What the signals of annotators put into the named slots of annotation's pages.
"""

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.core.validators import RegexValidator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _

from annotation.common import forms as refusals
from annotation.common.sentences import gettext, ngettext
from annotation.people import permissions
from annotation.people.models import Rater
from annotation.people.permissions import Scope, asks
from annotation.review import operations as looks
from scoring.figures import labels
from scoring.figures import operations as figures
from scoring.figures import pages as waiting
from scoring.figures.labels import ReadRound
from scoring.results.facts import around
from scoring.watching import queries as watching
from scoring.watching.queries import Signals

#: As the page writes the signals that stand: "gold:12,pace:40".
WRITTEN = r"^((gold|drift|retest|pace):\d{1,9}(,(?!$)|$)){1,4}$"


class LookForm(forms.Form):
    rater = forms.IntegerField(widget=forms.HiddenInput, min_value=1, max_value=2**63 - 1)
    because = forms.CharField(
        label=_("Signals"), widget=forms.HiddenInput, validators=[RegexValidator(WRITTEN)]
    )
    note = forms.CharField(label=_("Finding"), max_length=1000)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.of:  # so that an error leads to the field beside the annotator
            self.auto_id = f"%s-{self.of}"

    @property
    def of(self) -> int | None:
        """Return whose form was sent; None for none."""
        sent = str(self.data.get("rater", ""))
        return int(sent) if sent.isascii() and sent.isdecimal() and len(sent) < 19 else None

    @property
    def signals(self) -> dict[str, Any]:
        """Return the signals that stood on the page, with how much each rested on."""
        parts = [one.split(":") for one in self.cleaned_data["because"].split(",")]
        return {name: int(n) for name, n in parts}


@asks(permissions.UNBLINDED, permissions.CURATORS)
def signals_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show every annotator's signals, those first who need a look; take what was found."""
    mine = labels.of_reading(scope, number)
    context = around(mine, "results_annotators") | {"may_edit": scope.may(permissions.CURATORS)}
    if shut := waiting.closed(request, mine, context):
        return shut
    form = LookForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and _looked(request, mine, form):
        return redirect("results_signals", scope.project.slug, number)
    context["form"] = form
    figure = figures.get(
        name=watching.FIGURE,
        round_=mine.round,
        params=watching.params(mine.round),
        now=timezone.now(),
    )
    status = refusals.status_of(form)
    if wait := waiting.answer(request, [figure], context, page="scoring/results/results_wait.html"):
        wait.status_code = status
        return wait
    found = Signals(figure.data, labels.labels_of(mine.round), watching.looks(mine.round))
    context |= {"figure": figure, "signals": found}
    return render(request, "scoring/watching/results_signals.html", context, status=status)


def _looked(request: HttpRequest, mine: ReadRound, form: LookForm) -> bool:
    rows = Rater.objects.filter(project=mine.scope.project)
    with refusals.shown(form):
        looks.look(
            round_=mine.round,
            rater=get_object_or_404(rows, pk=form.cleaned_data["rater"]),
            because=form.signals,
            note=form.cleaned_data["note"],
            by=mine.scope.user,
            now=timezone.now(),
        )
        messages.success(request, gettext("Kept."))
        return True
    return False


def needs_a_look(*, scope: Scope, now: datetime, **_context: Any) -> list[dict[str, str]] | None:
    """Tell curators in which rounds a signal is raised that nobody has looked into."""
    if not scope.may(permissions.CURATORS):
        return None
    found = watching.watched_rounds(scope.project, scope.user)
    for one in found.stale:  # asked for here, there when the page is looked at again
        wanted = watching.params(one)
        figures.get(name=watching.FIGURE, round_=one, params=wanted, now=now)
    return [
        {
            "title": gettext("%(round)s: signals of annotators") % {"round": one.round.name},
            "text": ngettext(
                "%(n)d annotator to look at, as of %(day)s.",
                "%(n)d annotators to look at, as of %(day)s.",
                one.n,
            )
            % {"n": one.n, "day": date_format(one.at, "j F Y")},
            "url": reverse("results_signals", args=[scope.project.slug, one.round.number]),
        }
        for one in found.open
    ]
