"""Kinds of files whose rows belong to another app: it hands in here how they are written."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from django.db.models import QuerySet

from annotation.models import ImportBatch, ImportKind, User
from annotation.rules.tabular.records import Record


class Writer(Protocol):
    """What knows how to write one kind of file."""

    def remember(self, records: list[Record]) -> None: ...
    def prepare(self, records: list[Record]) -> Any: ...
    def write(self, prepared: Any) -> dict[str, int]: ...
    def finish(self, now: datetime) -> None: ...


class Begin(Protocol):
    """Makes what has to be there before the first row is written, within one transaction."""

    def __call__(
        self, *, batch: ImportBatch, report: dict[str, Any], by: User, now: datetime
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class Supplied:
    """How a kind of file is written, and taken away again: leaves first."""

    begin: Begin
    writer: Callable[[ImportBatch, Any], Writer]
    layers: Callable[[ImportBatch], "Iterable[QuerySet[Any]]"]


_KINDS: dict[str, Supplied] = {}


def supply(kind: ImportKind, how: Supplied) -> None:
    """Have another app write the files of a kind. Supplying twice is harmless."""
    _KINDS[kind] = how


def of(kind: str) -> Supplied | None:
    return _KINDS.get(kind)


def layers(batch: ImportBatch) -> "Iterator[QuerySet[Any]]":
    """Yield what another app has to take away; nothing for files that are read here."""
    if how := of(batch.kind):
        yield from how.layers(batch)
