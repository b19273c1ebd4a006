"""Bring database and static files up to date, and load the demo into an empty database."""

import hashlib
import io
import os
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.apps import apps
from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand
from django.db import OperationalError
from django.http.request import validate_host
from django.utils import timezone

from evalsite import panels as sweeps
from evalsite import queue
from evalsite.supervisor.places import SitePlaces


class Command(BaseCommand):
    help = "Check the settings, bring the database and the static files up to date, load the demo."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--no-demo", action="store_true", help="leave an empty database empty")
        parser.add_argument(
            "--alone",
            action="store_true",
            help="no worker is alive anywhere: hand out again what they had in hand",
        )

        parser.add_argument("--site", default="", help="address of the site, for the set-up link")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            call_command("check", databases=["default"], stdout=io.StringIO(), stderr=io.StringIO())
            call_command("migrate", interactive=False, verbosity=0)
        except OperationalError as problem:
            reason = str(problem).strip().splitlines()[0]
            sys.exit(f"The database does not answer ({reason}). Start it, or correct DATABASE_URL.")
        collect_static()
        if not options["no_demo"] and not settings.PRODUCTION:
            with queue.not_up_yet():
                load_demo(SitePlaces(settings.DATA_DIR))
        if "set_up_link" in get_commands():
            site = known_site(options["site"])
            call_command("set_up_link", if_needed=True, site=site, stdout=self.stdout)
        if options["alone"]:
            for start in sweeps.starts().values():
                start(timezone.now())


def known_site(address: str) -> str:
    """Return the address at which the server listens, if people may open the site by it; else nothing."""
    host = urlsplit(address).hostname or ""
    return address if validate_host(host, settings.ALLOWED_HOSTS) else ""


def collect_static() -> None:
    """Collect the static files, unless nothing changed since they were last collected."""
    stamp_file = settings.STATIC_ROOT / ".stamp"
    stamp = _stamp()
    if stamp_file.exists() and stamp_file.read_text() == stamp:
        return
    call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    stamp_file.write_text(stamp)


def run_load_demo(said: io.StringIO) -> None:
    if "load_demo" in get_commands():
        call_command("load_demo", stdout=said)


def load_demo(places: SitePlaces, load: Callable[[io.StringIO], object] = run_load_demo) -> None:
    """Load the demo into a database that has no project yet, and keep what it says of its accounts."""
    if apps.get_model("annotation", "Project")._default_manager.exists():
        return
    said = io.StringIO()
    load(said)
    if not said.getvalue():
        return
    handle = os.open(places.demo_accounts, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(said.getvalue())


def _stamp() -> str:
    digest = hashlib.sha256(settings.STORAGES["staticfiles"]["BACKEND"].encode())
    for finder in finders.get_finders():
        for path, storage in sorted(finder.list([]), key=lambda found: found[0]):
            status = Path(storage.path(path)).stat()
            digest.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()
