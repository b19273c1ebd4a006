"""Work on a queue of background jobs."""

import importlib
import importlib.util
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from evalsite import queue


class Command(BaseCommand):
    help = "Work on a queue (default or insight) until stopped; SIGTERM finishes the job in hand."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("queue", choices=sorted(settings.RQ_QUEUES))
        parser.add_argument("--once", action="store_true", help="end when the queue is empty")

    def handle(self, *args: Any, **options: Any) -> None:
        for name in settings.QUEUE_PRELOAD.get(options["queue"], []):
            if importlib.util.find_spec(name):
                importlib.import_module(name)
        queue.work(options["queue"], once=options["once"])
