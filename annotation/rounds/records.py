"""What can be set of a round: by the API, on the page."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar
from uuid import UUID

from annotation.common.names import Name
from annotation.rounds import rules
from annotation.rounds.models import Round
from evalsite import kinds
from evalsite.kinds import Flag, Moment, Text, Whole
from evalsite.kinds import gettext_noop as _
from evalsite.records import Ask, Record

Called = Annotated[str, Name(rules.LONGEST_NAME), Ask(_("Name"))]
Reason = Annotated[str, Text(rules.LONGEST_REASON)]
BY_OWNER = _("Only an owner may say so. The reason is kept with the round.")


@dataclass(frozen=True)
class NewRound(Record):
    name: Annotated[Called, Ask(_("Name"), _("As its annotators will see it."))]
    seed: Annotated[
        str,
        Text(rules.LONGEST_SEED),
        Ask(
            _("Seed"),
            _(
                "Every draw by lot comes from it: the same seed over the same data draws the same "
                "items in the same orders. Left empty, one is drawn."
            ),
        ),
    ] = ""


@dataclass(frozen=True)
class Settings(Record):
    """What can be set on a draft besides its parts."""

    name: Called
    n_seats: Annotated[
        int,
        Whole(1, rules.MOST_SEATS),
        Ask(
            _("Annotators per question"),
            _("At least three, so that one opinion does not decide."),
        ),
    ] = rules.FEWEST_SEATS
    seats_override: Annotated[Reason, Ask(_("Why fewer than three are enough"), BY_OWNER)] = ""
    lease_minutes: Annotated[
        int,
        Whole(rules.SHORTEST_LEASE, rules.LONGEST_LEASE),
        Ask(
            _("Minutes a question is held"),
            _(
                "After so long without a sign of work somebody else gets it. "
                "Work renews it, up to four times."
            ),
        ),
    ] = 30
    deadline: Annotated[Annotated[datetime, Moment()] | None, Ask(_("Closes"))] = None
    instructions: Annotated[str, Text(), Ask(_("Note to the annotators"), rows=4)] = ""
    uniform_rendering: Annotated[
        bool,
        Flag(),
        Ask(
            _("Flatten headings, bold and emoji"),
            _(
                "A system's habits of layout can give it away. Kept with the results as a condition."
            ),
        ),
    ] = False
    #: Whether nobody is given a question they have not qualified for; None leaves it as it is.
    asks_qualification: Annotated[
        Annotated[bool, Flag()] | None,
        Ask(
            _("Only for those who have qualified"),
            _(
                "Nobody is given a question of a capability before they have passed its trial. "
                "Questions without a capability are for everybody."
            ),
        ),
    ] = None
    #: Why it may open although too few have qualified; None leaves it as it is.
    qualified_override: Annotated[
        Reason | None, Ask(_("Why it may open although too few have qualified"), BY_OWNER)
    ] = None


@dataclass(frozen=True, kw_only=True)
class RoundRubric(Record):
    """By which version of a rubric a capability is graded; null: all the rest."""

    component: ClassVar[str] = "RoundRubric"

    capability: Annotated[int, Whole(1)] | None
    rubric: Annotated[str, Text(200, empty=False)]
    version: Annotated[int, Whole(1)]


@dataclass(frozen=True, kw_only=True)
class RoundIn(Settings):
    """What a round is to be; what is left out stays as it is.

    `annotators` can be changed until the round is final, all else in a draft only.
    """

    releases: tuple[Annotated[int, Whole(1)], ...] = ()
    rubrics: tuple[RoundRubric, ...] = ()
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
class RoundOut(Settings, RoundLineOut):
    """A round with its design; the secret never leaves the database."""

    seed: Annotated[str, Text(rules.LONGEST_SEED)]
    draw: Annotated[dict[str, object], kinds.Json()]
    manifest: Annotated[dict[str, object], kinds.Json()] | None
