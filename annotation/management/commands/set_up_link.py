"""Print the link with which the first account of a site is made."""

from argparse import ArgumentParser
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse
from django.utils import timezone

from annotation.people import setting_up
from evalsite.supervisor.places import SitePlaces


class Command(BaseCommand):
    help = "Print a link that makes the first account, while there is none; the one before works no more."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--site", default="", help="address of the site, if it has none set")
        parser.add_argument(
            "--if-needed", action="store_true", help="say nothing where there are accounts"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            token = setting_up.make_link(now=timezone.now())
        except setting_up.AlreadySetUp as refusal:
            if options["if_needed"]:
                return
            raise CommandError(refusal.message) from refusal
        site = settings.SITE_ADDRESS or options["site"].rstrip("/") or _guessed()
        days = setting_up.WORKS_FOR.days
        self.stdout.write(
            "Nobody has an account yet. This link makes the first one, the owner's. It works once, "
            f"for {days} days; keep it to yourself:\n\n  {site}{reverse('set_up', args=[token])}\n"
        )


def _guessed() -> str:
    """Return the address of the site as far as its settings and its last start say."""
    names = [one for one in settings.ALLOWED_HOSTS if not one.startswith((".", "*"))]
    name = names[0] if names else "localhost"
    return f"https://{name}" if settings.PRODUCTION else f"http://{name}:{_port()}"


def _port() -> int:
    here = SitePlaces(settings.DATA_DIR).address
    return (here.is_file() and urlsplit(here.read_text()).port) or 8000
