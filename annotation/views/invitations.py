"""Links that invite people: made, listed and revoked by owners; opened by whoever got one."""

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation import permissions
from annotation.forms import people as forms
from annotation.forms import refusals
from annotation.forms.refusals import status_of
from annotation.models import Invitation, User
from annotation.operations import invitations as operations
from annotation.permissions import Scope, door
from annotation.queries import invitations as reads
from annotation.queries import projects
from annotation.views import wrong_links
from evalsite import devices, errors

BACKEND = "evalsite.sessions.Accounts"


@require_http_methods(["GET", "POST"])
@never_cache
@door(permissions.OWNERS)
def invitations(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Make a link, which is shown this once; list those there are."""
    now = timezone.now()
    form = forms.Invite(request.POST if request.method == "POST" else None)
    link = ""
    if form.is_valid():
        try:
            made, token = operations.invite(
                project=scope.project,
                whom=form.cleaned_data["whom"],
                roles=form.chosen(),
                days=form.cleaned_data["days"],
                by=scope.user,
                now=now,
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            link = request.build_absolute_uri(reverse("join", args=[token]))
            form = forms.Invite()
            messages.success(request, _("The link for %(whom)s is made.") % {"whom": made.whom})
    context = {
        "scope": scope,
        "form": form,
        "link": link,
        "lines": reads.list_of(scope.project, now),
    }
    return render(request, "annotation/invitations.html", context, status=status_of(form))


@require_POST
@door(permissions.OWNERS)
def invitation_revoke(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Take a link back."""
    found = get_object_or_404(Invitation, project=scope.project, pk=pk)
    try:
        operations.revoke(invitation=found, by=scope.user, now=timezone.now())
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, _("The link does not work any more."))
    return redirect("invitations", scope.project.slug)


@require_http_methods(["GET", "POST"])
@never_cache
@login_not_required
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Let somebody in who comes with a link: with the account they have, or a new one."""
    now = timezone.now()
    found = reads.open_one(token, now)
    if found is None:
        return wrong_links.answer(request, "annotation/join.html", {"found": None})
    user = request.user if isinstance(request.user, User) else None
    sent = request.POST if request.method == "POST" else None
    form = Form(sent) if user else forms.Join(sent)
    try:
        if user and sent is not None:
            project = operations.accept(token=token, user=user, now=now)
            return redirect("project_home", project.slug)
        if form.is_valid():
            made = operations.accept_as_new(token=token, **form.cleaned_data, now=now)
            login(request, made, backend=BACKEND)
            answer = redirect("project_home", found.project.slug)
            devices.remember(request, answer, made.username)
            return answer
    except errors.Refusal as refusal:
        refusals.show(form, refusal)
    context = {
        "found": found,
        "by": found.created_by.display_name,
        "roles": projects.in_order(found.roles),
        "form": form,
        "user": user,
        "sign_in": f"{reverse('login')}?next={request.path}",
    }
    return render(request, "annotation/join.html", context, status=status_of(form))
