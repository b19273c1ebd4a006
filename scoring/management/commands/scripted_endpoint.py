"""Serve the scripted model over HTTP: manage.py scripted_endpoint --port 8089 --faults 429=0.2."""

import asyncio
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from scoring.llm.scripted import server as scripted_server


class Command(BaseCommand):
    help = "Serve a script as if it were a language model, at loopback, with faults by plan. It measures nothing."

    requires_system_checks = ()  # it needs nothing of the site

    def add_arguments(self, parser: ArgumentParser) -> None:
        scripted_server.add_arguments(parser)

    def handle(self, *args: Any, **given: Any) -> None:
        try:
            options = scripted_server.options_of(given)
        except ValueError as problem:
            raise CommandError(str(problem)) from problem
        try:
            asyncio.run(scripted_server.serve(options, given["port"]))
        except OSError as problem:
            raise CommandError(
                f"Port {given['port']} cannot be used: {problem.strerror}."
            ) from problem
        except KeyboardInterrupt:
            self.stdout.write("Stopped.")
