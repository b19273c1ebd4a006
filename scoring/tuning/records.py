"""What tuning a judge begins with, and what a try and a judgement on a disagreement say."""

from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from annotation.common.names import NameKind
from evalsite.kinds import Choice, Id, Text, Whole, YesNo, gettext_noop
from evalsite.records import Ask, Record
from scoring.engine.kinds import LARGEST_SEED, Budget
from scoring.kinds.judging.models import TuningAside
from scoring.kinds.judging.settings import LANGUAGE_NAMES, Heat, Readings
from scoring.kinds.judging.tuned.kind import MOST_INSTRUCTIONS
from scoring.kinds.judging.tuned.v1 import LANGUAGES

#: Of a note on what changed, and of why people graded an example so.
MOST_NOTE, MOST_REASON = 200, 2000
LEAST_SHARE, MOST_SHARE = 20, 80
Instructions = Annotated[
    str,
    Text(MOST_INSTRUCTIONS),
    Ask(
        gettext_noop("Instructions"),
        gettext_noop("How to grade. Criteria, the answer and the form of the reply are added."),
        rows=14,
        blank=True,
    ),
]


@dataclass(frozen=True, kw_only=True)
class TuningBegin(Record):
    """A judge to be tuned; what is left out has its usual value."""

    name: Annotated[
        str,
        NameKind(100, empty=False),
        Ask(gettext_noop("Name"), gettext_noop("Of the judge; versions get a number behind it.")),
    ]
    round: Annotated[
        int,
        Whole(1, LARGEST_SEED),
        Ask(gettext_noop("Round"), gettext_noop("A final one: its grades are what to agree with.")),
    ]
    endpoint: Annotated[
        str,
        Text(80, empty=False),
        Ask(gettext_noop("Endpoint"), gettext_noop("The language model that judges.")),
    ]
    criteria: Annotated[
        tuple[Annotated[str, Text(120, empty=False)], ...],
        Ask(gettext_noop("Criteria"), gettext_noop("By which it grades. None: all.")),
    ] = ()
    share: Annotated[
        int,
        Whole(LEAST_SHARE, MOST_SHARE),
        Ask(
            gettext_noop("Questions set aside, in percent"),
            gettext_noop("You see nothing of them until you finish: the last figure is fair."),
        ),
    ] = 40
    repeats: Readings = 1
    temperature: Heat = 0.0
    reference: Annotated[
        bool, YesNo(), Ask(gettext_noop("Show it the standard answer and its key points"))
    ] = True
    language: Annotated[
        str,
        Choice(tuple(sorted(LANGUAGES)), titles=LANGUAGE_NAMES),
        Ask(gettext_noop("Language around the instructions")),
    ] = "en"
    #: One is drawn unless it is said; the same one splits a round in the same way.
    seed: Annotated[
        Annotated[int, Whole(0, LARGEST_SEED)] | None,
        Ask(gettext_noop("Seed"), gettext_noop("The same seed sets the same questions aside.")),
    ] = None
    #: The usual ones unless they are given.
    instructions: Annotated[str, Text(MOST_INSTRUCTIONS)] = ""


@dataclass(frozen=True, kw_only=True)
class TuningExample(Record):
    """An answer of the practice part that the judge is shown with people's grades."""

    response: Annotated[int, Whole(1, 2**62)]
    reason: Annotated[str, Text(MOST_REASON)] = ""


@dataclass(frozen=True, kw_only=True)
class TuningTry(Record):
    """Instructions and examples to be tried on the practice answers. The same key is the same try."""

    key: Annotated[UUID, Id()]
    instructions: Instructions = ""
    examples: tuple[TuningExample, ...] = ()
    note: Annotated[
        str,
        NameKind(MOST_NOTE),
        Ask(gettext_noop("What changed"), gettext_noop("In a few words."), blank=True),
    ] = ""
    budget: Budget = None


@dataclass(frozen=True, kw_only=True)
class TuningMeasure(Record):
    """The version to lock and to measure on the questions that were set aside."""

    key: Annotated[UUID, Id()]
    version: Annotated[int, Whole(1, LARGEST_SEED)]
    budget: Budget = None


@dataclass(frozen=True, kw_only=True)
class TuningJudged(Record):
    """A disagreement to be set aside, or ("") to be brought back."""

    response: Annotated[int, Whole(1, 2**62)]
    right: Annotated[str, Choice(("", *TuningAside.Right.values))]


@dataclass(frozen=True, kw_only=True)
class TuningAgain(Record):
    """The name under which a locked judge is tuned on."""

    name: Annotated[str, NameKind(100, empty=False)]
