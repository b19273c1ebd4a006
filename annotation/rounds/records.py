"""What can be set of a round: by the API, on the page."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar
from uuid import UUID

from annotation.common.names import NameKind
from annotation.rounds import rules
from annotation.rounds.models import Round
from evalsite import kinds
from evalsite.kinds import Moment, Text, Whole, YesNo
from evalsite.kinds import gettext_noop as _
from evalsite.records import Ask, Record

Called = Annotated[str, NameKind(rules.LONGEST_NAME), Ask(_("Name"))]
Reason = Annotated[str, Text(rules.LONGEST_REASON)]
BY_OWNER = _("Only an owner may allow it.")


@dataclass(frozen=True)
class NewRound(Record):
    name: Annotated[Called, Ask(_("Name"), _("Annotators see it."))]
    seed: Annotated[
        str,
        Text(rules.LONGEST_SEED),
        Ask(
            _("Seed"),
            _("Empty: one is drawn."),
        ),
    ] = ""


Seats = Annotated[
    int,
    Whole(1, rules.MOST_SEATS),
    Ask(_("Annotators per question"), _("At least three.")),
]
Closes = Annotated[Annotated[datetime, Moment()] | None, Ask(_("Closes"))]


@dataclass(frozen=True)
class BeginRound(NewRound):
    """What the page of a new round asks for besides its parts."""

    n_items: Annotated[
        Annotated[int, Whole(1, rules.MOST_ITEMS)] | None,
        Ask(_("Questions"), _("Empty: all that fit.")),
    ] = None
    pairs: rules.Pairs = None
    n_seats: Seats = rules.FEWEST_SEATS
    deadline: Closes = None


@dataclass(frozen=True)
class RoundSettings(Record):
    """What can be set on a draft besides its parts."""

    name: Called
    n_seats: Seats = rules.FEWEST_SEATS
    seats_override: Annotated[Reason, Ask(_("Why fewer than three"), BY_OWNER)] = ""
    lease_minutes: Annotated[
        int,
        Whole(rules.SHORTEST_LEASE, rules.LONGEST_LEASE),
        Ask(_("Minutes a question is held"), _("Without work for so long, somebody else gets it.")),
    ] = 30
    deadline: Closes = None
    instructions: Annotated[str, Text(), Ask(_("Note to annotators"), rows=4)] = ""
    uniform_rendering: Annotated[
        bool,
        YesNo(),
        Ask(
            _("Flatten headings, bold and emoji"),
            _("A system’s layout can give it away."),
        ),
    ] = False
    #: Whether nobody is given a question they have not qualified for; None leaves it as it is.
    asks_qualification: Annotated[
        Annotated[bool, YesNo()] | None,
        Ask(_("Qualified annotators only")),
    ] = None
    #: Why it may open although too few have qualified; None leaves it as it is.
    qualified_override: Annotated[
        Reason | None, Ask(_("Why too few qualified are enough"), BY_OWNER)
    ] = None


@dataclass(frozen=True, kw_only=True)
class RoundRubricRecord(Record):
    """By which version of a rubric a capability is graded; null: all the rest."""

    component: ClassVar[str] = "RoundRubric"

    capability: Annotated[int, Whole(1)] | None
    rubric: Annotated[str, Text(200, empty=False)]
    version: Annotated[int, Whole(1)]


@dataclass(frozen=True, kw_only=True)
class RoundIn(RoundSettings):
    """What a round is to be; what is left out stays as it is.

    `annotators` can be changed until the round is final, all else in a draft only.
    """

    releases: tuple[Annotated[int, Whole(1)], ...] = ()
    rubrics: tuple[RoundRubricRecord, ...] = ()
    annotators: tuple[Annotated[UUID, kinds.Id()], ...] = ()
    override: Reason = ""


Since = Annotated[datetime, Moment()] | None


@dataclass(frozen=True, kw_only=True)
class RoundLineOut(Record):
    """A round in the list."""

    number: Annotated[int, Whole(1)]
    name: Called
    kind: Annotated[str, kinds.choice(Round.Kind)]
    state: Annotated[str, kinds.choice(Round.State)]
    n_seats: Annotated[int, Whole()]
    deadline: Since
    revision: Annotated[int, Whole()]
    created_at: Annotated[datetime, Moment()]
    opened_at: Since
    paused_at: Since
    review_at: Since
    final_at: Since


@dataclass(frozen=True, kw_only=True)
class RoundOut(RoundSettings, RoundLineOut):
    """A round with its design; the secret never leaves the database."""

    seed: Annotated[str, Text(rules.LONGEST_SEED)]
    of_pairs: Annotated[bool, YesNo()]
    draw: Annotated[dict[str, object], kinds.Json()]
    manifest: Annotated[dict[str, object], kinds.Json()] | None


@dataclass(frozen=True, kw_only=True)
class ReasonIn(Record):
    reason: Annotated[
        str,
        Text(rules.LONGEST_REASON, empty=False),
        Ask(_("Why"), _("Kept in the audit.")),
    ]


@dataclass(frozen=True, kw_only=True)
class FlagAnswerIn(Record):
    flag: Annotated[int, Whole()]
    text: Annotated[str, Text(1000, empty=False), Ask(_("Answer"), rows=2)]


@dataclass(frozen=True, kw_only=True)
class MessageIn(Record):
    round: Annotated[int, Whole()]
    text: Annotated[str, Text(1000, empty=False), Ask(_("Message"), rows=3)]


@dataclass(frozen=True, kw_only=True)
class DeadlineIn(Record):
    deadline: Annotated[datetime | None, Moment(), Ask(_("Closes"), _("In UTC. Empty: none."))]


@dataclass(frozen=True, kw_only=True)
class ClosingIn(Record):
    reason: Annotated[Reason, Ask(_("Why now"), _("Kept in the audit."))] = ""


@dataclass(frozen=True, kw_only=True)
class RoundCopyIn(Record):
    """`SAME` questions in their newest versions, or a `NEW` draw by the same wishes."""

    component: ClassVar[str] = "RoundDeedsCopy"

    name: Called = ""
    questions: Annotated[
        str,
        kinds.Choice(
            ("SAME", "NEW"),
            titles=(
                ("SAME", _("newest versions")),
                ("NEW", _("a new draw")),
            ),
        ),
        Ask(_("Questions")),
    ] = "SAME"
    seed: Annotated[
        str,
        Text(rules.LONGEST_SEED),
        Ask(_("Seed"), _("Empty: one is drawn.")),
    ] = ""


@dataclass(frozen=True, kw_only=True)
class DiscardIn(Record):
    """`reason` is needed once the round was opened; its annotators read it."""

    reason: Annotated[Reason, Ask(_("Why"), _("Annotators read it. Name no system."))] = ""
