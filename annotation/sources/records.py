"""What is said of a source, of a check and of a collection: by the API, on the page, in a bank file."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from hashlib import sha256
from typing import Annotated, Any, ClassVar
from uuid import UUID

from pydantic import Field

from annotation.common import texts as contents
from annotation.common.names import NameKind
from annotation.sources import rules
from annotation.sources.models import Source as Row
from annotation.sources.models import SourceCheck
from evalsite import kinds, records
from evalsite.kinds import Day, Moment, Text, Whole
from evalsite.kinds import gettext_noop as _
from evalsite.records import Ask, KeptAs, Record

Id = Annotated[int, Whole(1)]
When = Annotated[datetime, Moment()]
Until = Annotated[date, Day()] | None
Note = Annotated[str, Text(500), Ask(_("Note"))]
File = Annotated[Mapping[str, Any], kinds.Json()] | None
Who = Annotated[UUID, kinds.Id()]


@dataclass(frozen=True)
class Particulars(Record):
    """Where a source comes from: what is corrected where it is."""

    component: ClassVar[str] = "SourcesAbout"

    title: Annotated[str, NameKind(300), Ask(_("Title"))]
    kind: Annotated[str, kinds.choice(Row.Kind), Ask(_("Kind"))] = Row.Kind.DOCUMENT
    address: Annotated[str, Text(1000), Ask(_("Address"))] = ""
    publisher: Annotated[str, NameKind(200, empty=True), Ask(_("Publisher"))] = ""
    licence: Annotated[str, NameKind(200, empty=True), Ask(_("Licence"))] = ""


@dataclass(frozen=True)
class SourceAbout(Particulars):
    """Where a source comes from, and in which collection it is."""

    collection_id: Annotated[Id | None, Field(alias="collection")] = None

    def tidy(self) -> "SourceAbout":
        """Return the same without spaces around what was written."""
        told: dict[str, Any] = {name: str(getattr(self, name)).strip() for name in PARTICULARS}
        return replace(self, **told)


PARTICULARS = tuple(one.name for one in records.parts(Particulars))


@dataclass(frozen=True)
class SourceWords(Record):
    """What a source says, and when that holds."""

    component: ClassVar[str] = "SourcesSaid"

    text: Annotated[
        str,
        Text(),
        Ask(
            _("Text"),
            _("Neither text nor file: a citation alone."),
            rows=8,
        ),
    ] = ""
    retrieved_on: Annotated[Until, Ask(_("Retrieved on"))] = None
    valid_from: Annotated[Until, Ask(_("Valid from"))] = None
    valid_until: Annotated[Until, Ask(_("Valid until"))] = None
    note: Note = ""


@dataclass(frozen=True)
class SourceSaid(SourceWords):
    """What a source says; `file` is what the text was read from."""

    file: File = None

    def tidy(self) -> "SourceSaid":
        """Return the same with its text as the corpus keeps it."""
        return replace(self, text=rules.tidy(self.text))

    def sha(self) -> str:
        """Return the fingerprint that a version of a source carries."""
        dates = [str(one or "") for one in (self.valid_from, self.valid_until, self.retrieved_on)]
        return sha256(contents.canonical([self.text, *dates, self.note])).hexdigest()


@dataclass(frozen=True, kw_only=True)
class SourceIn(SourceWords, SourceAbout):
    component: ClassVar[str] = "SourcesSource"


@dataclass(frozen=True, kw_only=True)
class SourceOut(SourceAbout):
    id: Id
    created_at: When


@dataclass(frozen=True, kw_only=True)
class SourceVersionOut(SourceWords):
    id: Id
    number: Id
    sha: Annotated[str, Text()]
    file: File
    created_at: When


@dataclass(frozen=True, kw_only=True)
class CheckWords(Record):
    outcome: Annotated[str, kinds.choice(SourceCheck.Outcome)]
    how: Annotated[
        str,
        Text(500, empty=False),
        Ask(_("How you checked it, or why it is withdrawn"), rows=2),
    ]


@dataclass(frozen=True, kw_only=True)
class CheckIn(CheckWords):
    version: Annotated[Id, KeptAs("version.number")]


@dataclass(frozen=True, kw_only=True)
class CheckOut(CheckIn):
    id: Id
    by: Annotated[Who, KeptAs("by.public_id")]
    at: When


@dataclass(frozen=True, kw_only=True)
class CollectionIn(Record):
    name: Annotated[str, NameKind(120), Ask(_("Name"))]
    note: Note = ""


@dataclass(frozen=True, kw_only=True)
class CollectionOut(CollectionIn):
    id: Id
    created_at: When


@dataclass(frozen=True, kw_only=True)
class SourcesFileIn(Record):
    file: Annotated[Any, kinds.File()]


@dataclass(frozen=True, kw_only=True)
class AppointIn(Record):
    """Either a designer to appoint, or an appointment to end."""

    designer: Annotated[UUID, kinds.Id()] | None = None
    end: Id | None = None
