"""Whose answers are missing, and which of them could be collected here."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import ngettext

from annotation.models import SystemRelease
from annotation.queries.collecting import Wanted
from scoring.models import Run, SystemConnection
from scoring.queries import connections


@dataclass(frozen=True)
class Offer:
    """A release that lacks answers, and what would give them."""

    release: SystemRelease
    n_missing: int
    connection: SystemConnection | None

    @property
    def is_ready(self) -> bool:
        """Whether it can be asked just now."""
        return (
            self.n_missing > 0
            and self.connection is not None
            and self.connection.endpoint.retired_at is None
        )

    @property
    def label(self) -> str:
        n = self.n_missing
        said = ngettext("%(n)d answer missing", "%(n)d answers missing", n) % {"n": n}
        return f"{self.release}: {said}"


def offers(wanted: Wanted) -> list[Offer]:
    """Return every release of what is wanted, with what answers as it."""
    found = connections.current(one.release.pk for one in wanted.gaps)
    return [Offer(one.release, one.n_missing, found.get(one.release.pk)) for one in wanted.gaps]


def initial_of(run: Run) -> Mapping[str, Any]:
    """Return what the form of a clone adds: the releases and the number of answers."""
    chosen: Mapping[str, Any] = run.config.get("releases", {})
    return {
        "releases": [one["release"] for one in chosen.values()],
        "samples": run.config.get("samples", 1),
    }
