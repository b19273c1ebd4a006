"""What kinds of runs come to: each says it in a module `outcome` of its folder, and is found by being there.

Such a module has `OUTCOMES`: what a run of the kind comes to, each with a name that stands in addresses. Page,
files, the answer of the API and the choices that both take follow from it.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, ClassVar

from django.http import Http404, QueryDict
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from annotation.people.permissions import Scope
from annotation.systems.models import SystemRelease
from evalsite import errors
from scoring.engine import queries as run_reading
from scoring.engine.kinds import Action, modules
from scoring.engine.models import Run, Step
from scoring.engine.queries import RunReading
from scoring.figures import operations as figures
from scoring.figures.models import Figure
from scoring.outcomes.values import Contender, Data, RunOutcome, Words


class StillHidden(errors.Conflict):
    """The round of the run is not final yet."""


@dataclass(frozen=True)
class OutcomeChoice:
    """Something that can be chosen in an address: its values in words, the usual one first.

    `is_main` is asked for at once; the others are folded. `usual` is taken where it is not the first.
    """

    name: str
    label: Words
    values: Mapping[str, Words]
    about: str = ""
    is_main: bool = True
    usual: str = ""

    def of(self, query: Mapping[str, Any]) -> str:
        """Return what an address or a figure asks for; a value that is none of ours is the usual one."""
        asked = str(query.get(self.name) or "")
        return asked if asked in self.values else self.usual or next(iter(self.values))


class OutcomeKind:
    """What a run of a kind comes to: the class is of the kind, an object of one run that somebody reads.

    Args:
        reading: who reads which run.
        query: what their address chooses.
    """

    name: ClassVar[str]
    of: ClassVar[Run.Kind]
    title: ClassVar[Words]
    #: What the API says of it, and what every run of the kind has to choose from.
    summary: ClassVar[str]
    documented: ClassVar[Sequence[OutcomeChoice]] = ()
    #: Its page asks again by itself while the run works.
    asks_again: ClassVar[bool] = False
    #: Of the figure of a run, and the dotted name of what computes it (run, params); "" where there is none.
    figure: ClassVar[str] = ""
    computed_by: ClassVar[str] = ""

    def __init__(self, reading: RunReading, query: QueryDict) -> None:
        self.reading, self.run, self.query = reading, reading.run, query

    @cached_property
    def choices(self) -> Sequence[OutcomeChoice]:
        """Return what can be chosen of this run."""
        return self.documented

    @cached_property
    def chosen(self) -> Mapping[str, str]:
        return {one.name: one.of(self.query.dict()) for one in self.choices}

    @property
    def about(self) -> Words:
        """Return what stands below the heading."""
        return ""

    @property
    def actions(self) -> Sequence[Action]:
        """Return the links at the top of the page."""
        return ()

    @property
    def empty(self) -> tuple[Words, Words]:
        """Return title and text of what stands where nothing is there yet."""
        return "", ""

    @property
    def files(self) -> Sequence[tuple[Words, str, str]]:
        """Return what can be had as a file beside its tables: title, form and address."""
        return ()

    @property
    def presets(self) -> Sequence[tuple[str, str, bool]]:
        """Return choices that have a name: what they are called, their query, whether they are chosen."""
        return ()

    @property
    def version(self) -> str:
        """Return what changes whenever the figure has to be computed anew."""
        return ""

    def wanted(self, now: datetime) -> Mapping[str, Figure]:
        """Return the figures that it is made of, by name; those that are not there are asked for."""
        if not self.figure:
            return {}
        found = figures.of_run(
            name=self.figure, run=self.run, params=self.chosen, now=now, version=self.version
        )
        return {self.figure: found}

    def outcome(self, data: Mapping[str, Data]) -> RunOutcome | None:
        """Return what the run came to, of its figures by name; None where nothing is there yet."""
        raise NotImplementedError

    @classmethod
    def allowed(cls, scope: Scope, number: int) -> RunReading:
        """Return the reading of a run whose outcome this person may read now.

        Raises:
            Http404: there is no such run, or it comes to something else.
            errors.Refusal: it may not be read now.
        """
        found = run_reading.allowed(scope, number)
        if found.run.kind != cls.of:
            raise Http404(_("Runs of this kind have no such results."))
        if found.hides_judges:
            raise StillHidden(_("What was judged can be read once the round is final."))
        return found


class Opened:
    """An outcome with its figures, as far as they are there."""

    def __init__(self, kind: OutcomeKind, now: datetime) -> None:
        self.kind, self.figures = kind, kind.wanted(now)

    @property
    def is_ready(self) -> bool:
        return all(one.state == Figure.State.READY for one in self.figures.values())

    @cached_property
    def outcome(self) -> RunOutcome | None:
        return self.kind.outcome({name: one.data or {} for name, one in self.figures.items()})


@functools.cache
def outcome_kinds() -> Mapping[str, type[OutcomeKind]]:
    """Return everything that runs come to, by name."""
    return {one.name: one for module in modules("outcome") for one in module.OUTCOMES}


def n_ended(run: Run) -> int:
    """Return how many steps of a run have ended: what changes when more is in."""
    return Step.objects.filter(run=run, state__in=(Step.State.DONE, Step.State.FAILED)).count()


def computer(figure: str) -> Callable[[Run, Mapping[str, Any]], Any]:
    """Return what computes a figure of a run by its name.

    Raises:
        KeyError: no kind of run has such a figure.
    """
    known = {one.figure: one.computed_by for one in outcome_kinds().values() if one.figure}
    computed: Callable[[Run, Mapping[str, Any]], Any] = import_string(known[figure])
    return computed


def systems(reading: RunReading, releases: Sequence[int]) -> list[Contender]:
    """Return releases as this person may know them, in their order."""
    rows = SystemRelease.objects.select_related("system").in_bulk(releases)
    return [
        Contender(reading.name_of(rows.get(pk)), reading.mark_of(rows.get(pk))) for pk in releases
    ]
