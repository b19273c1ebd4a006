"""Serve a small real language model on this machine: manage.py local_endpoint --port 8088."""

import threading
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from scoring.llm import local


class Command(BaseCommand):
    help = "Serve a small real language model at loopback, OpenAI-compatible. Its scores are worth nothing."

    requires_system_checks = ()  # it needs nothing of the site

    def add_arguments(self, parser: ArgumentParser) -> None:
        standard = local.LocalOptions()
        parser.add_argument("--port", type=int, default=standard.port)
        parser.add_argument("--threads", type=int, default=standard.threads)
        parser.add_argument("--slots", type=int, default=standard.slots, help="requests at once")
        parser.add_argument(
            "--context", type=int, default=standard.context, help="tokens of one request"
        )

    def handle(self, *args: Any, **given: Any) -> None:
        names = ("port", "threads", "slots", "context")
        options = local.LocalOptions(**{name: given[name] for name in names})
        try:
            with local.serving(options) as url:
                self.stdout.write(f"Address: {url}")
                self.stdout.write(f"Model:   {local.MODEL}")
                self.stdout.write(f"Context: {options.context} tokens")
                self.stdout.write(
                    "The site may ask it with EVALSITE_ENDPOINT_NETWORKS=127.0.0.0/8."
                )
                threading.Event().wait()
        except (local.NotInstalled, local.NotStarted) as problem:
            raise CommandError(str(problem)) from problem
        except KeyboardInterrupt:
            self.stdout.write("Stopped.")
