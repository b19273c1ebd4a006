"""Work on a queue of background jobs."""

import os
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from evalsite import lanes, queue

NICE = 5


class Command(BaseCommand):
    help = (
        "Work on a queue (default, bulk, insight or runs) until stopped; SIGTERM finishes the job in "
        "hand. The worker of default works on bulk too, by processes of its own."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("queue", choices=sorted(settings.RQ_QUEUES))
        parser.add_argument("--once", action="store_true", help="end when the queue is empty")

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["queue"]
        queue.load(settings.QUEUE_PRELOAD.get(name, []))
        late = settings.QUEUE_PRELOAD_LATE.get(name, [])
        if name != "default":
            queue.work(name, once=options["once"], preload=late)
        elif options["once"]:
            for each in ("default", "bulk"):
                queue.work(each, once=True, preload=late)
        else:
            lanes.Lanes(["default", *["bulk"] * settings.BULK_WORKERS], _work).run()


def _work(name: str) -> None:
    """Work on a queue in a process of its own; long work leaves the processor to short work."""
    if name == "bulk":
        os.nice(NICE)
    queue.work(name)
