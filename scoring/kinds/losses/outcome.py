"""What a run of losses came to: losses on both kinds of text, their difference, and Min-K% of every system."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.engine.models import Run
from scoring.outcomes import values
from scoring.outcomes.kinds import OutcomeChoice, OutcomeKind, n_ended, systems
from scoring.outcomes.values import (
    Column,
    Contender,
    Data,
    Estimate,
    Ranking,
    RunOutcome,
    Table,
    Words,
)

#: Percent of a text's tokens, the least likely ones, that Min-K% averages; the first is the usual one.
SHARES: Final = (20, 10, 30, 40, 50)
SHARE: Final = OutcomeChoice(
    "share",
    gettext_lazy("Least likely tokens"),
    {str(one): f"Min-{one}%" for one in SHARES},
    "Percent of the tokens of a text.",
)
#: Where a test text is as likely to look more familiar than a train text as the other way round.
CHANCE: Final = 0.5


def share_of(params: Mapping[str, Any]) -> int:
    """Return the percentage that an address or a figure asks for, or the usual one."""
    return int(SHARE.of(params))


class LossOutcome(OutcomeKind):
    name = "losses"
    of = Run.Kind.LOSSES
    title = gettext_lazy("Losses")
    summary = "Return losses and Min-K% of every system; `share` is the percentage of tokens."
    documented = (SHARE,)
    empty = (
        gettext_lazy("No log-probabilities are here yet"),
        gettext_lazy(
            "Endpoints without log-probabilities of prompts cannot be measured; see the steps."
        ),
    )
    figure = "losses"
    computed_by = "scoring.kinds.losses.figure.compute"

    @property
    def about(self) -> Words:
        return gettext_lazy(
            "How likely systems find test and other (train) texts. Clearly less loss on the "
            "test, or an area far above one half, suggests it was learnt: a reason to look, "
            "never a proof."
        )

    @property
    def version(self) -> str:
        return f"{n_ended(self.run)} texts"

    def outcome(self, data: Mapping[str, Data]) -> RunOutcome | None:
        found = data[self.figure]
        rows: Sequence[Data] = found["systems"]
        if not any(one["losses"]["n_train"] or one["losses"]["n_test"] for one in rows):
            return None
        of = systems(self.reading, [one["release"] for one in rows])
        areas = [values.estimate(one["area"]) for one in rows]
        familiar = [
            system.name
            for system, one in zip(of, areas, strict=True)
            if one.low is not None and one.low > CHANCE
        ]
        return RunOutcome(
            ranking=Ranking(
                title=gettext_lazy("How familiar the test looks"),
                unit=_("Min-%(share)d%%, area; 0.5 is chance") % {"share": found["share"]},
                rows=list(zip(of, areas, strict=True)),
                bounds=(0, 1),
                digits=3,
                at=CHANCE,
            ),
            tables=[_losses(rows, of)],
            said=_verdict(familiar),
            is_warning=bool(familiar),
            method=_(
                "Loss: nats a token. Area: chance that a test text looks more familiar than a "
                "train text, by the %(share)d %% least likely tokens. Intervals: 95 %%, %(n)d "
                "resamples of texts."
            )
            % {"share": found["share"], "n": found["resamples"]},
        )


def _verdict(familiar: Sequence[str]) -> str:
    if not familiar:
        return _("No system finds the test clearly more familiar.")
    return _("The test may have been learnt by: %(names)s.") % {"names": ", ".join(familiar)}


def _losses(rows: Sequence[Data], of: Sequence[Contender]) -> Table:
    return Table(
        name="losses",
        title=gettext_lazy("By system"),
        columns=[
            Column("system", gettext_lazy("System")),
            Column("train_loss", gettext_lazy("Train"), 3),
            Column("test_loss", gettext_lazy("Test"), 3),
            Column("difference", gettext_lazy("Test minus train"), 3, ("low", "high", "reason")),
            Column("n_train", gettext_lazy("Texts, train")),
            Column("n_test", gettext_lazy("Texts, test")),
            Column("n_failed", gettext_lazy("Without a value")),
        ],
        rows=[
            (
                system,
                one["losses"]["train"],
                one["losses"]["test"],
                _difference(one["losses"]),
                one["losses"]["n_train"],
                one["losses"]["n_test"],
                one["n_failed"],
            )
            for system, one in zip(of, rows, strict=True)
        ],
    )


def _difference(found: Data) -> Estimate:
    return values.estimate({**found, "value": found["difference"], "n": None})


OUTCOMES = (LossOutcome,)
