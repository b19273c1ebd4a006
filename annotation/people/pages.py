"""What somebody is answered who comes with a link that does not work; it is counted.

* One's own account: name, address, password, the first own one too; and how pages look and listen on this device.
* One's own tokens: make one, which is shown this once; see when each was used; revoke.
* Links that invite people: made, listed and revoked by owners; opened by whoever got one.
* A new password for somebody who has forgotten theirs: ask for a link, come back with it.
* Who belongs to a project, and as what.
* The page on which people sign in.
* The reference of the API as pages; for everybody but those who only grade.
* The first page of a new site: whoever has the link from its log makes the owner's account.
"""

import uuid
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout, update_session_auth_hash, views
from django.contrib.auth.decorators import login_not_required
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_POST,
    require_safe,
)

from annotation.common import forms as refusals
from annotation.common.forms import status_of
from annotation.common.sentences import gettext as _
from annotation.people import access as passwords
from annotation.people import forms, inviting, permissions, setting_up
from annotation.people import operations as people_operations
from annotation.people import queries as reads
from annotation.people import rights as sign_ins
from annotation.people import tokens as operations
from annotation.people.forms import SignInForm
from annotation.people.models import Invitation, Membership, Person, PersonalToken, User
from annotation.people.permissions import Scope, asks, does, door, shows
from evalsite import errors
from evalsite.contract import pages
from evalsite.web import addresses, languages
from evalsite.web import devices as sign_in_devices


def answer(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """Return the page that says so: 404, or 429 where too many links from one address were wrong."""
    barred = passwords.note_wrong_link(address=addresses.address_of(request), now=timezone.now())
    page = render(
        request, template, {**context, "is_barred": barred}, status=429 if barred else 404
    )
    if barred:
        page.headers["Retry-After"] = str(int(passwords.WITHIN.total_seconds()))
    return page


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
    ("rubric", gettext_lazy("Levels")),
    ("view", gettext_lazy("Change the view")),
    ("skip", gettext_lazy("Skip the question")),
    ("undo", gettext_lazy("Undo")),
    ("flag", gettext_lazy("Ask the curator about this question")),
    ("earlier", gettext_lazy("Own previous question")),
    ("later", gettext_lazy("Own next question")),
    ("pause", gettext_lazy("Pause")),
    ("help", gettext_lazy("Keys")),
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
    details = forms.OwnDetailsForm(sent if act == "details" else None, initial=shown)
    password = forms.ChangePassword(sent if act == "password" else None)
    if (
        details.is_bound
        and details.is_valid()
        and _edited(user, details, addresses.address_of(request))
    ):
        messages.success(request, _("Saved."))
        return redirect("account")
    if password.is_bound and password.is_valid() and _changed(request, user, password):
        return redirect("account")
    context = {
        "details": details,
        "password": password,
        "tabs": tabs(request),
        "devices": reads.devices_of(user, request.session.session_key, timezone.now()),
    }
    return render(
        request, "annotation/people/account.html", context, status=status_of(details, password)
    )


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
        messages.success(request, _("Signed out."))
    else:
        messages.info(request, _("This device was signed out already."))
    return redirect("account")


@require_GET
def preferences(request: HttpRequest) -> HttpResponse:
    """Show keys and looks. They belong to the device: its browser keeps them, not the server."""
    context = {"tabs": tabs(request), "actions": ACTIONS}
    return render(request, "annotation/people/preferences.html", context)


def tabs(request: HttpRequest) -> list[dict[str, object]]:
    """Return the pages of an account."""
    pages = (
        (_("Account"), reverse("account")),
        (_("Tokens"), reverse("account_tokens")),
        (_("Keys and looks"), reverse("preferences")),
    )
    return [{"label": name, "url": url, "current": url == request.path} for name, url in pages]


def _edited(user: User, form: forms.OwnDetailsForm, address: str) -> bool:
    with refusals.shown(form):
        passwords.edit_own(user=user, **form.cleaned_data, address=address, now=timezone.now())
        return True
    return False


def _changed(request: HttpRequest, user: User, form: forms.ChangePassword) -> bool:
    given = form.cleaned_data
    with refusals.shown(form):
        is_taken_out = passwords.change_own(
            user=user,
            old=given["old"],
            new=given["new"],
            address=addresses.address_of(request),
            but=request.session.session_key or "",
            now=timezone.now(),
        )
        _stay_signed_in(request, user, is_taken_out=is_taken_out)
        return True
    return False


@require_http_methods(["GET", "POST"])
@never_cache
def own_password(request: HttpRequest) -> HttpResponse:
    """Set one's own password in place of one that somebody else gave, then go where one was going."""
    user = request.user
    assert isinstance(user, User)
    if not user.must_set_password:
        return redirect("account")
    form = forms.TwiceTyped(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refusals.shown(form):
            is_taken_out = passwords.set_first_own(
                user=user,
                new=form.cleaned_data["new"],
                but=request.session.session_key or "",
                now=timezone.now(),
            )
            _stay_signed_in(request, user, is_taken_out=is_taken_out)
            to = request.GET.get("next", "")
            return redirect(
                to if url_has_allowed_host_and_scheme(to, allowed_hosts=None) else "home"
            )
    context = {"form": form, "user_name": user.username}
    return render(request, "registration/own_password.html", context, status=status_of(form))


def _stay_signed_in(request: HttpRequest, user: User, *, is_taken_out: bool) -> None:
    """Go on with this device after a new password, and say who could set it anew by mail."""
    update_session_auth_hash(request, user)
    sign_ins.note(request, user, timezone.now())
    messages.success(
        request,
        _("Password changed. Other devices are signed out, tokens revoked."),
    )
    if is_taken_out:
        said = _("The e-mail given with your account was removed. Enter yours.")
        messages.warning(request, said)
    elif email := Person.objects.filter(user=user).values_list("email", flat=True).first():
        said = _("Password links go to %(email)s. Correct it if it is not yours.")
        messages.info(request, said % {"email": email})


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
                user=user, address=addresses.address_of(request), now=now, **form.given()
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
        "lines": reads.tokens_of(user, now),
        "tabs": tabs(request),
    }
    return render(request, "annotation/people/account_tokens.html", context, status=status)


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
    messages.success(request, _("Tokens revoked: %(n)d.") % {"n": n})
    return redirect("account_tokens")


BACKEND = "evalsite.web.sessions.Accounts"


@require_http_methods(["GET", "POST"])
@never_cache
@door(permissions.OWNERS)
def invitations(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Make a link, which is shown this once; list those there are."""
    now = timezone.now()
    form = forms.Invite(request.POST if request.method == "POST" else None)
    made: list[inviting.Invited] = []
    if form.is_valid():
        with refusals.shown(form):
            made = _invited(request, scope, form, now)
            _mail(request, scope, made, asked=form.cleaned_data.get("mail", False))
            form = forms.Invite()
    context = {
        "form": form,
        "made": made,
        "opens_only_here": any(inviting.opens_only_here(one.link) for one in made),
        "lines": reads.live_invitations(scope.project, now),
    }
    return render(request, "annotation/people/invitations.html", context, status=status_of(form))


def _invited(
    request: HttpRequest, scope: Scope, form: forms.Invite, now: datetime
) -> list[inviting.Invited]:
    made = inviting.invite_all(
        project=scope.project,
        whom=form.cleaned_data["whom"],
        roles=form.chosen(),
        days=form.cleaned_data["days"],
        mail=form.cleaned_data.get("mail", False),
        by=scope.user,
        now=now,
    )
    site = addresses.of_site(request)
    return [inviting.Invited(one, site + reverse("join", args=[token])) for one, token in made]


def _mail(request: HttpRequest, scope: Scope, made: list[inviting.Invited], *, asked: bool) -> None:
    """Say how many links there are, and what became of mailing them."""
    said = ngettext("%(n)d link made.", "%(n)d links made.", len(made)) % {"n": len(made)}
    messages.success(request, said)
    if not asked:
        return
    unsent = inviting.send(invited=made, by=scope.user)
    n = len(made) - len(unsent)
    messages.success(request, ngettext("%(n)d mailed.", "%(n)d mailed.", n) % {"n": n})
    if unsent:
        said = _("Not mailed, so send their links yourself: %(names)s.")
        names = ", ".join(one.invitation.whom for one in unsent)
        messages.warning(request, said % {"names": names})


@does(permissions.OWNERS)
def invitation_revoke(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Take a link back."""
    found = get_object_or_404(Invitation, project=scope.project, pk=pk)
    with refusals.told(request):
        inviting.revoke(invitation=found, **scope.who())
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
        return answer(request, "annotation/people/join.html", {"found": None})
    languages.settle(request, found.project.language)
    user = request.user if isinstance(request.user, User) else None
    sent = request.POST if request.method == "POST" else None
    named = inviting.name_in(found.whom)
    form = Form(sent) if user else forms.Join(sent, initial={"name": named})
    with refusals.shown(form):
        if user and sent is not None:
            project = inviting.accept(token=token, user=user, now=now)
            return redirect("project_home", project.slug)
        if form.is_valid():
            made = inviting.accept_as_new(token=token, **form.cleaned_data, now=now)
            people_operations.keep_language(user=made, language=found.project.language)
            login(request, made, backend=BACKEND)
            _say_user_name(request, made, form)
            refused = redirect("project_home", found.project.slug)
            sign_in_devices.remember(request, refused, made.username)
            return refused
    context = {
        "found": found,
        "by": found.created_by.display_name,
        "roles": languages.listed(one.label for one in reads.in_order(found.roles)),
        "form": form,
        "user": user,
        "sign_in": f"{reverse('login')}?next={request.path}",
    }
    return render(request, "annotation/people/join.html", context, status=status_of(form))


def _say_user_name(request: HttpRequest, user: User, form: Form) -> None:
    """Say what somebody signs in as who left that to be made from their name."""
    if not form.cleaned_data["username"]:
        said = _("Your user name is “%(username)s”: sign in with it next time.")
        messages.success(request, said % {"username": user.username})


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
            from_address=addresses.address_of(request),
            site=addresses.of_site(request),
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
        with refusals.shown(form):
            passwords.set_by_link(
                public_id=person, token=token, new=form.cleaned_data["new"], now=timezone.now()
            )
            logout(request)
            said = _("Password changed, devices signed out, tokens revoked. Sign in with it.")
            messages.success(request, said)
            return redirect("login")
    template = "registration/password_link.html"
    if user is None:
        refused = answer(request, template, {"form": form, "user_name": ""})
    else:
        context = {"form": form, "user_name": user.username}
        refused = render(request, template, context, status=status_of(form))
    refused["Referrer-Policy"] = "no-referrer"
    return refused


@shows(permissions.OWNERS)
def people(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List the members of the project, the tokens of theirs that open it, and links that let somebody in."""
    now = timezone.now()
    context = {
        "members": reads.list_members(scope.project),
        "tokens": reads.reaching(scope.project, now)[: reads.SHOWN_REACHING],
        "n_open": reads.open_ones(now).filter(project=scope.project).count(),
        "links": reads.live(scope.project, now),
    }
    return render(request, "annotation/people/people.html", context)


@does(permissions.OWNERS)
def password_link_take_back(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Let a link to a new password, mailed to somebody of the project alone, work no more."""
    now = timezone.now()
    found = get_object_or_404(reads.live(scope.project, now), pk=pk)
    with refusals.told(request):
        passwords.take_back(link=found, project=scope.project, by=scope.user, now=now)
        messages.success(request, _("The link does not work any more."))
    return redirect("people", scope.project.slug)


@asks(permissions.OWNERS)
def person_add(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Give roles to somebody who has an account."""
    form = forms.AddMember(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refusals.shown(form):
            user = people_operations.add_member(
                username=form.cleaned_data["username"], roles=form.chosen(), **scope.deed()
            )
            messages.success(
                request, _("%(name)s belongs to the project.") % {"name": user.display_name}
            )
            return redirect("people", scope.project.slug)
    context = {"form": form}
    return render(request, "annotation/people/person_add.html", context, status=status_of(form))


@asks(permissions.OWNERS)
def person_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Make an account for somebody and give them roles."""
    form = forms.NewAccount(request.POST if request.method == "POST" else None)
    if form.is_valid():
        given = form.cleaned_data
        with refusals.shown(form):
            made = people_operations.add_account(
                username=given["username"],
                name=given["name"],
                password=given["password"],
                roles=form.chosen(),
                **scope.deed(),
            )
            done = _("%(name)s can sign in as “%(username)s”.")
            messages.success(request, done % {"name": given["name"], "username": made.username})
            return redirect("people", scope.project.slug)
    context = {"form": form}
    return render(request, "annotation/people/person_new.html", context, status=status_of(form))


@asks(permissions.OWNERS)
def person(request: HttpRequest, scope: Scope, person: uuid.UUID) -> HttpResponse:
    """Change somebody's roles, or end them all; give a new password to whom one made the account."""
    user = get_object_or_404(reads.members_of(scope.project), public_id=person)
    act = request.POST.get("act", "roles")
    sent = request.POST if request.method == "POST" else None
    form = forms.RolesForm(
        sent if act == "roles" else None,
        may_be_none=True,
        initial={"roles": forms.roles_of(user, scope.project)},
    )
    password = forms.NewPassword(sent if act == "password" else None)
    now = timezone.now()
    with refusals.shown(password if password.is_bound else form):
        if form.is_valid():
            people_operations.set_roles(
                project=scope.project, user=user, roles=form.chosen(), by=scope.user, now=now
            )
            messages.success(request, _("Roles changed."))
            _warn_of_links(request, scope, now)
            return redirect("people", scope.project.slug)
        if password.is_valid():
            given = password.cleaned_data
            passwords.reset_kept(
                user=user,
                new=given["password"],
                by=scope.user,
                password=given["own"],
                address=addresses.address_of(request),
                now=now,
            )
            messages.success(request, _("New password set. Tell it to the person."))
            return redirect("person", scope.project.slug, user.public_id)
    context = {
        "person": user,
        "form": form,
        "password": password,
        "may_reset": reads.keeps_account(by=scope.user, user=user),
        "who_keeps": reads.who_keeps(),
    }
    return render(
        request, "annotation/people/person.html", context, status=status_of(form, password)
    )


def _warn_of_links(request: HttpRequest, scope: Scope, now: datetime) -> None:
    """Say after a change of roles that links are about: nobody knows who holds one."""
    n_open = reads.open_ones(now).filter(project=scope.project).count()
    if n_open:
        said = _("Open invitation links: %(n)d. Withdraw those this person may have.")
        messages.warning(request, said % {"n": n_open})


class SignInView(views.LoginView):
    """Django's page; 429 says to whoever guesses when to go on."""

    authentication_form = SignInForm
    redirect_authenticated_user = True

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        return {**super().get_context_data(**more), "is_new_site": setting_up.is_needed()}

    def form_valid(self, form: Any) -> HttpResponse:
        answer: HttpResponse = super().form_valid(form)
        sign_in_devices.remember(self.request, answer, form.get_user().username)
        return answer

    def form_invalid(self, form: Any) -> HttpResponse:
        answer = super().form_invalid(form)
        if form.is_barred:
            answer.status_code = 429
            answer.headers["Retry-After"] = str(int(passwords.WITHIN.total_seconds()))
        return answer


@require_safe
def api_docs(request: HttpRequest) -> HttpResponse:
    """Show every address of the API, group by group."""
    _let_in(request)
    return render(request, "annotation/people/api_docs.html", {"groups": pages.groups()})


@require_safe
def api_docs_group(request: HttpRequest, group: str) -> HttpResponse:
    """Show a group of addresses: what they take and answer, with examples."""
    _let_in(request)
    chapters = pages.groups()
    place = next((n for n, one in enumerate(chapters) if one.slug == group), None)
    if place is None:
        raise Http404
    shown = {
        "group": chapters[place],
        "before": chapters[place - 1] if place else None,
        "after": chapters[place + 1] if place + 1 < len(chapters) else None,
    }
    return render(request, "annotation/people/api_docs_group.html", shown)


def _let_in(request: HttpRequest) -> None:
    """Raise Http404 for whoever has no role in any project but that of an annotator."""
    mine = Membership.objects.active().with_role(permissions.READERS)
    if not (isinstance(request.user, User) and mine.filter(user=request.user).exists()):
        raise Http404


@require_http_methods(["GET", "POST"])
@never_cache
@login_not_required
def set_up(request: HttpRequest, token: str) -> HttpResponse:
    """Make the first account with the link from the log; a wrong link is counted."""
    now = timezone.now()
    if not setting_up.works(token=token, now=now):
        return _wrong(request)
    form = forms.Join(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refusals.shown(form):
            user = setting_up.make_first_owner(token=token, **form.cleaned_data, now=now)
            login(request, user, backend=BACKEND)
            _say_user_name(request, user, form)
            answer = redirect("project_new")
            sign_in_devices.remember(request, answer, user.username)
            return answer
    page = render(request, "registration/set_up.html", {"form": form}, status=status_of(form))
    page["Referrer-Policy"] = "no-referrer"
    return page


def _wrong(request: HttpRequest) -> HttpResponse:
    is_needed, status = setting_up.is_needed(), 404
    if is_needed:
        doors = passwords.set_up_doors(address=addresses.address_of(request))
        try:
            passwords.begin(doors=doors, now=timezone.now())
        except passwords.TooManyTries as refusal:
            status = refusal.status
    context = {"form": None, "is_needed": is_needed, "is_barred": status != 404}
    return render(request, "registration/set_up.html", context, status=status)


@require_POST
@login_not_required
def choose_language(request: HttpRequest) -> HttpResponse:
    """Read on in another language, on the page where one was."""
    code, back = request.POST.get("language", ""), request.POST.get("next", "")
    is_ours = back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None)
    answer = redirect(back if is_ours else "home")
    try:
        people_operations.check_language(code or "-")
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
        return answer
    if isinstance(request.user, User):
        people_operations.keep_language(user=request.user, language=code)
        return answer
    languages.keep(answer, settings.LANGUAGE_COOKIE_NAME, code)
    return answer
