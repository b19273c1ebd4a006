"""The switch of languages: for whoever is signed in, in the account; before that, on this device."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from annotation.people import operations as people
from annotation.people.models import User
from evalsite import errors
from evalsite.web import languages


@require_POST
@login_not_required
def choose(request: HttpRequest) -> HttpResponse:
    """Read on in another language, on the page where one was."""
    code, back = request.POST.get("language", ""), request.POST.get("next", "")
    is_ours = back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None)
    answer = redirect(back if is_ours else "home")
    try:
        people.check_language(code or "-")
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
        return answer
    if isinstance(request.user, User):
        people.keep_language(user=request.user, language=code)
        return answer
    languages.keep(answer, settings.LANGUAGE_COOKIE_NAME, code)
    return answer
