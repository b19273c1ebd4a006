"""Who may start projects: `manage.py project_starters [--add USERNAME] [--remove USERNAME]`."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.people import operations as operators
from annotation.people import queries as projects
from annotation.people.models import User
from evalsite import errors


class Command(BaseCommand):
    help = "List who may start projects; let somebody, or take that back."

    def add_arguments(self, parser: CommandParser) -> None:
        one = parser.add_mutually_exclusive_group()
        one.add_argument("--add", metavar="USERNAME", help="let this account start projects")
        one.add_argument(
            "--remove",
            metavar="USERNAME",
            help="no longer, unless it owns a project or is operator",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if given := options["add"] or options["remove"]:
            self._set(given, may=bool(options["add"]))
        self.stdout.write(f"EVALSITE_PROJECT_STARTERS is {settings.PROJECT_STARTERS}.")
        for name in projects.starters().order_by("username").values_list("username", flat=True):
            self.stdout.write(name)

    def _set(self, name: str, *, may: bool) -> None:
        user = User.objects.filter(username__iexact=name).first()
        if user is None:
            raise CommandError(f"Nobody has the user name {name}. Check how it is spelt.")
        try:
            operators.set_account(
                user=user,
                is_active=user.is_active,
                is_operator=user.is_superuser,
                may_start_projects=may,
                by=None,
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            raise CommandError(refusal.message) from refusal
