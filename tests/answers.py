"""Answers of the API held against the OpenAPI document: every field told of, and no other."""

import copy
import functools
import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from evalsite.contract import document as routes
from evalsite.contract.document import JSON, document


def problems(address: str, method: str, status: int, media: str, said: Any) -> list[str]:
    """Return where an answer is not as the document has it.

    Args:
        address: of the route, with `{…}` for what is filled in.
        said: the body, read if it is JSON.
    """
    told = _strict()["paths"][address][method.lower()]["responses"]
    if str(status) not in told:
        return [f"{status} is not told of"]
    way = ["paths", address, method.lower(), "responses", str(status)]
    if "$ref" in told[str(status)]:
        way = told[str(status)]["$ref"].removeprefix("#/").split("/")
    content = functools.reduce(lambda of, name: of[name], way, _strict()).get("content", {})
    if not content:
        return [] if said in (None, b"") else ["there is a body, none is told of"]
    if media not in content:
        return [f"{media} is not told of"]
    return [] if media != JSON else list(_wrong([*way, "content", media, "schema"], said))


def _wrong(way: list[str], said: Any) -> Iterator[str]:
    pointer = "/".join(one.replace("~", "~0").replace("/", "~1") for one in way)
    for one in Draft202012Validator(
        {"$ref": f"urn:api#/{pointer}"}, registry=_registry()
    ).iter_errors(said):
        yield f"{'/'.join(map(str, one.absolute_path))}: {one.message[-300:]}"


@functools.cache
def _strict() -> dict[str, Any]:
    """Return the document with every object closed: a field that is not told of is a mistake."""
    made = copy.deepcopy(document())
    _close(made["paths"])
    _close(made["components"])
    return made


def _close(of: Any) -> None:
    if isinstance(of, dict):
        if of.get("type") == "object" and of.get("properties"):
            of.setdefault("additionalProperties", False)
        for one in of.values():
            _close(one)
    elif isinstance(of, list):
        for one in of:
            _close(one)


@functools.cache
def _registry() -> Registry[Any]:
    whole = Resource.from_contents(_strict(), default_specification=DRAFT202012)
    return Registry().with_resource("urn:api", whole)


@functools.cache
def _addresses() -> dict[str, str]:
    return {one.name: one.address for one in routes.routes()}


def hold(patch: pytest.MonkeyPatch) -> None:
    """From here on every answer that a test's client gets from the API is held against the document."""
    ask = Client.request

    def asked(self: Client, **request: Any) -> Any:
        answer = ask(self, **request)
        match = getattr(answer, "resolver_match", None)
        method = request.get("REQUEST_METHOD", "GET")
        if match is None or match.url_name not in _addresses() or method in {"HEAD", "OPTIONS"}:
            return answer
        address = _addresses()[match.url_name]
        if answer.status_code == 405 or answer.streaming:
            return answer
        media = answer.headers.get("Content-Type", "").partition(";")[0]
        body = json.loads(answer.content) if media == JSON else answer.content
        wrong = problems(address, method, answer.status_code, media, body)
        assert not wrong, f"{method} {address} {answer.status_code}: {wrong}"
        return answer

    patch.setattr(Client, "request", asked)
