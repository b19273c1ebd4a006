"""What a run of accuracy came to: how chosen options become a score, and how it is told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.engine.models import Run
from scoring.outcomes import values
from scoring.outcomes.kinds import OutcomeChoice, OutcomeKind, n_ended, systems
from scoring.outcomes.values import Column, Contender, Data, Grid, Ranking, RunOutcome, Table, Words

MEAN, STRICT, VOTE, OWN = "mean", "strict", "vote", "own"
WRONG, LEFT_OUT = "wrong", "left_out"
CHOICES: Final = (
    OutcomeChoice(
        "rule",
        gettext_lazy("Orders"),
        {
            MEAN: gettext_lazy("mean over the orders"),
            STRICT: gettext_lazy("right in every order"),
            VOTE: gettext_lazy("the option chosen most often"),
            OWN: gettext_lazy("the question’s own order alone"),
        },
    ),
    OutcomeChoice(
        "unread",
        gettext_lazy("Replies without an option"),
        {
            WRONG: gettext_lazy("replies without an option count as wrong"),
            LEFT_OUT: gettext_lazy("replies without an option are left out"),
        },
    ),
)
LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class AccuracyOptions:
    rule: str = MEAN
    unread: str = WRONG


def of_params(params: Mapping[str, Any]) -> AccuracyOptions:
    """Return what a figure asks for; a value that is none of ours is the usual one."""
    return AccuracyOptions(**{one.name: one.of(params) for one in CHOICES})


class AccuracyOutcome(OutcomeKind):
    name = "accuracy"
    of = Run.Kind.QUIZ
    title = gettext_lazy("Accuracy")
    summary = "Return the accuracy of every system under the rule in the address."
    documented = CHOICES
    empty = (
        gettext_lazy("No question has been answered yet"),
        gettext_lazy("They come in while the run works."),
    )
    figure = "accuracy"
    computed_by = "scoring.kinds.accuracy.figure.compute"

    @property
    def version(self) -> str:
        return f"{n_ended(self.run)} questions"

    @property
    def about(self) -> Words:
        orders, shots = self.run.config["orders"], self.run.config["shots"]
        said = ngettext(
            "Percent right, each asked in one order of its options.",
            "Percent right, each asked in %(n)d orders of its options.",
            orders,
        ) % {"n": orders}
        if not shots:
            return f"{said} {_('No example went before them (zero-shot).')}"
        examples = ngettext(
            "%(n)d example of the subject before each.",
            "Up to %(n)d examples of the subject before each.",
            shots,
        ) % {"n": shots}
        return f"{said} {examples}"

    def outcome(self, data: Mapping[str, Data]) -> RunOutcome | None:
        found = data[self.figure]
        if not any(one["n"] for one in found["facts"]):
            return None
        of = systems(self.reading, found["candidates"])
        overall = [values.estimate(one["overall"]) for one in found["accuracy"]]
        about = gettext_lazy("Common questions; p by permutation, corrected (Holm).")
        pairs = values.pairs_of(found["pairs"], of)
        return RunOutcome(
            ranking=Ranking(
                title=gettext_lazy("Accuracy"),
                unit=gettext_lazy("Accuracy in percent, 95 % intervals"),
                rows=list(zip(of, overall, strict=True)),
                about=_rules(found, self.chosen),
            ),
            differences=values.differences(pairs, about=about) if pairs else None,
            tables=[*_by_dataset(found, of), *_by_order(found, of), _replies(found, of)],
            method=values.resampled(found),
        )


def _rules(found: Data, chosen: Mapping[str, str]) -> str:
    """Return by which rules replies became a score, and how many of them named no option."""
    said = [str(one.values[chosen[one.name]]) for one in CHOICES]
    n = sum(one["n_unread"] for one in found["facts"])
    text = "; ".join(said).capitalize()
    return f"{text} ({n})." if n else f"{text}."


def _by_dataset(found: Data, of: Sequence[Contender]) -> list[Table]:
    names = found["datasets"]
    if len(names) < 2 and not any(names):
        return []
    rows = [
        (
            name or _("No set or capability"),
            *(values.estimate(one["datasets"][place]) for one in found["accuracy"]),
        )
        for place, name in enumerate(names)
    ]
    return [
        Grid(
            name="datasets",
            title=gettext_lazy("By data set"),
            columns=[Column("dataset", gettext_lazy("Data set"))],
            rows=rows,
            systems=of,
            is_drawn=len(rows) > 1,
        )
    ]


def _by_order(found: Data, of: Sequence[Contender]) -> list[Table]:
    if not found["orders"]:
        return []
    return [
        Grid(
            name="orders",
            title=gettext_lazy("By order of the options"),
            about=gettext_lazy(
                "Much lower in other orders than the question’s own: the place may be learnt."
            ),
            columns=[Column("order", gettext_lazy("Order"))],
            rows=[
                (
                    str(place + 1) if place else _("own order"),
                    *(values.estimate(one) for one in order),
                )
                for place, order in enumerate(found["orders"])
            ],
            systems=of,
        )
    ]


def _replies(found: Data, of: Sequence[Contender]) -> Table:
    counts = {
        "n": gettext_lazy("Questions"),
        "n_replies": gettext_lazy("Replies"),
        "n_unread": gettext_lazy("No option read"),
        "n_system_failed": gettext_lazy("System failed"),
        "n_machinery_failed": gettext_lazy("Not reached"),
    }
    return Table(
        name="replies",
        title=gettext_lazy("How replies were read"),
        about=gettext_lazy(
            "Replies naming no option, or several. A failed request has no accuracy."
        ),
        folded=True,
        columns=[
            Column("system", gettext_lazy("System")),
            *(Column(key, title) for key, title in counts.items()),
            Column("places", gettext_lazy("Places chosen")),
        ],
        rows=[
            (
                system,
                *(one[key] for key in counts),
                ", ".join(f"{LETTERS[at]} × {n}" for at, n in enumerate(one["places"])),
            )
            for system, one in zip(of, found["facts"], strict=True)
        ],
    )


OUTCOMES = (AccuracyOutcome,)
