"""Seal the keys of endpoints under the SECRET_KEY of today."""

from typing import Any

from django.core.management.base import BaseCommand

from scoring.endpoints import testing as endpoint_keys


class Command(BaseCommand):
    help = (
        "Seal the keys of endpoints under today's SECRET_KEY. Run it after a change, while the old "
        "one stands in SECRET_KEY_FALLBACKS; then take the old one out."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        done = endpoint_keys.reseal_keys()
        self.stdout.write(f"{done.n_sealed} sealed anew, {done.n_kept} were up to date.")
        for name in done.broken:
            self.stderr.write(f"{name}: does not open. Have its owner set the key again.")
