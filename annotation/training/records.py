"""Examples, references and trials as people and programs say them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Annotated, ClassVar, Final
from uuid import UUID

from pydantic import Field

from annotation.common.names import NameKind
from annotation.qualification.models import TrainingExample
from annotation.qualification.rules import Event
from evalsite import kinds
from evalsite.kinds import ByName, Choice, Moment, Number, Text, Whole
from evalsite.kinds import gettext_noop as _
from evalsite.records import Ask, KeptAs, Record

#: Questions of a trial.
MOST_ITEMS: Final = 200
GRADE: Final = Number(12, 4)
Key = Annotated[int, Whole()]
Grade = Annotated[Decimal, GRADE]


@dataclass(frozen=True, kw_only=True)
class ExampleText(Record):
    """An example as it was entered: `grades` by key of the criterion."""

    component: ClassVar[str] = "Example"

    use: Annotated[str, kinds.choice(TrainingExample.Use), Ask(_("Use"))] = (
        TrainingExample.Use.PRACTISE
    )
    question: Annotated[str, Text(), Ask(_("Question"), rows=3, blank=True)] = ""
    reference: Annotated[str, Text(), Ask(_("Standard answer"), rows=3, blank=True)] = ""
    response: Annotated[
        str,
        Text(empty=False),
        Ask(
            _("Answer to be graded"),
            _("Name no system."),
            rows=5,
        ),
    ]
    grades: Annotated[Mapping[str, Decimal], ByName(of=GRADE)]
    explanation: Annotated[str, Text(empty=False), Ask(_("Why this grade"), rows=3)]


@dataclass(frozen=True, kw_only=True)
class NewExample(ExampleText):
    capability: Key


@dataclass(frozen=True, kw_only=True)
class ExampleOut(ExampleText):
    number: Annotated[int, Whole()]
    capability: Annotated[Key, KeptAs("capability_id")]
    rubric: Annotated[str, Text(), KeptAs("rubric_version.rubric.key")]
    version: Annotated[int, Whole(), KeptAs("rubric_version.number")]
    created_at: Annotated[datetime, Moment()]


@dataclass(frozen=True, kw_only=True)
class Adopt(Record):
    capability: Key


@dataclass(frozen=True, kw_only=True)
class OfAnswer(Record):
    response: Key
    criterion: Annotated[str, Text(empty=False)]
    explanation: Annotated[str, Text(300)] | None = None


@dataclass(frozen=True, kw_only=True)
class Reference(OfAnswer):
    """What is right; an explanation that is left out stays as it is."""

    value: Grade


@dataclass(frozen=True, kw_only=True)
class ReferenceOut(OfAnswer):
    question: Annotated[str, Text()]
    value: Grade | None


@dataclass(frozen=True, kw_only=True)
class References(Record):
    references: Annotated[tuple[Reference, ...], Field(min_length=1)]


@dataclass(frozen=True, kw_only=True)
class Trial(Record):
    """`external_ids` names the questions; without it `n_items` are drawn by lot."""

    name: Annotated[str, NameKind(200), Ask(_("Name"), _("Annotators see it."))]
    capability: Key
    n_items: Annotated[
        int,
        Whole(1, MOST_ITEMS),
        Ask(_("Questions")),
    ] = 10
    releases: tuple[Key, ...]
    annotators: tuple[Annotated[UUID, kinds.Id()], ...]
    external_ids: tuple[Annotated[str, Text(empty=False)], ...] = field(default=())


@dataclass(frozen=True, kw_only=True)
class Step(Record):
    """A step by hand: what becomes of somebody in a capability, and why."""

    capability: Key
    event: Annotated[str, Choice(tuple(map(str, Event)))]
    reason: Annotated[str, Text(500, empty=False), Ask(_("Why"), _("They do not see it."))]
