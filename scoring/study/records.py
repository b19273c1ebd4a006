"""What a reader of a study asks that the product does not know. All of it may be left unsaid."""

from dataclasses import dataclass
from typing import Annotated, Final

from evalsite.kinds import Text, gettext_noop
from evalsite.records import Ask, Record

MOST: Final = 2_000
_ = gettext_noop


@dataclass(frozen=True, kw_only=True)
class Study(Record):
    """What is said of a study."""

    purpose: Annotated[str, Text(MOST), Ask(_("Purpose"), rows=2, blank=True)] = ""
    paper: Annotated[str, Text(MOST), Ask(_("Paper or report"), blank=True)] = ""
    contact: Annotated[str, Text(MOST), Ask(_("Contact"), blank=True)] = ""
    task: Annotated[
        str,
        Text(MOST),
        Ask(_("Task"), _("What systems get and give back."), rows=2, blank=True),
    ] = ""
    languages: Annotated[str, Text(MOST), Ask(_("Languages"), blank=True)] = ""
    suitability: Annotated[str, Text(MOST), Ask(_("Who could take part"), rows=2, blank=True)] = ""
    recruitment: Annotated[str, Text(MOST), Ask(_("Recruitment"), rows=2, blank=True)] = ""
    pay: Annotated[str, Text(MOST), Ask(_("Pay"), blank=True)] = ""
    ties: Annotated[str, Text(MOST), Ask(_("Ties to the authors"), blank=True)] = ""
    demographics: Annotated[str, Text(MOST), Ask(_("Demographics"), rows=2, blank=True)] = ""
    consent: Annotated[str, Text(MOST), Ask(_("Consent"), blank=True)] = ""
    instruction: Annotated[str, Text(MOST), Ask(_("Other training"), rows=2, blank=True)] = ""
    conditions: Annotated[
        str,
        Text(MOST),
        Ask(_("Conditions"), _("Where, when, whom they could ask."), rows=2, blank=True),
    ] = ""
    preregistration: Annotated[str, Text(MOST), Ask(_("Preregistration"), blank=True)] = ""
    power: Annotated[str, Text(MOST), Ask(_("Why so many questions"), rows=2, blank=True)] = ""
    ethics: Annotated[str, Text(MOST), Ask(_("Ethics approval"), blank=True)] = ""
    personal: Annotated[str, Text(MOST), Ask(_("Personal data"), blank=True)] = ""
    risks: Annotated[str, Text(MOST), Ask(_("Risks"), rows=2, blank=True)] = ""


#: Which of them stand in which part of the sheet.
PARTS: Final = {
    "study": ("purpose", "paper", "contact", "preregistration"),
    "systems": ("task", "languages"),
    "sample": ("power",),
    "annotators": (
        *("suitability", "recruitment", "pay", "ties", "demographics", "consent"),
        *("instruction", "conditions"),
    ),
    "ethics": ("ethics", "personal", "risks"),
}
