"""Give somebody a new password: `manage.py changepassword USERNAME`, in place of Django's command.

Django's leaves alive what got in by the old password.
"""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.management.commands import create_owner
from annotation.people import operations as people
from annotation.people.models import User
from evalsite import errors


class Command(BaseCommand):
    help = (
        "Give somebody a new password; their devices are signed out, their tokens revoked. It is "
        f"asked for, or read from {create_owner.VARIABLE}."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["username"]
        user = User.objects.filter(username__iexact=name).first()
        if user is None:
            raise CommandError(f"Nobody has the user name {name}. Check how it is spelt.")
        try:
            people.reset_password(
                user=user, new=create_owner.password(), by=None, now=timezone.now()
            )
        except errors.Refusal as refusal:
            raise CommandError(refusal.message) from refusal
        self.stdout.write(f"{user.username} signs in with the new password from now on.")
