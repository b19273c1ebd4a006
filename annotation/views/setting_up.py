"""The first page of a new site: whoever has the link from its log makes the owner's account."""

from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.forms import people as forms
from annotation.forms import refusals
from annotation.forms.refusals import status_of
from annotation.operations import failed_tries
from annotation.operations import setting_up as operations
from annotation.queries import setting_up as reads
from evalsite import addresses, devices, errors

BACKEND = "evalsite.sessions.Accounts"


@require_http_methods(["GET", "POST"])
@never_cache
@login_not_required
def set_up(request: HttpRequest, token: str) -> HttpResponse:
    """Make the first account with the link from the log; a wrong link is counted."""
    now = timezone.now()
    if not operations.works(token=token, now=now):
        return _wrong(request)
    form = forms.Join(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            user = operations.make_first_owner(token=token, **form.cleaned_data, now=now)
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            login(request, user, backend=BACKEND)
            answer = redirect("project_new")
            devices.remember(request, answer, user.username)
            return answer
    page = render(request, "registration/set_up.html", {"form": form}, status=status_of(form))
    page["Referrer-Policy"] = "no-referrer"
    return page


def _wrong(request: HttpRequest) -> HttpResponse:
    is_needed, status = reads.is_needed(), 404
    if is_needed:
        doors = failed_tries.set_up_doors(address=addresses.of(request))
        try:
            failed_tries.begin(doors=doors, now=timezone.now())
        except failed_tries.TooManyTries as refusal:
            status = refusal.status
    context = {"form": None, "is_needed": is_needed, "is_barred": status != 404}
    return render(request, "registration/set_up.html", context, status=status)
