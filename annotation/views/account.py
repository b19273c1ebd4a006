"""One's own account: name, address, password."""

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation.forms import people as forms
from annotation.forms import refusals
from annotation.forms.refusals import status_of
from annotation.models import Person, User
from annotation.operations import people
from evalsite import errors


@require_http_methods(["GET", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """Show and change one's name and address, or one's password."""
    user = request.user
    assert isinstance(user, User)
    act = request.POST.get("act", "details")
    sent = request.POST if request.method == "POST" else None
    person = Person.objects.filter(user=user).first()
    shown = {"name": person.name, "email": person.email} if person else {}
    details = forms.Details(sent if act == "details" else None, initial=shown)
    password = forms.ChangePassword(sent if act == "password" else None)
    if details.is_bound and details.is_valid():
        people.edit_person(user=user, **details.cleaned_data, now=timezone.now())
        messages.success(request, _("Saved."))
        return redirect("account")
    if password.is_bound and password.is_valid() and _changed(request, user, password):
        return redirect("account")
    context = {"details": details, "password": password}
    return render(request, "annotation/account.html", context, status=status_of(details, password))


def _changed(request: HttpRequest, user: User, form: forms.ChangePassword) -> bool:
    given = form.cleaned_data
    try:
        people.change_password(user=user, old=given["old"], new=given["new"], now=timezone.now())
    except errors.Refusal as refusal:
        refusals.show(form, refusal)
        return False
    update_session_auth_hash(request, user)
    messages.success(request, _("Your password is changed. Other devices are signed out."))
    return True
