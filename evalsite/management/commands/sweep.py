"""Hand out again what was left lying."""

import logging
import signal
import threading
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import close_old_connections
from django.utils import timezone

from evalsite import panels as sweeps
from evalsite import queue

logger = logging.getLogger(__name__)


class Command(BaseCommand):
    help = "Every few seconds, hand out again what was left lying: expired leases, unanswered doorbells."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--every", type=float, default=10, help="seconds between two rounds")
        parser.add_argument("--once", action="store_true", help="one round, then end")

    def handle(self, *args: Any, **options: Any) -> None:
        stop = threading.Event()
        if not options["once"]:
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_signal: stop.set())
        sweep_all()
        while not options["once"] and not stop.wait(options["every"]):
            sweep_all()


def sweep_all() -> None:
    """Call every sweep once. One that fails does not keep the others from theirs."""
    queue.beat("sweeper")
    for name, sweep in sweeps.registered().items():
        close_old_connections()
        try:
            with queue.sweeping():
                sweep(timezone.now())
        except Exception:
            logger.exception("The sweep %r failed; it is tried again.", name)
