"""Asks the product, inside this process, with the clock at rest and nothing kept of what is asked."""

import json
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import time_machine
from django.conf import settings
from django.core.management import call_command, get_commands, load_command_class
from django.db import connection, transaction
from django.test import Client
from django.test.utils import override_settings

from annotation import models
from annotation.people.models import Role
from tests.recorder import cells, masks, recording, world
from tests.recorder.cells import Cell
from tests.recorder.recording import Answer

#: Later than anything that the worlds hold.
LATER = timedelta(minutes=1)
CHECKSUMS = ("scoring/protocols/checksums.json", "scoring/kinds/checksums.json")


def record(stem: str, share: int, n_shares: int, only: str) -> None:
    """Record a share of all answers on the data folder that the settings name."""
    data = Path(settings.DATA_DIR)
    with _still(data), override_settings(QUEUE_INLINE=True, ALLOWED_HOSTS=["*"]):
        call_command("migrate", verbosity=0, interactive=False)
        asked = [one for one in cells.cells(only) if _is_of(one, share, n_shares)]
        answers = _answers(asked, only, everything=share == 0 and not only)
        n = recording.write(world.ROOT / f"{stem}-{share}.jsonl.gz", answers)
    print(f"{n} answers recorded")  # noqa: T201 -- a command


def _is_of(cell: Cell, share: int, n_shares: int) -> bool:
    return zlib.crc32(cell.name.encode()) % n_shares == share


@contextmanager
def _still(data: Path) -> Iterator[None]:
    with time_machine.travel(world.made_at(data) + LATER, tick=False):
        yield


def _answers(asked: Sequence[Cell], only: str, *, everything: bool) -> Iterator[tuple[str, Answer]]:
    visitors = _Visitors()
    # A first visit lets the figures be computed that a page shows; only the second is recorded.
    chosen = {one.name for one in cells.chosen(only)}
    links = [one for one in _first_visits(visitors, asked) if one.name in chosen]
    _first_visits(visitors, links)
    for cell in [*asked, *links]:
        yield masks.masked(cell.key), visitors.answer(cell)
    if everything:
        yield from _of_the_house()


def _first_visits(visitors: "_Visitors", asked: Sequence[Cell]) -> list[Cell]:
    """Visit pages, and return what an owner's pages lead to besides."""
    print(f"{len(asked)} requests", flush=True)  # noqa: T201 -- a command
    found: dict[tuple[str, str], dict[Cell, None]] = defaultdict(dict)
    for cell in asked:
        if cell.method == "GET":
            page, content = visitors.ask(cell)
            if cell.role == Role.OWNER and "text/html" in page.headers.get("Content-Type", ""):
                for one in cells.linked(content.decode(), cell):
                    found[one.world, one.name][one] = None
    known = set(asked)
    some = (list(links)[: cells.MOST_LINKS] for links in found.values())
    return [link for links in some for link in links if link not in known]


class _Visitors:
    """Everybody of every world, signed in once."""

    def __init__(self) -> None:
        self._clients: dict[str, Client] = {}

    def client(self, cell: Cell) -> Client:
        name = cells.user_name(cell.world, cell.role)
        if name not in self._clients:
            self._clients[name] = Client(raise_request_exception=False)
            if name:
                self._clients[name].force_login(models.User.objects.get(username=name))
        return self._clients[name]

    def ask(self, cell: Cell) -> tuple[Any, bytes]:
        """Return a response, and its body as it is sent."""
        response: Any = self.client(cell).generic(cell.method, cell.path)
        return response, response.getvalue() if response.streaming else response.content

    def answer(self, cell: Cell) -> Answer:
        client = self.client(cell)
        cookies = dict(client.cookies)
        queries = _Counter()
        with _taken_back(), connection.execute_wrapper(queries):
            response, content = self.ask(cell)
        client.cookies.clear()
        client.cookies.update(cookies)
        kind = response.headers.get("Content-Type", "")
        # How long a page is says how it is wrapped; of anything else it is compared.
        aside = {"Content-Length"} if kind.startswith("text/html") else set()
        kept = {
            name: masks.masked(text)
            for name, text in response.headers.items()
            if name not in masks.UNSTEADY_HEADERS | aside
        }
        body = recording.body_of(content, kind)
        n_queries = queries.n if cell.method == "GET" else 0
        return Answer(response.status_code, n_queries, kept, body)


class _Counter:
    """Counts the queries that go past."""

    def __init__(self) -> None:
        self.n = 0

    def __call__(self, execute: Any, sql: Any, params: Any, many: Any, context: Any) -> Any:
        self.n += 1
        return execute(sql, params, many, context)


@contextmanager
def _taken_back() -> Iterator[None]:
    around = transaction.atomic()
    around._from_testcase = True  # type: ignore[attr-defined]  # a durable block may stand in it
    with around:
        yield
        transaction.set_rollback(True)


def _of_the_house() -> Iterator[tuple[str, Answer]]:
    """Yield what is no answer to a request: tables, commands, checksums."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
        yield "tables", _text("\n".join(row[0] for row in cursor.fetchall()))
    ours = {"annotation", "scoring", "evalsite"}
    for name, app in sorted(get_commands().items()):
        if app in ours:
            parser = load_command_class(app, name).create_parser("manage.py", name)
            yield f"help of {name}", _text(parser.format_help())
    for path in CHECKSUMS:
        if (settings.BASE_DIR / path).exists():
            sums = json.loads((settings.BASE_DIR / path).read_text())
            yield "checksums", _text("\n".join(sorted(map(str, _leaves(sums)))))


def _leaves(tree: Any) -> Iterator[Any]:
    if isinstance(tree, dict):
        for below in tree.values():
            yield from _leaves(below)
    else:
        yield tree


def _text(text: str) -> Answer:
    return Answer(200, 0, {}, text)
