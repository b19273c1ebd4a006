"""One's own tokens: make one, which is shown this once; see when each was used; revoke."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.forms import personal_tokens as forms
from annotation.forms import refusals
from annotation.forms.refusals import status_of
from annotation.models import PersonalToken, User
from annotation.operations import passwords
from annotation.operations import personal_tokens as operations
from annotation.queries import personal_tokens as reads
from annotation.views import account
from evalsite import addresses, errors


@require_http_methods(["GET", "POST"])
@never_cache
def tokens(request: HttpRequest) -> HttpResponse:
    """Make a token and show it once; list those there are."""
    user = request.user
    assert isinstance(user, User)
    now = timezone.now()
    form = forms.MakeToken(request.POST if request.method == "POST" else None, user=user)
    status, secret = status_of(form), ""
    if form.is_valid():
        try:
            made = passwords.make_token(
                user=user, address=addresses.of(request), now=now, **form.given()
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
            status = refusal.status
        else:
            secret = made.secret
            form = forms.MakeToken(user=user)
    context = {
        "form": form,
        "secret": secret,
        "lines": reads.list_of(user, now),
        "tabs": account.tabs(request),
    }
    return render(request, "annotation/account_tokens.html", context, status=status)


@require_POST
def token_revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """Let one of one's own tokens work no more."""
    user = request.user
    assert isinstance(user, User)
    found = get_object_or_404(PersonalToken, user=user, pk=pk)
    try:
        operations.revoke(token=found, by=user, now=timezone.now())
    except errors.Refusal as refusal:
        messages.info(request, refusal.message)
    else:
        messages.success(request, _("“%(name)s” does not work any more.") % {"name": found.name})
    return redirect("account_tokens")


@require_POST
def tokens_revoke_all(request: HttpRequest) -> HttpResponse:
    """Let all of one's own tokens work no more."""
    user = request.user
    assert isinstance(user, User)
    n = operations.revoke_all(user=user, by=user, now=timezone.now())
    said = ngettext("%(n)d token was revoked.", "%(n)d tokens were revoked.", n)
    messages.success(request, said % {"n": n})
    return redirect("account_tokens")
