"""A new password for somebody who has forgotten theirs: ask for a link, come back with it."""

import uuid

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.forms import people as forms
from annotation.forms import refusals
from annotation.forms.refusals import status_of
from annotation.operations import passwords
from annotation.views import wrong_links
from evalsite import addresses, errors


@require_http_methods(["GET", "POST"])
@never_cache
@login_not_required
def forgotten(request: HttpRequest) -> HttpResponse:
    """Take a user name or an address; say the same whether or not somebody is called so."""
    form = forms.Forgotten(request.POST if request.method == "POST" else None)
    asked = form.is_valid()
    if asked:
        passwords.ask(
            given=form.cleaned_data["whom"],
            from_address=addresses.of(request),
            site=settings.SITE_ADDRESS or request.build_absolute_uri("/").rstrip("/"),
            now=timezone.now(),
        )
    context = {
        "form": form,
        "asked": asked,
        "hours": settings.PASSWORD_RESET_TIMEOUT // 3600,
        "most": passwords.MOST_FOR_ONE,
    }
    return render(request, "registration/password_forgotten.html", context, status=status_of(form))


@require_http_methods(["GET", "POST"])
@never_cache
@login_not_required
def link(request: HttpRequest, person: uuid.UUID, token: str) -> HttpResponse:
    """Set a new password with a link that came by mail; every device is signed out."""
    user = passwords.user_of(person, token, timezone.now())
    form = forms.TwiceTyped(request.POST if request.method == "POST" else None)
    if user is not None and form.is_valid():
        try:
            passwords.set_by_link(
                public_id=person, token=token, new=form.cleaned_data["new"], now=timezone.now()
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            logout(request)
            said = _(
                "Your password is changed, every device is signed out, and tokens are revoked. Sign in with it."
            )
            messages.success(request, said)
            return redirect("login")
    template = "registration/password_link.html"
    if user is None:
        answer = wrong_links.answer(request, template, {"form": form, "user_name": ""})
    else:
        context = {"form": form, "user_name": user.username}
        answer = render(request, template, context, status=status_of(form))
    answer["Referrer-Policy"] = "no-referrer"
    return answer
