"""Write a backup of this installation while people work."""

import signal
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from evalsite.db import backups


class Command(BaseCommand):
    help = "Write a backup into a new folder: database, files and checksums; secrets into a file of their own."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="a folder that is not there yet")
        parser.add_argument(
            "--secrets",
            type=Path,
            metavar="FILE",
            help="a new file for the secret key, to be kept in another place than the folder",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        # Told to end (by a timer, at a shutdown), it clears up what it had begun.
        signal.signal(signal.SIGTERM, lambda *_signal: sys.exit(128 + signal.SIGTERM))
        try:
            made = backups.make(
                target=options["folder"],
                data=settings.DATA_DIR,
                secrets=options["secrets"],
                now=timezone.now(),
            )
        except backups.BackupRefused as refusal:
            raise CommandError(refusal.message) from refusal
        size = sum(one["size"] for one in made["files"].values())
        self.stdout.write(
            f"{options['folder']}: {len(made['files'])} files, {size / 1e6:.1f} MB, with checksums."
        )
        if options["secrets"]:
            self.stdout.write(
                f"The secret key is in {options['secrets']}: keep it in another place."
            )
        else:
            self.stdout.write(
                "The secret key is not in it. Without it people sign in anew, and keys of endpoints are "
                "set anew; --secrets FILE keeps it."
            )
