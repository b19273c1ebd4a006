"""Load the demo project and print its accounts: manage.py load_demo."""

import secrets
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.demo import loading
from evalsite import env, errors


class Command(BaseCommand):
    help = "Load the demo project (a logistics company) and print its accounts."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--password", default="", help="of all demo accounts; else drawn")

    def handle(self, *args: Any, **options: Any) -> None:
        password = options["password"] or f"northport-{secrets.token_hex(4)}"
        try:
            accounts = loading.load(
                fixtures=env.BASE_DIR / "fixtures",
                password=password,
                secrets=[secrets.token_bytes(32) for _round in range(3)],
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            raise CommandError(
                _("The demo cannot be loaded: %s It may be there already.") % refusal.message
            ) from refusal
        for account in accounts:
            self.stdout.write(f"{account.username:<8}{account.role.label:<12}{account.name}")
        self.stdout.write(_("Password of all of them: %s") % password)
