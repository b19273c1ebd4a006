"""What a draft is made of: one form for each part."""

from collections.abc import Callable
from typing import Any

from django import forms as django_forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation import permissions
from annotation.forms import refusals
from annotation.forms import rounds as forms
from annotation.models import Role, Round
from annotation.operations.rounds import drafting
from annotation.permissions import Scope, door
from annotation.queries import own, qualifications
from annotation.queries import rounds as reads
from annotation.queries import systems as system_reads
from annotation.views.rounds import back, find
from evalsite import errors

DRAFT = Round.State.DRAFT


def _edit(
    request: HttpRequest,
    scope: Scope,
    found: Round,
    form: Any,
    save: Callable[[], None],
    template: str = "annotation/round_edit.html",
    **context: Any,
) -> HttpResponse:
    """Show a form, or carry out what was sent and go back to the round."""
    if form.is_bound and form.is_valid():
        try:
            save()
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
            if refusal.fields and [refusal.message] not in refusal.fields.values():
                form.add_error(None, refusal.message)  # the fields say it in short
            status = refusal.status
        else:
            messages.success(request, _("Saved."))
            return back(found)
    else:
        status = refusals.status_of(form)
    context |= {"scope": scope, "round": found, "form": form}
    return render(request, template, context, status=status)


def _sent(request: HttpRequest) -> Any:
    return request.POST if request.method == "POST" else None


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def round_systems(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    found = find(scope, number, DRAFT)
    chosen = set(found.systems.values_list("release_id", flat=True))
    form = forms.Releases(
        _sent(request), project=scope.project, initial={"releases": sorted(chosen)}
    )

    def save() -> None:
        drafting.choose_releases(
            round_=found,
            releases=list(form.cleaned_data["releases"]),
            by=scope.user,
            now=timezone.now(),
        )

    ticked = set(form["releases"].value() or [])
    return _edit(
        request,
        scope,
        found,
        form,
        save,
        "annotation/round_systems.html",
        lines=system_reads.list_systems(scope.project),
        ticked={int(one) for one in ticked if str(one).isdigit()},
    )


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def round_rubrics(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    found = find(scope, number, DRAFT)
    form = forms.Rubrics(_sent(request), round_=found)

    def save() -> None:
        by_capability, rest = form.chosen()
        drafting.choose_rubrics(
            round_=found,
            by_capability=by_capability,
            rest=rest,
            by=scope.user,
            now=timezone.now(),
        )

    return _edit(
        request,
        scope,
        found,
        form,
        save,
        heading=_("Rubrics"),
        lead=_("By which rubric the items of each capability are graded. A round freezes them."),
        by_capability=True,
    )


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def round_annotators(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Choose the annotators of a draft, or of a round that runs."""
    found = find(scope, number, DRAFT, Round.State.OPEN, Round.State.REVIEW)
    places = [one for one in reads.annotators_of(found) if one.annotator.ended_at is None]
    chosen = [one.annotator.rater.user.public_id for one in places if one.annotator.rater.user]
    form = forms.Annotators(_sent(request), project=scope.project, initial={"annotators": chosen})

    def save() -> None:
        drafting.invite(
            round_=found,
            users=list(form.cleaned_data["annotators"]),
            by=scope.user,
            by_owner=scope.may({Role.OWNER}),
            now=timezone.now(),
            override=form.cleaned_data["override"],
        )

    return _edit(
        request,
        scope,
        found,
        form,
        save,
        "annotation/round_annotators.html",
        ticked={str(one) for one in form["annotators"].value() or []},
        people=_people(found, form),
        is_owner=scope.may({Role.OWNER}),
        involved=own.involved(found),
        reasons={
            one.annotator.rater.user_id: one.annotator.override
            for one in places
            if one.annotator.override
        },
    )


def _people(found: Round, form: forms.Annotators) -> list[tuple[Any, list[str], list[str]]]:
    """Return who may be chosen, with what they know about and lack for this round."""
    tags = qualifications.tags_of(found.project)
    users = [one.user for one in form.people]
    lacking = qualifications.names_lacking(found, users)
    return [(one, tags[one.user.pk], lacking.get(one.user.pk, [])) for one in form.people]


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def round_settings(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    found = find(scope, number, DRAFT)
    form: django_forms.Form = forms.SettingsForm(_sent(request), initial=forms.settings_of(found))

    def save() -> None:
        assert isinstance(form, forms.SettingsForm)
        drafting.configure(
            round_=found,
            settings=form.settings(),
            by=scope.user,
            by_owner=scope.may({Role.OWNER}),
            now=timezone.now(),
        )

    return _edit(request, scope, found, form, save, heading=_("Settings"), lead="")
