"""One's own account: name, address, password; and how pages look and listen on this device."""

from django.contrib import messages
from django.contrib.auth import logout, update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.forms import people as forms
from annotation.forms import refusals
from annotation.forms.refusals import status_of
from annotation.models import Person, User
from annotation.operations import leaving, passwords, sign_ins
from annotation.queries import sign_ins as devices
from evalsite import addresses, errors

#: What a key can do on the grading page, in the order of static/js/lib/keys.js.
ACTIONS = (
    ("next", gettext_lazy("Next response")),
    ("previous", gettext_lazy("Previous response")),
    ("ungraded", gettext_lazy("Next ungraded response")),
    ("clear", gettext_lazy("Clear the grade")),
    ("wrong", gettext_lazy("Wrong information: lowest level")),
    ("evidence", gettext_lazy("Mark the selected words as evidence")),
    ("comment", gettext_lazy("Comment")),
    ("cannot", gettext_lazy("Can’t grade")),
    ("diff", gettext_lazy("Compare with the standard answer")),
    ("guide", gettext_lazy("Guide")),
    ("rubric", gettext_lazy("What each level means")),
    ("view", gettext_lazy("Change the view")),
    ("skip", gettext_lazy("Skip the question")),
    ("undo", gettext_lazy("Undo")),
    ("flag", gettext_lazy("Ask the curator about this question")),
    ("earlier", gettext_lazy("Own previous question")),
    ("later", gettext_lazy("Own next question")),
    ("pause", gettext_lazy("Pause")),
    ("help", gettext_lazy("Show the keys")),
)


def note_sign_in(sender: object, request: HttpRequest | None, user: User, **_more: object) -> None:
    """Django's signal: somebody has signed in, on a page or in a program that has a session."""
    if request is not None and hasattr(request, "session"):
        sign_ins.note(request, user, timezone.now())


@require_http_methods(["GET", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """Show and change one's name and address, or one's password."""
    user = request.user
    assert isinstance(user, User)
    act = request.POST.get("act", "details")
    sent = request.POST if request.method == "POST" else None
    person = Person.objects.filter(user=user).first()
    kept = ("name", "email", "daily_mail")
    shown = {key: getattr(person, key) for key in kept} if person else {}
    details = forms.Details(sent if act == "details" else None, initial=shown)
    password = forms.ChangePassword(sent if act == "password" else None)
    if details.is_bound and details.is_valid() and _edited(user, details, addresses.of(request)):
        messages.success(request, _("Saved."))
        return redirect("account")
    if password.is_bound and password.is_valid() and _changed(request, user, password):
        return redirect("account")
    context = {
        "details": details,
        "password": password,
        "tabs": tabs(request),
        "devices": devices.list_of(user, request.session.session_key, timezone.now()),
    }
    return render(request, "annotation/account.html", context, status=status_of(details, password))


@require_POST
def account_devices(request: HttpRequest) -> HttpResponse:
    """Sign one device out, or every one but this."""
    user = request.user
    assert isinstance(user, User)
    given = request.POST.get("device", "")
    if given == "others":
        ended = sign_ins.end_others(user=user, but=request.session.session_key or "")
        messages.success(request, _("Signed out elsewhere: %(n)d.") % {"n": ended})
    elif given.isdecimal() and sign_ins.end(user=user, pk=int(given)):
        messages.success(request, _("The device is signed out."))
    else:
        messages.info(request, _("This device was signed out already."))
    return redirect("account")


@require_http_methods(["GET", "POST"])
def account_erase(request: HttpRequest) -> HttpResponse:
    """Erase oneself, after the user name and the password are typed."""
    user = request.user
    assert isinstance(user, User)
    form = forms.Erase(request.POST if request.method == "POST" else None)
    status = status_of(form)
    if form.is_valid():
        given = form.cleaned_data
        try:
            leaving.erase_confirmed(
                user=user,
                name_typed=given["name"],
                by=user,
                password=given["password"],
                address=addresses.of(request),
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
            status = refusal.status
        else:
            logout(request)
            return redirect("login")
    context = {"form": form, "tabs": tabs(request)}
    return render(request, "annotation/account_erase.html", context, status=status)


@require_GET
def preferences(request: HttpRequest) -> HttpResponse:
    """Show keys and looks. They belong to the device: its browser keeps them, not the server."""
    context = {"tabs": tabs(request), "actions": ACTIONS}
    return render(request, "annotation/preferences.html", context)


def tabs(request: HttpRequest) -> list[dict[str, object]]:
    """Return the pages of an account."""
    pages = (
        (_("Account"), reverse("account")),
        (_("Tokens"), reverse("account_tokens")),
        (_("Keys and looks"), reverse("preferences")),
    )
    return [{"label": name, "url": url, "current": url == request.path} for name, url in pages]


def _edited(user: User, form: forms.Details, address: str) -> bool:
    try:
        passwords.edit_own(user=user, **form.cleaned_data, address=address, now=timezone.now())
    except errors.Refusal as refusal:
        refusals.show(form, refusal)
        return False
    return True


def _changed(request: HttpRequest, user: User, form: forms.ChangePassword) -> bool:
    given = form.cleaned_data
    try:
        is_taken_out = passwords.change_own(
            user=user,
            old=given["old"],
            new=given["new"],
            address=addresses.of(request),
            but=request.session.session_key or "",
            now=timezone.now(),
        )
    except errors.Refusal as refusal:
        refusals.show(form, refusal)
        return False
    update_session_auth_hash(request, user)
    sign_ins.note(request, user, timezone.now())
    messages.success(
        request,
        _("Your password is changed. Other devices are signed out, and your tokens are revoked."),
    )
    _say_where_links_go(request, user, is_taken_out=is_taken_out)
    return True


def _say_where_links_go(request: HttpRequest, user: User, *, is_taken_out: bool) -> None:
    """Say who could set this password anew by mail: others may have given an address."""
    if is_taken_out:
        said = _(
            "The e-mail that stood here is taken out: whoever made your account knew its first password, "
            "and could have given it. Enter yours."
        )
        messages.warning(request, said)
    elif email := Person.objects.filter(user=user).values_list("email", flat=True).first():
        said = _("A link to a new password goes to %(email)s. Correct that if it is not yours.")
        messages.info(request, said % {"email": email})
