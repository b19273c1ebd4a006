"""What a project is called, and what its annotators are told: by the API, on the page."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from annotation.common.names import Name
from evalsite.kinds import Text
from evalsite.kinds import gettext_noop as _
from evalsite.records import Ask, Record


@dataclass(frozen=True, kw_only=True)
class Called(Record):
    """What a project is called."""

    name: Annotated[str, Name(200), Ask(_("Name"))]
    subtitle: Annotated[
        str,
        Name(200, empty=True),
        Ask(_("Subtitle"), _("One line about the project.")),
    ] = ""


@dataclass(frozen=True, kw_only=True)
class About(Called):
    """What is left out stays as it is. The note names no system: annotators read it."""

    component: ClassVar[str] = "ProjectsAbout"

    note: Annotated[
        str,
        Text(2000),
        Ask(
            _("Note to annotators"),
            _("Shown to everybody who grades here. Name no system."),
            rows=3,
        ),
    ] = ""
