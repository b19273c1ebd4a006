"""What is said of a system and of its releases: by the API, on the page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from annotation.common.names import NameKind
from evalsite.kinds import Text, Whole, YesNo
from evalsite.kinds import gettext_noop as _
from evalsite.records import Ask, Record

Known = Annotated[bool, YesNo()] | None
Id = Annotated[int, Whole(1)]
NOT_KNOWN = _("not known")
CONFIGURATION = _("A version, a date, a setting.")


@dataclass(frozen=True, kw_only=True)
class SystemWords(Record):
    """A system. `aliases` are names that it may use of itself."""

    name: Annotated[str, NameKind(200), Ask(_("Name"))]
    aliases: Annotated[
        Sequence[Annotated[str, NameKind(200)]],
        Ask(
            _("Other names"),
            _("One per line: maker, product, nickname. Looked for in responses."),
            rows=3,
        ),
    ] = ()
    family: Annotated[
        str,
        NameKind(80, empty=True),
        Ask(
            _("Family"),
            _("Of its language model. A judge of the same family is tested for favouring it."),
        ),
    ] = ""


@dataclass(frozen=True, kw_only=True)
class NewSystem(SystemWords):
    release: Annotated[str, NameKind(120, empty=True), Ask(_("First release"), CONFIGURATION)] = ""


@dataclass(frozen=True)
class Attributes(Record):
    """What a release may use and how far it sees; None and "" are "nobody has said"."""

    web_access: Annotated[
        Known,
        Ask(_("Web access"), none=NOT_KNOWN),
    ] = None
    retrieval: Annotated[
        Known,
        Ask(_("Retrieval"), none=NOT_KNOWN),
    ] = None
    tools: Annotated[Known, Ask(_("Tools"), none=NOT_KNOWN)] = None
    context_length: Annotated[
        Annotated[int, Whole(1, 2**31 - 1)] | None, Ask(_("Context in tokens"))
    ] = None
    knowledge_until: Annotated[
        str,
        Text(40),
        Ask(
            _("Knowledge until"),
            _("As its maker says: 2025-06."),
        ),
    ] = ""


@dataclass(frozen=True, kw_only=True)
class ReleaseWords(Attributes):
    """A release; of an older one what is left out stays as it is. Null: nobody has said."""

    label: Annotated[str, NameKind(120), Ask(_("Release"), CONFIGURATION)]
    notes: Annotated[
        str,
        Text(),
        Ask(
            _("Notes"),
            _("Parameters, prompt, date of collection."),
            rows=3,
        ),
    ] = ""


@dataclass(frozen=True, kw_only=True)
class SystemOut(SystemWords):
    id: Id
    colour: Annotated[int, Whole()]


@dataclass(frozen=True, kw_only=True)
class ReleaseOut(ReleaseWords):
    id: Id
