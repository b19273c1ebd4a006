"""Forms that make a judge and have it grade a round.

* The judges and metrics of a project.
* Make a judge, and have it grade the answers of a round.
"""

from functools import cache
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from annotation.common import forms as refusals
from annotation.common.forms import NameInput, RecordForm
from annotation.common.sentences import gettext
from annotation.people import permissions
from annotation.people.models import Project
from annotation.people.permissions import Scope, asks, shows
from annotation.systems import queries as items
from evalsite.records import parts
from evalsite.web import keyset
from scoring.endpoints import queries as connections
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine import starting as run_start
from scoring.kinds.judging import plugins
from scoring.kinds.judging import queries as reads
from scoring.kinds.judging import settings as operations
from scoring.kinds.judging.settings import JudgeSettings


class JudgeForm(RecordForm):
    """Which model judges; how it is asked is what its kind's settings say (`form_of`)."""

    name = NameInput(
        label=_("Name"), max_length=120, help_text=_("As it stands beside people in every figure.")
    )
    endpoint = forms.ModelChoiceField(
        label=_("Endpoint"),
        queryset=Endpoint.objects.none(),
        empty_label=_("Choose an endpoint"),
        help_text=_("The language model that judges."),
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["endpoint"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = connections.endpoints_of(project)

    def settings(self) -> JudgeSettings:
        kind: Any = self.record
        names = [one.name for one in parts(kind) if one.name in self.cleaned_data]
        made: JudgeSettings = kind(**{name: self.cleaned_data[name] for name in names})
        return made


@cache
def form_of(key: str) -> type[JudgeForm]:
    """Return the form of a kind of judge, made of the record of its settings."""
    kind = plugins.judge_kinds()[key]
    order = {"field_order": ("name", "endpoint", *kind.first)}
    made: Any = type(JudgeForm)
    form: type[JudgeForm] = made("OfAKind", (JudgeForm,), order, record=kind.settings)
    return form


@shows(permissions.UNBLINDED)
def judges(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List the judges and metrics, with their ranges and where their scores came from."""
    page = reads.page(scope.project, after=request.GET.get("after", ""))
    lines = reads.lines(page.rows)
    context = {
        "lines": lines,
        "is_scripted": any(one.is_scripted for one in lines),
        "may_import": scope.may(permissions.CURATORS),
        "has_answers": bool(lines) or items.has_answers(scope.project),
        **keyset.links(request.GET, page),
    }
    return render(request, "scoring/kinds/judging/judges.html", context)


@asks(permissions.CURATORS)
def judge_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Configure a judge; then it is ready to grade the round it was wanted for, or the newest one."""
    kind = request.GET.get("kind", "")
    kind = kind if kind in plugins.judge_kinds() else next(iter(plugins.judge_kinds()))
    form = form_of(kind)(run_start.sent(request), project=scope.project)
    if form.is_bound and form.is_valid():
        with refusals.shown(form):
            judge = operations.create(
                name=form.cleaned_data["name"],
                endpoint=form.cleaned_data["endpoint"],
                settings=form.settings(),
                **scope.deed(),
            )
            messages.success(request, gettext("The judge is ready."))
            return _to_a_round(request, scope, judge)
    context = {
        "form": form,
        "kinds": _kinds(request, kind),
        "about": plugins.judge_kinds()[kind].about,
        "can_make": connections.endpoints_of(scope.project).exists(),
        "may_add": scope.may(permissions.OWNERS),
        "back_url": reverse("judges", args=[scope.project.slug]),
    }
    return render(
        request, "scoring/kinds/judging/judge_new.html", context, status=refusals.status_of(form)
    )


def _kinds(request: HttpRequest, chosen: str) -> list[tuple[str, Any, bool]]:
    """Return the address, name and whether it is chosen of each kind of judge."""
    made = []
    for key, kind in plugins.judge_kinds().items():
        query = request.GET.copy()
        query["kind"] = key
        made.append((f"?{query.urlencode()}", kind.title, key == chosen))
    return made


def _to_a_round(request: HttpRequest, scope: Scope, judge: Judge) -> HttpResponse:
    rounds = reads.rounds_of(scope.project)
    wished = request.GET.get("round", "")
    named = rounds.filter(number=int(wished)) if wished.isascii() and wished.isdigit() else rounds
    found = named.first()
    if found is None:
        return redirect("judges", scope.project.slug)
    url = reverse("round_judge", args=[scope.project.slug, found.number])
    return redirect(f"{url}?judge={judge.rater_id}")
