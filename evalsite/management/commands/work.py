"""Work on a queue of background jobs."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from evalsite import queue


class Command(BaseCommand):
    help = "Work on a queue (default, insight or runs) until stopped; SIGTERM finishes the job in hand."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("queue", choices=sorted(settings.RQ_QUEUES))
        parser.add_argument("--once", action="store_true", help="end when the queue is empty")

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["queue"]
        queue.load(settings.QUEUE_PRELOAD.get(name, []))
        late = settings.QUEUE_PRELOAD_LATE.get(name, [])
        queue.work(name, once=options["once"], preload=late)
