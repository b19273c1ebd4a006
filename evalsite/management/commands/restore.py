"""Bring a backup back into an empty place."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from evalsite.db import backups


class Command(BaseCommand):
    help = "Bring a backup back, after its checksums were compared, where there is no database yet."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="the folder that the backup wrote")
        parser.add_argument(
            "--secrets", type=Path, metavar="FILE", help="the file with the secret key"
        )
        parser.add_argument(
            "--check", action="store_true", help="compare the checksums and bring nothing back"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["check"]:
                found = backups.verified(options["folder"])
                self.stdout.write(
                    f"Whole: {len(found['files'])} files, made at {found['made_at']}."
                )
                return
            found = backups.bring_back(
                source=options["folder"], data=settings.DATA_DIR, secrets=options["secrets"]
            )
        except backups.BackupRefused as refusal:
            raise CommandError(refusal.message) from refusal
        self.stdout.write(
            f"The backup of {found['made_at']} is back. Start the site: manage.py up."
        )
