"""Who belongs to a project, and as what."""

import uuid
from datetime import datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation import permissions
from annotation.forms import people as forms
from annotation.forms import refusals
from annotation.forms.refusals import status_of
from annotation.operations import passwords
from annotation.operations import people as operations
from annotation.permissions import Scope, door
from annotation.queries import invitations, password_links, personal_tokens
from annotation.queries import projects as reads
from evalsite import addresses, errors


@require_GET
@door(permissions.OWNERS)
def people(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List the members of the project, the tokens of theirs that open it, and links that let somebody in."""
    now = timezone.now()
    context = {
        "scope": scope,
        "members": reads.list_members(scope.project),
        "tokens": personal_tokens.reaching(scope.project, now)[: personal_tokens.SHOWN_REACHING],
        "n_open": invitations.open_ones(now).filter(project=scope.project).count(),
        "links": password_links.live(scope.project, now),
    }
    return render(request, "annotation/people.html", context)


@require_POST
@door(permissions.OWNERS)
def password_link_take_back(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Let a link to a new password, mailed to somebody of the project alone, work no more."""
    now = timezone.now()
    found = get_object_or_404(password_links.live(scope.project, now), pk=pk)
    try:
        passwords.take_back(link=found, project=scope.project, by=scope.user, now=now)
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, _("The link does not work any more."))
    return redirect("people", scope.project.slug)


@require_http_methods(["GET", "POST"])
@door(permissions.OWNERS)
def person_add(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Give roles to somebody who has an account."""
    form = forms.AddMember(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            user = operations.add_member(
                project=scope.project,
                username=form.cleaned_data["username"],
                roles=form.chosen(),
                by=scope.user,
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(
                request, _("%(name)s belongs to the project.") % {"name": user.display_name}
            )
            return redirect("people", scope.project.slug)
    context = {"scope": scope, "form": form}
    return render(request, "annotation/person_add.html", context, status=status_of(form))


@require_http_methods(["GET", "POST"])
@door(permissions.OWNERS)
def person_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Make an account for somebody and give them roles."""
    form = forms.NewAccount(request.POST if request.method == "POST" else None)
    if form.is_valid():
        given = form.cleaned_data
        try:
            operations.add_account(
                project=scope.project,
                username=given["username"],
                name=given["name"],
                password=given["password"],
                roles=form.chosen(),
                by=scope.user,
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            done = _("%(name)s can sign in as “%(username)s” with the password you gave.")
            messages.success(request, done % {"name": given["name"], "username": given["username"]})
            return redirect("people", scope.project.slug)
    context = {"scope": scope, "form": form}
    return render(request, "annotation/person_new.html", context, status=status_of(form))


@require_http_methods(["GET", "POST"])
@door(permissions.OWNERS)
def person(request: HttpRequest, scope: Scope, person: uuid.UUID) -> HttpResponse:
    """Change somebody's roles, or end them all; give a new password to whom one made the account."""
    user = get_object_or_404(reads.members_of(scope.project), public_id=person)
    act = request.POST.get("act", "roles")
    sent = request.POST if request.method == "POST" else None
    form = forms.Roles(
        sent if act == "roles" else None,
        may_be_none=True,
        initial={"roles": forms.roles_of(user, scope.project)},
    )
    password = forms.NewPassword(sent if act == "password" else None)
    now = timezone.now()
    try:
        if form.is_valid():
            operations.set_roles(
                project=scope.project, user=user, roles=form.chosen(), by=scope.user, now=now
            )
            messages.success(request, _("The roles are changed."))
            _warn_of_links(request, scope, now)
            return redirect("people", scope.project.slug)
        if password.is_valid():
            given = password.cleaned_data
            passwords.reset_kept(
                user=user,
                new=given["password"],
                by=scope.user,
                password=given["own"],
                address=addresses.of(request),
                now=now,
            )
            messages.success(request, _("The new password is set. Tell it to the person."))
            return redirect("person", scope.project.slug, user.public_id)
    except errors.Refusal as refusal:
        refusals.show(password if password.is_bound else form, refusal)
    context = {
        "scope": scope,
        "person": user,
        "form": form,
        "password": password,
        "may_reset": reads.keeps_account(by=scope.user, user=user),
        "who_keeps": reads.who_keeps(),
    }
    return render(request, "annotation/person.html", context, status=status_of(form, password))


def _warn_of_links(request: HttpRequest, scope: Scope, now: datetime) -> None:
    """Say after a change of roles that links are about: nobody knows who holds one."""
    n_open = invitations.open_ones(now).filter(project=scope.project).count()
    if n_open:
        said = ngettext(
            "%(n)d invitation link works just now. Take it back if this person may have it.",
            "%(n)d invitation links work just now. Take back those that this person may have.",
            n_open,
        )
        messages.warning(request, said % {"n": n_open})
