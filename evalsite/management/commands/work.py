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
        "Work on a queue (default, bulk, large, insight or runs) until stopped; SIGTERM finishes the "
        "job in hand. The worker of default works on bulk and large too, by processes of its own."
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
            queue.work("default", "bulk", "large", once=True, preload=late)
        else:
            long = ["bulk", *["bulk large"] * (settings.BULK_WORKERS - 1)]
            lanes.Lanes(["default", *long], _work).run()


def _work(names: str) -> None:
    """Work on queues in a process of its own; long work leaves the processor to short work."""
    if names != "default":
        os.nice(NICE)
    queue.work(*names.split())
