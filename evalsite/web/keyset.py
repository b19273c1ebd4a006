"""Pages of a list by key: the next page starts after the last row seen, however long the list is."""

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from django.db.models import Model, Q, QuerySet
from django.http import QueryDict

T = TypeVar("T", bound=Model)
SIZE = 50


class Turned(Protocol):
    """A page of any list: `after` is the key of what follows, `first` says that nothing comes before."""

    @property
    def after(self) -> str | None: ...

    @property
    def first(self) -> bool: ...


@dataclass(frozen=True)
class Page(Generic[T]):
    """Some rows, and the address of those that follow; `first` says that nothing comes before."""

    rows: list[T]
    after: str | None
    first: bool


def page(rows: "QuerySet[T]", *, by: Sequence[str], after: str = "", size: int = SIZE) -> Page[T]:
    """Return the page of `rows` that follows the key `after`, ordered by the fields `by`.

    The fields must identify a row together, and go all up or all down ("-pk"). A key that cannot
    be read gives the first page.
    """
    names = [name.removeprefix("-") for name in by]
    down = by[0].startswith("-")
    values = read_key(after, len(names))
    if values is not None:
        rows = rows.filter(_beyond(names, values, "lt" if down else "gt"))
    found = list(rows.order_by(*by)[: size + 1])
    shown = found[:size]
    more = len(found) > size
    return Page(
        rows=shown,
        after=write([_value(shown[-1], name) for name in names]) if more else None,
        first=values is None,
    )


def next_url(query: QueryDict, page: Turned) -> str | None:
    """Return the query of the next page, with everything else that stands in this one's."""
    if page.after is None:
        return None
    after = query.copy()
    after["after"] = page.after
    return f"?{after.urlencode()}"


def first_url(query: QueryDict, page: Turned) -> str | None:
    """Return the query of the first page, unless this is it."""
    if page.first:
        return None
    plain = query.copy()
    plain.pop("after", None)
    return f"?{plain.urlencode()}"


def links(query: QueryDict, page: Turned) -> dict[str, str | None]:
    """Return what a page's template is told of the pages beside it."""
    return {"next_url": next_url(query, page), "first_url": first_url(query, page)}


def write(values: Sequence[Any]) -> str:
    text = json.dumps([value if isinstance(value, int) else str(value) for value in values])
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_key(key: str, n_values: int) -> list[Any] | None:
    """Return the values of a key, or None if it is none of ours."""
    values = _decoded(key)
    if values is None or len(values) != n_values:
        return None
    known = all(type(one) in {int, str} and "\0" not in str(one) for one in values)
    small = all(abs(one) < 2**63 for one in values if isinstance(one, int))
    return values if known and small else None


def is_key(text: str) -> bool:
    """Return whether this may be the key of a page: of ours, if of which list is not known."""
    return _decoded(text) is not None


def _decoded(text: str) -> list[Any] | None:
    try:
        values = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (binascii.Error, ValueError, RecursionError):  # lists in lists in lists …
        return None
    return values if isinstance(values, list) else None


def _beyond(names: Sequence[str], values: Sequence[Any], step: str) -> Q:
    """Return the rows whose key is beyond this one.

    The bound on the first field alone says nothing new, but lets a database use its index.
    """
    beyond = Q()
    for place, name in enumerate(names):
        equal = Q(**dict(zip(names[:place], values[:place], strict=True)))
        beyond |= equal & Q(**{f"{name}__{step}": values[place]})
    return Q(**{f"{names[0]}__{step}e": values[0]}) & beyond


def _value(row: Model, name: str) -> Any:
    value: Any = row
    for part in name.split("__"):
        value = getattr(value, part)
    return value
