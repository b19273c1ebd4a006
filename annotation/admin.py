"""What operators may change at their desk: who can sign in, and who is an operator."""

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone

from annotation.models import Person, Project, User
from annotation.operations import operators
from evalsite import errors
from evalsite.operators import Rows, site


@admin.register(User, site=site)
class Accounts(Rows):
    open_fields = ("is_active", "is_superuser")
    list_display = (
        "username",
        "public_id",
        "is_active",
        "is_superuser",
        "created_at",
        "last_login",
    )
    list_filter = ("is_active", "is_superuser")
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
            by=request.user,
            now=timezone.now(),
        )


@admin.register(Person, site=site)
class People(Rows):
    list_display = ("name", "email", "daily_mail", "mailed_at")


@admin.register(Project, site=site)
class Projects(Rows):
    list_display = ("slug", "name", "subtitle", "created_at")
