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

    def under(path: Path, key: int | None) -> Iterator[tuple[Path, N]]:
        for one in sorted(below[key], key=lambda each: (each.position, each.name)):
            yield [*path, one.name], one
            yield from under([*path, one.name], one.pk)

    yield from under([], None)
