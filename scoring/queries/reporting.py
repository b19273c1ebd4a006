"""What a report of a round is asked to hold, and which figures it takes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Round
from evalsite import errors
from scoring.queries import cut as cuts
from scoring.queries import labels, movement, reading, rounds, sources
from scoring.queries.cut import Cut, Query
from scoring.queries.labels import Labels
from scoring.queries.movement import Chosen
from scoring.queries.reading import Reading

PEOPLE = ("numbers", "names", "none")
MOVEMENT = "fluctuation"


class BadReport(errors.Invalid):
    """Something that the address asks of a report cannot be used."""

    code = "bad_setting"


@dataclass(frozen=True, slots=True)
class Need:
    """A figure of the report; `key` is its name, for movements with the system behind it."""

    key: str
    name: str
    round: Round
    params: Mapping[str, Any]


@dataclass(frozen=True)
class Choice:
    """What was asked: an earlier round to compare with, how annotators are called, settings.

    `problem` says what of the address could not be used; the usual stands in its place.
    """

    mine: Reading
    cut: Cut
    query: Query
    before: Reading | None
    people: str
    problem: str

    @property
    def with_people(self) -> bool:
        return self.people != "none"

    @property
    def labels(self) -> Labels:
        make = labels.named if self.people == "names" else labels.of
        return make(self.mine.round)

    @property
    def names_are_shown(self) -> bool:
        """Whether systems can be compared with themselves in the earlier round."""
        return self.before is not None and self.before.shown and self.mine.shown

    @property
    def moved(self) -> list[Chosen]:
        """Return the systems of both rounds."""
        if self.before is None or not self.names_are_shown:
            return []
        known = movement.systems(self.before.round, self.mine.round)
        return [
            Chosen(self.before.round, self.mine.round, one)
            for one in sorted(known, key=lambda one: (one.name, one.pk))
        ]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Return what of the address is used, as pairs."""
        return [(name, text) for name, texts in self.query.items() for text in texts]


def read(mine: Reading, query: Query) -> Choice:
    """Return what an address asks of the report of a round."""
    cut = cuts.lenient(mine, query)
    last = {name: texts[-1] for name, texts in query.items() if texts}
    people = last.get("annotators", PEOPLE[0])
    before, problem = _before(mine, last.get("before", ""))
    usable = dict(query)
    for name in sources.TABS:
        try:
            sources.wish(name, mine, usable)
        except errors.Refusal as refusal:
            usable, problem = {}, refusal.message
    return Choice(
        mine, cut, usable, before, people if people in PEOPLE else PEOPLE[0], cut.problem or problem
    )


def _before(mine: Reading, number: str) -> tuple[Reading | None, str]:
    if not number:
        return None, ""
    known = {str(one.number) for one in earlier(mine)}
    if number not in known:
        return None, _("There is no such earlier round with results to compare with.")
    try:
        return reading.allowed(mine.scope, int(number)), ""
    except errors.Refusal as refusal:
        return None, refusal.message


def earlier(mine: Reading) -> list[Round]:
    """Return the rounds that this one can be compared with, newest first."""
    found = rounds.with_results(mine.scope.project).filter(number__lt=mine.round.number)
    return list(found.order_by("-number"))


def needs(choice: Choice) -> list[Need]:
    """Return the figures that the report takes."""
    mine = choice.mine
    made = [
        Need(name, name, mine.round, sources.wish(name, mine, choice.query).params)
        for name in sources.TABS
    ]
    made += [
        Need(f"{MOVEMENT} {one.system.pk}", MOVEMENT, one.after, movement.params(one))
        for one in choice.moved
    ]
    return made
