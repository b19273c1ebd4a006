"""What an annotator is answered, in worlds that differ only in what they must not know.

Read by tests/test_blindness.py; tests/blind_worlds.py makes the worlds.
"""

import itertools
import re
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from annotation.grading import seating
from evalsite.web import logs
from tests.blind_worlds import ELSEWHERE, N_ITEMS, SLUG, Flavour, build, tokens_of

__all__ = ["SLUG", "Answer", "Flavour", "ask", "build", "crawl", "harm", "journey"]


@dataclass(frozen=True)
class Answer:
    """What came back for one request, to the last byte."""

    request: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


def routes(
    patterns: Sequence[URLPattern | URLResolver] | None = None, before: tuple[str, ...] = ()
) -> Iterator[tuple[URLPattern, tuple[str, ...]]]:
    """Yield every route of the site with its arguments, those of what it stands below first."""
    for one in get_resolver().url_patterns if patterns is None else patterns:
        names = (*before, *one.pattern.converters)
        if isinstance(one, URLResolver):
            yield from routes(one.url_patterns, names)
        else:
            yield one, names


def values() -> dict[str, list[Any]]:
    """Return what is put into addresses, by the name of the argument."""
    mine, theirs = tokens_of("ann-1"), tokens_of("ann-2")
    return {
        "project": [SLUG, ELSEWHERE, "nowhere"],
        "number": [1, 2, 3, 4, 5, 6, 99],
        "slug": ["annotator", "curator", "nonsense"],
        "token": [*mine, theirs[0], "0" * 26],
        "group": ["questions", "nonsense"],
        "step": ["keys", "training", "people"],
        "why": [*seating.WHY, "nonsense"],
        "pk": [1, 3, 10**9],
        "key": ["factuality", "nothing"],
        "person": [uuid.UUID(int=1000), uuid.UUID(int=1)],
        "place": [0, 1, 99],
        "seat": [0, 1, 99],
        "before": [1, 99],
        "after": [3],
        "system": [1],
        "judge": [1, 99],
        "rater": [1, 99],
        "release": [1, 99],
        "plan": [1, 99],
        "table": ["agreement", "nonsense"],
        "plot": ["agreement", "nonsense"],
        "kind": ["answers", "nonsense"],
        "form": ["long", "wide", "csv", "nonsense"],
    }


class NoRecipe(Exception):
    """An argument of an address that `values` does not know."""


def addresses() -> Iterator[str]:
    """Yield every address of the site an annotator might try, with all arguments that matter."""
    known = values()
    for route, names in routes():
        if unknown := set(names) - known.keys():
            raise NoRecipe(f"Add {sorted(unknown)} of {route.name} to tests/blindness.py.")
        own = (route.name or "").startswith(("grade", "training"))
        first = [_few(known[name], own) if name != "project" else [SLUG] for name in names]
        yield from (_address(route, names, chosen) for chosen in itertools.product(*first))
        if "project" in names:
            other = [known[name] if name == "project" else known[name][:1] for name in names]
            for chosen in itertools.product(*other):
                if chosen[names.index("project")] != SLUG:
                    yield _address(route, names, chosen)


def _few(values: list[Any], own: bool) -> list[Any]:
    """Return all values for an annotator's own pages, and for others one that is and one that is not."""
    return values if own else [values[0], values[-1]]


def _address(route: URLPattern, names: Sequence[str], chosen: Sequence[Any]) -> str:
    return reverse(route.name, kwargs=dict(zip(names, chosen, strict=True)))


def ask(client: Client, method: str, url: str, data: Any = None, **headers: str) -> Answer:
    """Send a request; return all of what comes back."""
    kwargs = {"data": data} if data is not None else {}
    response = getattr(client, method.lower())(url, headers=headers, **kwargs)
    label = f"{method} {url} {data or ''} {headers or ''}".strip()
    return Answer(label, response.status_code, _headers(response), _body(response))


def _headers(response: HttpResponseBase) -> tuple[tuple[str, str], ...]:
    cookies = (
        (f"Set-Cookie {name}", morsel.OutputString()) for name, morsel in response.cookies.items()
    )
    # A name drawn for this request alone, by which the log knows it.
    drawn = re.compile(r"[0-9a-f]{32}")
    named = {logs.HEADER: drawn.sub("(drawn)", response.headers.get(logs.HEADER, ""))}
    kept = {name: named.get(name, value) for name, value in response.headers.items()}
    return (*kept.items(), *cookies)


def _body(response: Any) -> bytes:
    return b"".join(response.streaming_content) if response.streaming else response.content


PROGRAM = {"accept": "application/json"}
PIECE = {"hx-request": "true"}


def crawl(client: Client) -> Iterator[Answer]:
    """Try everything; nothing is changed by it that is not taken back by the caller."""
    for url in addresses():
        if url == reverse("logout"):
            continue
        yield ask(client, "GET", url)
        yield ask(client, "HEAD", url)
        yield ask(client, "OPTIONS", url)
        yield ask(client, "GET", url, **PROGRAM)


def harm(client: Client) -> Iterator[tuple[str, str]]:
    """Yield the requests that may change something: method and address."""
    for url in addresses():
        if url != reverse("logout"):
            yield from ((method, url) for method in ("POST", "PUT", "PATCH", "DELETE"))


#: Parts of names of systems, releases and files in any of the worlds, of an id, of a question, of
#: a person, of a round, and what everybody may find.
SEARCHED = (
    "anar",
    "Kes",
    "spitze",
    "nightly",
    "other",
    "771",
    "Q1",
    "meant",
    "Owner",
    "Round",
    "Gr",
)


def journey(client: Client) -> Iterator[Answer]:
    """Grade as a person would, with the mistakes a person makes."""
    work = reverse("grading", args=[SLUG])
    yield ask(client, "GET", "/")
    yield ask(client, "GET", work)
    following = reverse("grade_next", args=[SLUG, 1])
    for turn in range(N_ITEMS + 1):
        answer = ask(client, "POST", following)
        yield answer
        where = dict(answer.headers)["Location"]
        page = ask(client, "GET", where)
        yield page
        if b"base_rev" not in page.body:
            break
        yield from _grade(client, where, page.body.decode(), turn)
    for name in ("search", "search_json"):
        found = reverse(name, args=[SLUG])
        for words in SEARCHED:
            yield ask(client, "GET", f"{found}?q={words}")
    for number in (1, 3, 4, 5):
        yield ask(client, "GET", reverse("grade_sheet", args=[SLUG, number]))
        yield ask(client, "POST", reverse("grade_next", args=[SLUG, number]))
    yield ask(client, "GET", work)
    yield ask(client, "POST", reverse("logout"))
    yield ask(client, "GET", work)
    yield ask(client, "GET", "/login/")


def _grade(client: Client, where: str, page: str, turn: int) -> Iterator[Answer]:
    names = sorted(set(re.findall(r'name="((?:mark|text)-[^"]+)"', page)))
    rev = re.findall(r'name="base_rev" value="(\d+)"', page)[0]
    full = {**dict.fromkeys(names, "1"), "base_rev": rev, "comment-A": "Good <b>work</b>."}
    full["flag"] = "Is <i>this</i> right?"
    yield ask(client, "POST", where, {names[0]: "2", "base_rev": rev})
    yield ask(client, "POST", where, {**full, names[0]: "7"})
    yield ask(client, "POST", where, {**full, "base_rev": "55"})
    yield ask(client, "POST", where, {**full, "cannot-B": "unreadable"} if turn else full)
    yield ask(client, "GET", where)
    yield ask(client, "POST", where, {**full, names[0]: "0", "base_rev": str(int(rev) + 1)})
    yield ask(client, "POST", where + "back/", {"reason": "knowledge"})
