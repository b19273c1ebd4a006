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
from annotation.common.forms import RecordForm, one_of, some_of
from annotation.people import permissions
from annotation.people.models import Project, Role
from annotation.people.permissions import Scope, asks
from annotation.rounds import queries as rounds
from annotation.rounds.models import Round
from annotation.rubrics.models import RubricVersion
from annotation.systems.models import SystemRelease
from scoring.engine.models import Run
from scoring.publishing import choosing, operations
from scoring.publishing import outputs as reads
from scoring.publishing.choosing import GROUPS, PreferenceRule
from scoring.publishing.models import Publication
from scoring.publishing.outputs import OutputSort
from scoring.publishing.records import PublishAsked, PublishRubric


class PublishForm(RecordForm, record=PublishAsked, leave_out=("rubric",)):
    """What of a run's outputs people rate; the rubric is one of the project's, or comes with the run."""

    key = forms.UUIDField(widget=forms.HiddenInput)
    sort = one_of(PublishAsked, "sort", required=True)
    releases = some_of(PublishAsked, "releases")
    rule = one_of(PublishAsked, "rule", required=False)
    rubric = forms.ChoiceField(label=_("Rubric"))
    field_order = ("name", "sort", "releases", "n", "rule", "even", "rubric", "n_seats", "override")

    def __init__(
        self,
        *args: Any,
        project: Project,
        releases: Sequence[SystemRelease],
        sorts: Sequence[OutputSort] = (),
        offered: Mapping[str, Any] | None = None,
        rules: Sequence[PreferenceRule] = (),
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
        self._versions = {str(one.pk): one for one in rounds.versions_of(project)}
        offers: dict[str, Any] = {
            "releases": [(one.pk, str(one)) for one in releases],
            "rubric": _rubrics(self._versions, offered or {}),
            "sort": [(one.key, f"{one.label} ({one.n})") for one in sorts],
            "rule": _rules(rules),
        }
        lacking = {"sort": len(sorts) < 2, "rule": not rules, "even": not rules}
        for name in [name for name, lacks in lacking.items() if lacks]:
            del self.fields[name]
        for name in offers.keys() & self.fields.keys():
            self.fields[name].choices = offers[name]  # type: ignore[attr-defined]

    def asked(self) -> PublishAsked:
        given = {**self.cleaned_data, "releases": tuple(self.cleaned_data["releases"])}
        version = self._versions.get(given["rubric"])
        rubric = PublishRubric(key=given["rubric"])
        if version is not None:
            rubric = PublishRubric(key=version.rubric.key, number=version.number)
        return PublishAsked(**{**given, "rubric": rubric})


def _rules(rules: Sequence[PreferenceRule]) -> list[Any]:
    """Return the rules by what they go by; without one, all outputs are alike."""
    kinds = {title: [one for one in rules if one.kind == kind] for kind, title in GROUPS.items()}
    groups = [
        (title, [(one.key, one.label) for one in some]) for title, some in kinds.items() if some
    ]
    return [("", _("None: all alike")), *groups]


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
        rules=choosing.rules_of(run) if sorts else (),
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
    return operations.publish_run(
        run=run,
        asked=form.asked(),
        seed=secrets.token_hex(8),
        secret=secrets.token_bytes(32),
        user=scope.user,
        by_owner=scope.may({Role.OWNER}),
        now=timezone.now(),
    )
