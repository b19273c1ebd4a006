"""Erase the person behind an account: `manage.py erase_person USERNAME --yes USERNAME`."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.people.models import User
from annotation.running import operations as leaving
from evalsite import errors


class Command(BaseCommand):
    help = "Erase name, address, user name and password of somebody. Grades and figures stay."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--yes", default="", help="the user name once more, to be sure")

    def handle(self, *args: Any, **options: Any) -> None:
        username, yes = options["username"], options["yes"]
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError(f"Nobody has the user name {username}. Check how it is spelt.")
        if not yes:
            raise CommandError(f"There is no way back. To erase this person, add: --yes {username}")
        try:
            leaving.erase(user=user, name_typed=yes, by=None, now=timezone.now())
        except errors.Refusal as refusal:
            raise CommandError(refusal.message) from refusal
        self.stdout.write(f"Erased. What is kept belongs to {user.public_id}.")
