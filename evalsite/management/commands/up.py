"""Start everything and keep it running: web server, workers, sweeper and an embedded Valkey."""

import contextlib
import http.client
import subprocess
import sys
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from evalsite import env, queue
from evalsite.supervisor import places, site
from evalsite.supervisor.children import ChildProcess
from evalsite.supervisor.site import Supervisor


class Command(BaseCommand):
    help = "Start the site and keep it running. Ctrl-C stops it."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=_port, default=8000, help="8000 unless told otherwise")
        parser.add_argument(
            "--host",
            default="127.0.0.1",
            help="127.0.0.1 (this machine alone) unless told otherwise",
        )
        parser.add_argument("--no-demo", action="store_true", help="leave an empty database empty")

    def handle(self, *args: Any, **options: Any) -> None:
        here = places.SitePlaces(settings.DATA_DIR)
        address = site.ServerAddress(options["host"], options["port"])
        try:
            places.lay_out(here)
            with places.held(here.lock):
                self.run_site(here, address, demo=not options["no_demo"])
        except places.CannotStart as refusal:
            sys.exit(refusal.message)
        except KeyboardInterrupt:
            sys.exit("Stopped before it had started.")
        self.say("Stopped. Everything is saved in the data folder.")

    def run_site(self, here: places.SitePlaces, address: site.ServerAddress, *, demo: bool) -> None:
        """Run until a stop is asked for. The lock is held by the caller."""
        web = site.web(here, address)
        web.end_orphan(b"evalsite.wsgi")
        places.check_free(address.host, address.port)
        with contextlib.suppress(OSError):  # a full disk; commands guess the address then
            here.address.write_text(address.url)
        server = self.queue_server(here)
        self.say("Preparing the database and the static files …")
        if subprocess.run(  # noqa: S603  our own argument list, no shell
            site.prepare_command(demo=demo, alone=bool(server), site=address.url),
            env=site.environment(pool=False),
            check=False,
        ).returncode:
            sys.exit(1)  # it has said why
        supervisor = Supervisor([server, site.workers(here), [web]], self.say)
        with supervisor.signals():
            try:
                for child in server:
                    child.start()
                    site.wait_until_ready(child, here.socket)
                supervisor.watch(
                    is_ready=lambda: _answers(address),
                    announce=lambda: self.announce(here, address),
                )
            finally:
                self.say("Stopping …")
                supervisor.stop()

    def queue_server(self, here: places.SitePlaces) -> list[ChildProcess]:
        """Return the embedded server, or nothing when REDIS_URL names one that answers."""
        if env.text("REDIS_URL"):
            if not queue.is_reachable():
                raise places.CannotStart(
                    "The server that REDIS_URL names does not answer. Start it, correct the address, "
                    "or take REDIS_URL out of the environment to use the embedded one."
                )
            return []
        places.check_socket_path(here.socket)
        site.clear_socket(here.socket)
        return [site.child(here)]

    def announce(self, here: places.SitePlaces, address: site.ServerAddress) -> None:
        """Say where the site is and with which accounts the demo opens."""
        self.say(f"\nevalsite is running at {address.url}\n")
        if here.demo_accounts.exists() and not settings.PRODUCTION:
            self.say(here.demo_accounts.read_text())
        if address.is_open_to_others:
            self.say(
                f"It listens on {address.host}: other machines can reach it. Names under which they open it "
                "must be listed in ALLOWED_HOSTS; demo accounts have published passwords."
            )
        self.say(f"Logs are in {here.logs}. Ctrl-C stops everything.")

    def say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


def _answers(address: site.ServerAddress) -> bool:
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address.host, address.host)  # noqa: S104
    line = http.client.HTTPConnection(host, address.port, timeout=5)
    try:
        line.request("GET", "/login/", headers={"Host": "localhost"})
        return line.getresponse().status < http.client.INTERNAL_SERVER_ERROR
    except (OSError, http.client.HTTPException):
        return False
    finally:
        line.close()


def _port(text: str) -> int:
    if text.isdecimal() and 0 < int(text) < 65536:
        return int(text)
    raise ArgumentTypeError(f"{text!r} is not a port: give a number from 1 to 65535")
