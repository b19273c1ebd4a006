"""What a rule of qualification asks for: by the API, on the page."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Annotated

from annotation.qualification.models import QualificationRule
from annotation.qualification.rules import MOST_COUNTED
from evalsite import kinds
from evalsite.kinds import Moment, Number, Whole, YesNo
from evalsite.kinds import gettext_noop as _
from evalsite.records import Ask, KeptAs, Record

Share = Annotated[Decimal, Number(4, 3, Decimal(0), Decimal(1))]
Count = Annotated[int, Whole(1, MOST_COUNTED)]
Statistic = QualificationRule.Statistic


@dataclass(frozen=True)
class RuleAsked(Record):
    """What a rule asks for, as it was entered."""

    statistic: Annotated[str, kinds.choice(Statistic), Ask(_("Agreement is measured by"))] = (
        Statistic.RAW
    )
    reference_at: Annotated[
        Share, Ask(_("Agreement with the reference, at least"), _("From 0 to 1."))
    ] = Decimal("0.75")
    peers_at: Annotated[
        Share | None,
        Ask(
            _("Agreement with the other annotators, at least"),
            _("Empty: not required."),
        ),
    ] = None
    by_bound: Annotated[
        bool,
        YesNo(),
        Ask(
            _("The whole 95 % interval must lie above"),
        ),
    ] = False
    n_least: Annotated[Count, Ask(_("Compared grades, at least"))] = 12
    practice_at: Annotated[Share, Ask(_("Practice grades right, before a trial"))] = Decimal("0.6")
    most_failures: Annotated[
        Count, Ask(_("Failed trials in a row before somebody stands aside"))
    ] = 3
    asked: Annotated[bool, YesNo()] = False


@dataclass(frozen=True, kw_only=True)
class RuleIn(RuleAsked):
    """The rule of a capability, or, without one, of all the others."""

    needs = frozenset({"reference_at", "n_least", "practice_at", "most_failures"})

    capability: Annotated[Annotated[int, Whole(1)] | None, KeptAs("capability_id")] = None


@dataclass(frozen=True, kw_only=True)
class RuleOut(RuleIn):
    at: Annotated[datetime, Moment()]
