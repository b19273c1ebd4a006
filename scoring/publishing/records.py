"""What is asked of a run's outputs that people are to rate: said once for page, API and command."""

from dataclasses import dataclass
from typing import Annotated, Final
from uuid import UUID

from annotation.common.names import NameKind
from annotation.rounds.rules import (
    FEWEST_SEATS,
    LONGEST_NAME,
    LONGEST_REASON,
    LONGEST_SEED,
    MOST_SEATS,
)
from evalsite.kinds import SLUG, Id, Text, Whole, gettext_noop
from evalsite.records import Ask, Record

#: So many items are written while somebody waits; people have enough to do with them.
MOST: Final = 2000
#: Of the name of a rule.
LONGEST_RULE: Final = 300
#: The share of a choice by rule that is spread evenly, in percent.
LEAST_EVEN, USUAL_EVEN = 5, 25


@dataclass(frozen=True, kw_only=True)
class PublishRubric(Record):
    """A version of a rubric; without a number its newest one, or one that comes with the run."""

    key: Annotated[str, Text(80, empty=False, like=SLUG)]
    number: Annotated[int, Whole(1)] | None = None


@dataclass(frozen=True, kw_only=True)
class PublishAsked(Record):
    """What is rated, and how; `n` left out takes all, a seed left out is drawn."""

    key: Annotated[UUID, Id()]
    name: Annotated[
        str,
        NameKind(LONGEST_NAME, empty=False),
        Ask(gettext_noop("Name of the round"), gettext_noop("Annotators read it: name no system.")),
    ]
    rubric: PublishRubric
    sort: Annotated[
        str,
        Text(40),
        Ask(
            gettext_noop("Rated"),
            gettext_noop(
                "Of an exchange or a turn, people see what went before and rate the answer; of a "
                "whole dialogue, they rate all."
            ),
        ),
    ] = ""
    releases: Annotated[
        tuple[Annotated[int, Whole(1, 2**62)], ...], Ask(gettext_noop("Releases"))
    ] = ()
    n: Annotated[
        Annotated[int, Whole(1, MOST)] | None,
        Ask(
            gettext_noop("How many"),
            gettext_noop("Drawn with known chances, so that figures hold for all. Empty: all."),
        ),
    ] = None
    rule: Annotated[
        str,
        Text(LONGEST_RULE),
        Ask(
            gettext_noop("Drawn sooner"),
            gettext_noop("These come up more often. Every chance is known and kept."),
            blank=True,
        ),
    ] = ""
    even: Annotated[
        int,
        Whole(LEAST_EVEN, 100),
        Ask(
            gettext_noop("Spread evenly, in percent"),
            gettext_noop("So many of them by lot alone: nothing is without a chance."),
            blank=True,
        ),
    ] = USUAL_EVEN
    n_seats: Annotated[
        int,
        Whole(1, MOST_SEATS),
        Ask(gettext_noop("Annotators per question"), gettext_noop("At least three.")),
    ] = FEWEST_SEATS
    override: Annotated[
        str,
        Text(LONGEST_REASON),
        Ask(
            gettext_noop("Why fewer than three"),
            gettext_noop("Only an owner may allow it."),
            blank=True,
        ),
    ] = ""
    seed: Annotated[
        str,
        Text(LONGEST_SEED),
        Ask(gettext_noop("Seed"), gettext_noop("For the draw and the order.")),
    ] = ""
