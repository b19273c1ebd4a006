"""What is said of areas and capabilities: by the API, on the page, in a bank file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, ClassVar

from annotation.common.names import Name
from annotation.domains.models import Capability, Difficulty, Domain, Priority, QuestionType
from annotation.rubrics.models import Rubric
from evalsite import kinds
from evalsite.kinds import Number
from evalsite.kinds import gettext_noop as _
from evalsite.records import Ask, Record, Source

Id = Annotated[int, kinds.Whole(1)]
Long = Annotated[str, kinds.Text()]
Called = Annotated[str, Name(200), Ask(_("Name"))]
Parent = Annotated[Id | None, Source("parent_id")]


@dataclass(frozen=True, kw_only=True)
class AreaWords(Record):
    definition: Annotated[
        Long,
        Ask(
            _("What belongs here"),
            _("And what does not, where a neighbour could claim it too."),
            rows=3,
        ),
    ] = ""
    completeness_note: Annotated[
        Long,
        Ask(
            _("Completeness"),
            _(
                "Do the parts of this area cover all of it, and does nothing belong to two of them? "
                "Say why you think so, and where the borders run."
            ),
            rows=4,
        ),
    ] = ""
    priority: Annotated[str, kinds.choice(Priority), Ask(_("Priority"))] = Priority.P1
    in_scope: Annotated[
        bool,
        kinds.Flag(),
        Ask(
            _("In scope"),
            _("An area out of scope stays in the tree, so that it is clear what is left out."),
        ),
    ] = True


@dataclass(frozen=True, kw_only=True)
class DomainIn(AreaWords):
    component: ClassVar[str] = "Domain"

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
        Ask(_("Kind"), _("General capabilities count for any field, the others for yours.")),
    ] = Capability.Kind.DOMAIN
    definition: Annotated[
        Long,
        Ask(_("Definition"), _("What a question of this capability puts to the test."), rows=3),
    ] = ""
    question_type: Annotated[str, kinds.choice(QuestionType), Ask(_("Question type"))] = (
        QuestionType.FACTUAL
    )
    weight: Annotated[
        Decimal,
        Number(8, 4, Decimal(0)),
        Ask(_("Weight"), _("In the overall score, against the others. 0 leaves it out.")),
    ] = Decimal(1)


@dataclass(frozen=True, kw_only=True)
class CapabilityIn(CapabilityWords):
    name: Called
    parent: Parent = None
    rubric: Annotated[Annotated[str, kinds.slug(80)] | None, Source("rubric.key")] = None


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
    difficulty: Annotated[str, kinds.choice(Difficulty), Source("code")]
    definition: Long
    example: Long


@dataclass(frozen=True, kw_only=True)
class CapabilityOut(CapabilityIn):
    id: Id
    position: Annotated[int, kinds.Whole()]
    difficulties: Annotated[tuple[DifficultyOut, ...], Source("described")]


@dataclass(frozen=True)
class CapabilityText(CapabilityWords):
    """Everything a person says of a capability."""

    name: str
    parent: Capability | None = None
    #: By difficulty: definition and example. A text alone is the definition.
    difficulties: Mapping[str, Mapping[str, str] | str] = field(default_factory=dict, kw_only=True)
    rubric: Rubric | None = field(default=None, kw_only=True)
