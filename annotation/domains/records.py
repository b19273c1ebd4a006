"""What is said of areas and capabilities: by the API, on the page, in a bank file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Annotated, ClassVar, Final
from uuid import UUID

from annotation.common.names import NameKind
from annotation.domains.models import Capability, Difficulty, Domain, Priority, QuestionType
from annotation.rubrics.models import Rubric
from evalsite import kinds
from evalsite.kinds import Number
from evalsite.kinds import gettext_noop as _
from evalsite.records import Ask, KeptAs, Record

Id = Annotated[int, kinds.Whole(1)]
Long = Annotated[str, kinds.Text()]
Called = Annotated[str, NameKind(200), Ask(_("NameKind"))]
Parent = Annotated[Id | None, KeptAs("parent_id")]


@dataclass(frozen=True, kw_only=True)
class AreaWords(Record):
    definition: Annotated[
        Long,
        Ask(
            _("Definition"),
            _("And what does not belong."),
            rows=3,
        ),
    ] = ""
    completeness_note: Annotated[
        Long,
        Ask(
            _("Completeness"),
            _("Do its parts cover it without overlap?"),
            rows=4,
        ),
    ] = ""
    priority: Annotated[str, kinds.choice(Priority), Ask(_("Priority"))] = Priority.P1
    in_scope: Annotated[
        bool,
        kinds.YesNo(),
        Ask(
            _("In scope"),
            _("Otherwise it stays in the tree."),
        ),
    ] = True


@dataclass(frozen=True, kw_only=True)
class DomainIn(AreaWords):
    name: Called
    parent: Parent = None


@dataclass(frozen=True, kw_only=True)
class DomainOut(DomainIn):
    id: Id
    position: Annotated[int, kinds.Whole()]


@dataclass(frozen=True)
class DomainText(AreaWords):
    """Everything a person says of an area."""

    name: str
    parent: Domain | None = None


@dataclass(frozen=True, kw_only=True)
class CapabilityWords(Record):
    kind: Annotated[
        str,
        kinds.choice(Capability.Kind),
        Ask(_("Kind")),
    ] = Capability.Kind.DOMAIN
    definition: Annotated[
        Long,
        Ask(_("Definition"), rows=3),
    ] = ""
    question_type: Annotated[str, kinds.choice(QuestionType), Ask(_("Question type"))] = (
        QuestionType.FACTUAL
    )
    weight: Annotated[
        Decimal,
        Number(8, 4, Decimal(0)),
        Ask(_("Weight"), _("In the overall score. 0 leaves it out.")),
    ] = Decimal(1)


@dataclass(frozen=True, kw_only=True)
class CapabilityIn(CapabilityWords):
    name: Called
    parent: Parent = None
    rubric: Annotated[Annotated[str, kinds.slug(80)] | None, KeptAs("rubric.key")] = None


@dataclass(frozen=True, kw_only=True)
class SaidIn(Record):
    component: ClassVar[str] = "TaxonomySaid"

    definition: Long | None = None
    example: Long | None = None


@dataclass(frozen=True, kw_only=True)
class DifficultiesIn(Record):
    SIMPLE: SaidIn = SaidIn()
    INTERMEDIATE: SaidIn = SaidIn()
    DIFFICULT: SaidIn = SaidIn()


@dataclass(frozen=True, kw_only=True)
class CapabilityBody(CapabilityIn):
    """What is left out of a difficulty stays as it is."""

    component: ClassVar[str] = "Capability"

    difficulties: DifficultiesIn = DifficultiesIn()


@dataclass(frozen=True, kw_only=True)
class DifficultyOut(Record):
    difficulty: Annotated[str, kinds.choice(Difficulty), KeptAs("code")]
    definition: Long
    example: Long


@dataclass(frozen=True, kw_only=True)
class CapabilityOut(CapabilityIn):
    id: Id
    position: Annotated[int, kinds.Whole()]
    difficulties: Annotated[tuple[DifficultyOut, ...], KeptAs("described")]


@dataclass(frozen=True)
class CapabilityText(CapabilityWords):
    """Everything a person says of a capability."""

    name: str
    parent: Capability | None = None
    #: By difficulty: definition and example. A text alone is the definition.
    difficulties: Mapping[str, Mapping[str, str] | str] = field(default_factory=dict, kw_only=True)
    rubric: Rubric | None = field(default=None, kw_only=True)


#: So many questions may be wanted of a kind.
MOST_WANTED: Final = 100_000
Count = Annotated[int, kinds.Whole()]
Level = Annotated[str, kinds.choice(Difficulty)]


@dataclass(frozen=True, kw_only=True)
class StockOut(Record):
    accepted: Count
    inspected: Count
    drafted: Count


@dataclass(frozen=True)
class PlanSpot(Record):
    """A place of the plan: ids of capability and domain; without a domain it is over all."""

    capability: Id
    difficulty: Level
    domain: Id | None = None


@dataclass(frozen=True, kw_only=True)
class CellIn(PlanSpot):
    wanted: Annotated[int, kinds.Whole(0, MOST_WANTED)]


@dataclass(frozen=True, kw_only=True)
class PlanCellsIn(Record):
    component: ClassVar[str] = "PlanPlan"

    cells: tuple[CellIn, ...]


@dataclass(frozen=True, kw_only=True)
class ShareWords(Record):
    """How many questions somebody is asked for, and until when."""

    n: Annotated[int, kinds.Whole(1, MOST_WANTED), Ask(_("Questions"))]
    due_on: Annotated[Annotated[date, kinds.Day()] | None, Ask(_("Due on"))] = None


@dataclass(frozen=True, kw_only=True)
class ShareIn(ShareWords):
    designer: Annotated[UUID, kinds.Id(), KeptAs("designer.public_id")]


@dataclass(frozen=True, kw_only=True)
class ShareOut(ShareIn):
    name: Annotated[Long, KeptAs("designer.display_name")]


@dataclass(frozen=True, kw_only=True)
class PlanLineOut(Record):
    """A number of the plan, with what there is of it."""

    id: Annotated[Id, KeptAs("cell.pk")]
    capability: Annotated[Id, KeptAs("cell.capability_id")]
    difficulty: Annotated[Level, KeptAs("cell.difficulty")]
    domain: Annotated[Id | None, KeptAs("cell.domain_id")]
    wanted: Annotated[Count, KeptAs("cell.wanted")]
    stock: StockOut
    missing: Count
    shares: tuple[ShareOut, ...]
