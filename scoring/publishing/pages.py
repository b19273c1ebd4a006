"""Which outputs of a run people rate, how many, and by which rubric.

* Give people outputs of a run to rate: a blind round that is drawn from them.
"""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.common import forms as refusals
from annotation.common.forms import NameField
from annotation.people import permissions
from annotation.people.models import Project, Role
from annotation.people.permissions import Scope, asks
from annotation.rounds import queries as rounds
from annotation.rounds import rules
from annotation.rounds.models import Round
from annotation.rubrics.models import RubricVersion
from annotation.systems.models import SystemRelease
from scoring.engine.models import Run
from scoring.publishing import operations
from scoring.publishing import outputs as reads
from scoring.publishing.models import Publication
from scoring.publishing.operations import MOST, Wish
from scoring.publishing.outputs import Sort


class PublishForm(forms.Form):
    key = forms.UUIDField(widget=forms.HiddenInput)
    name = NameField(
        label=_("Name of the round"),
        max_length=200,
        help_text=_("Annotators read it: name no system."),
    )
    sort = forms.ChoiceField(
        label=_("Rated"),
        help_text=_(
            "Of an exchange or a turn, people see what went before and rate the answer; of a "
            "whole dialogue, they rate all."
        ),
    )
    releases = forms.TypedMultipleChoiceField(
        label=_("Releases"), coerce=int, widget=forms.CheckboxSelectMultiple
    )
    n = forms.IntegerField(
        label=_("How many"),
        required=False,
        min_value=1,
        max_value=MOST,
        help_text=_("Drawn with known chances, so that figures hold for all. Empty: all."),
    )
    rubric = forms.ChoiceField(label=_("Rubric"))
    n_seats = forms.IntegerField(
        label=_("Annotators per question"),
        min_value=1,
        max_value=rules.MOST_SEATS,
        initial=rules.FEWEST_SEATS,
        help_text=_("At least three."),
    )
    override = forms.CharField(
        label=_("Why fewer than three"),
        required=False,
        max_length=rules.LONGEST_REASON,
        help_text=_("Only an owner may allow it."),
    )
    seed = forms.CharField(
        label=_("Seed"),
        max_length=rules.LONGEST_SEED,
        help_text=_("For the draw and the order."),
    )

    def __init__(
        self,
        *args: Any,
        project: Project,
        releases: Sequence[SystemRelease],
        sorts: Sequence[Sort] = (),
        offered: Mapping[str, Any] | None = None,
        key: UUID,
        seed: str,
        **kwargs: Any,
    ) -> None:
        kwargs["initial"] = {
            "key": key,
            "seed": seed,
            "releases": [one.pk for one in releases],
            **(kwargs.get("initial") or {}),
        }
        super().__init__(*args, **kwargs)
        self.fields["releases"].choices = [  # type: ignore[attr-defined]
            (one.pk, str(one)) for one in releases
        ]
        self._versions = {str(one.pk): one for one in rounds.versions_of(project)}
        self.fields["rubric"].choices = _rubrics(self._versions, offered or {})  # type: ignore[attr-defined]
        if len(sorts) < 2:
            del self.fields["sort"]
        else:
            self.fields["sort"].choices = [  # type: ignore[attr-defined]
                (one.key, f"{one.label} ({one.n})") for one in sorts
            ]

    def wish(self, *, secret: bytes) -> Wish:
        given = self.cleaned_data
        return Wish(
            name=given["name"],
            rubric=self._versions.get(given["rubric"]) or given["rubric"],
            seed=given["seed"],
            secret=secret,
            n=given["n"],
            n_seats=given["n_seats"],
            override=given["override"],
        )


def _rubrics(versions: Mapping[str, RubricVersion], offered: Mapping[str, Any]) -> list[Any]:
    """Return the project's rubrics, and those that come with the run."""
    own = [(key, str(one)) for key, one in versions.items()]
    choices: list[Any] = [("", _("Choose a rubric"))]
    if not offered:
        return [*choices, *own]
    there = [(_("Of this project"), own)] if own else []
    return [*choices, (_("The method’s or suite’s own"), list(offered.items())), *there]


def of_run(run: Run) -> dict[str, str] | None:
    """Lead from a run that put something out to people who rate it."""
    if not reads.has_any(run):
        return None
    return {
        "url": reverse("run_publish", args=[run.project.slug, run.number]),
        "text": gettext("Publish for rating"),
    }


@asks(permissions.CURATORS)
def run_publish(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show what a run put out and how it would be rated, or begin the round."""
    run = get_object_or_404(
        Run.objects.select_related("project"), project=scope.project, number=number
    )
    sorts = reads.sorts_of(run)
    units = reads.units(run) if sorts else []
    form = PublishForm(
        request.POST if request.method == "POST" else None,
        project=scope.project,
        releases=reads.releases_in(run, units),
        sorts=sorts,
        offered=operations.rubrics_of(run),
        key=uuid4(),
        seed=secrets.token_hex(8),
        initial={"name": gettext("Machines"), "sort": request.GET.get("sort", "")},
    )
    if form.is_valid():
        with refusals.shown(form):
            made = _publish(scope, run, form)
            messages.success(
                request,
                gettext("Draft being prepared. Choose annotators next."),
            )
            return redirect("round", scope.project.slug, made.number)
    context = {
        "run": run,
        "form": form,
        "n_units": len(units),
        "sorts": sorts if len(sorts) > 1 else (),
        "n_outputs": sum(len(one.outputs) for one in units),
        "publications": Publication.objects.filter(run=run).select_related("round"),
    }
    status = refusals.status_of(form)
    return render(request, "scoring/publishing/run_publish.html", context, status=status)


def _publish(scope: Scope, run: Run, form: PublishForm) -> Round:
    given = form.cleaned_data
    source = operations.source_of(run, sort=given.get("sort", ""), releases=given["releases"])
    return operations.publish_for_rating(
        project=scope.project,
        key=form.cleaned_data["key"],
        source=source,
        wish=form.wish(secret=secrets.token_bytes(32)),
        user=scope.user,
        by_owner=scope.may({Role.OWNER}),
        now=timezone.now(),
    )
