"""Paths of areas and capabilities: how records name them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeVar

from annotation.models import Capability, Domain

Path = list[str]
N = TypeVar("N", Capability, Domain)


def walked(rows: Iterable[N]) -> Iterator[tuple[Path, N]]:
    """Yield the nodes of a tree with their paths, each after the one it stands below."""
    below: defaultdict[int | None, list[N]] = defaultdict(list)
    for one in rows:
        below[one.parent_id].append(one)
    left: list[tuple[Path, N]] = [([one.name], one) for one in reversed(_sorted(below[None]))]
    while left:
        path, one = left.pop()
        yield path, one
        left += [([*path, each.name], each) for each in reversed(_sorted(below[one.pk]))]


def _sorted(rows: list[N]) -> list[N]:
    return sorted(rows, key=lambda one: (one.position, one.name))
