"""What operators may change at their desk: who can sign in, start projects, and is an operator."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.people import operations as operators
from annotation.people import tokens as personal_tokens
from annotation.people.models import Person, PersonalToken, Project, User
from evalsite import errors
from evalsite.web.operators import RowsAdmin, site


@admin.register(User, site=site)
class AccountAdmin(RowsAdmin):
    open_fields = ("is_active", "is_superuser", "may_start_projects")
    list_display = (
        "username",
        "public_id",
        "is_active",
        "is_superuser",
        "may_start_projects",
        "created_at",
        "last_login",
    )
    list_filter = ("is_active", "is_superuser", "may_start_projects")
    search_fields = ("username", "public_id__icontains", "person__name")

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return super().changeform_view(request, *args, **kwargs)
        except errors.Refusal as refusal:
            self.message_user(request, refusal.message, messages.ERROR)
            return HttpResponseRedirect(request.path)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        assert isinstance(request.user, User)
        operators.set_account(
            user=obj,
            is_active=obj.is_active,
            is_operator=obj.is_superuser,
            may_start_projects=obj.may_start_projects,
            by=request.user,
            now=timezone.now(),
        )


@admin.register(Person, site=site)
class PersonAdmin(RowsAdmin):
    list_display = ("name", "email", "daily_mail", "mailed_at")


@admin.register(PersonalToken, site=site)
class Tokens(RowsAdmin):
    """Read, and revoked: what a token is stands in no column, not even its hash."""

    list_display = ("pk", "user", "name", "start", "expires_at", "last_used_at", "revoked_at")
    list_select_related = ("user",)
    search_fields = ("start", "user__username")
    actions = ("revoke",)

    @admin.action(description=_("Revoke these tokens"))
    def revoke(self, request: HttpRequest, chosen: "QuerySet[PersonalToken]") -> None:
        assert isinstance(request.user, User)
        now, n_revoked = timezone.now(), 0
        for token in chosen.filter(revoked_at__isnull=True):
            personal_tokens.revoke(token=token, by=request.user, now=now)
            n_revoked += 1
        self.message_user(request, _("Revoked: %(n)d.") % {"n": n_revoked})


@admin.register(Project, site=site)
class Projects(RowsAdmin):
    list_display = ("slug", "name", "subtitle", "created_at")
