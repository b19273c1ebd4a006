"""Make the first account of an installation, which then starts a project and adds the others."""

import getpass
import os
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.people import operations as people
from evalsite import errors

VARIABLE = "EVALSITE_OWNER_PASSWORD"


class Command(BaseCommand):
    help = (
        "Make an account that can sign in and start projects. The password is asked for, or read "
        f"from {VARIABLE}."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--username", required=True, help="for signing in")
        parser.add_argument("--name", required=True, help="as others will see it")
        parser.add_argument(
            "--operator", action="store_true", help="may also see the operators' desk"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            user = people.create_account(
                username=options["username"],
                name=options["name"],
                password=password(),
                by=None,
                now=timezone.now(),
                may_start_projects=True,
            )
        except errors.Refusal as refusal:
            raise CommandError(refusal.message) from refusal
        if options["operator"]:
            people.set_account(
                user=user, is_active=True, is_operator=True, by=None, now=timezone.now()
            )
        self.stdout.write(f"{options['username']} can sign in now, and start projects.")


def password() -> str:
    """Return the password that the environment holds, or that is typed twice."""
    if given := os.environ.get(VARIABLE):
        return given
    try:
        typed = getpass.getpass("Password: ")
        again = getpass.getpass("Once more: ")
    except (EOFError, KeyboardInterrupt) as problem:
        raise CommandError(f"No password was given. Set {VARIABLE}, or type it.") from problem
    if typed != again:
        raise CommandError("The two passwords differ. Nothing was changed; run the command again.")
    return typed
