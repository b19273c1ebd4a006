"""What a run of an assistant came to: how its scores are distributed, and why some answers have none."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from django.db.models import Count
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.rubrics.models import Criterion
from annotation.rubrics.rules import Measure
from scoring.engine.kinds import Action
from scoring.engine.models import Judgment, Run
from scoring.engine.queries import RunReading
from scoring.figures import cells
from scoring.outcomes.kinds import OutcomeKind, systems
from scoring.outcomes.values import Column, Data, RunOutcome, Table, Words

FIGURES: Final[Mapping[str, Words]] = {
    "mean": gettext_lazy("Mean"),
    "lowest": gettext_lazy("Lowest"),
    "lower": gettext_lazy("Lower quartile"),
    "middle": gettext_lazy("Median"),
    "upper": gettext_lazy("Upper quartile"),
    "highest": gettext_lazy("Highest"),
}


class AssistantOutcome(OutcomeKind):
    name = "assistant"
    of = Run.Kind.ASSIST
    title = gettext_lazy("Assistant scores")
    summary = (
        "Return how an assistant's scores are distributed by release, and why answers have none."
    )
    empty = (
        gettext_lazy("Nothing has been scored yet"),
        gettext_lazy("They come in while the run works."),
    )

    @property
    def about(self) -> Words:
        own = _criterion(self.run)
        bounds = Measure("", own.minimum, own.maximum).bounds()
        said = _("Of “%(name)s”. Its declared range: %(bounds)s.") % {
            "name": own.name,
            "bounds": bounds,
        }
        lower = "" if own.higher_is_better else f" {_('Lower is better.')}"
        out = _("Scores outside the range do not count.")
        return f"{said}{lower} {out}"

    @property
    def actions(self) -> Sequence[Action]:
        at = [self.run.project.slug, self.run.number]
        made = [
            Action(gettext_lazy("Every answer, as CSV"), reverse("run_assistant_answers", args=at))
        ]
        if self.run.judge is not None:
            there = reverse("judge_people", args=[self.run.project.slug, self.run.judge.rater_id])
            made.append(Action(gettext_lazy("Judges vs people"), there))
        return made

    def outcome(self, data: Mapping[str, Data]) -> RunOutcome | None:
        scores: dict[int, list[float]] = defaultdict(list)
        without: dict[int, int] = defaultdict(int)
        rows = Judgment.objects.filter(run=self.run).order_by("pk")
        for release, value in rows.values_list("response__release", "value"):
            without[release] += value is None
            scores[release] += [] if value is None else [value]
        if not scores:
            return None
        tables = [
            _releases(self.reading, scores, without),
            *_all(self.run, scores),
            *_reasons(self.run),
        ]
        return RunOutcome(tables=tables)


def _criterion(run: Run) -> Criterion:
    return Criterion.objects.get(pk=run.config["criterion"])


def _releases(
    reading: RunReading, scores: Mapping[int, list[float]], without: Mapping[int, int]
) -> Table:
    keys = list(scores)
    named = sorted(zip(systems(reading, keys), keys, strict=True), key=lambda row: row[0].name)
    found = [(system, key, cells.distribution_of(scores[key])) for system, key in named]
    return Table(
        name="releases",
        title=gettext_lazy("By release"),
        columns=[
            Column("system", gettext_lazy("Release")),
            Column("n", "n"),
            *(Column(name, title, 3) for name, title in FIGURES.items()),
            Column("without_value", gettext_lazy("Unscored")),
        ],
        rows=[
            (
                system,
                one.n if one else 0,
                *(getattr(one, name, None) for name in FIGURES),
                without[key],
            )
            for system, key, one in found
        ],
    )


def _all(run: Run, scores: Mapping[int, list[float]]) -> list[Table]:
    """Return how many scores lie in each tenth of the range; nothing without a score."""
    values = [value for each in scores.values() for value in each]
    own = _criterion(run)
    low, high = (None if end is None else float(end) for end in (own.minimum, own.maximum))
    table = Table(
        name="parts",
        title=gettext_lazy("All scores, by tenths of the range"),
        folded=True,
        columns=[
            Column("low", gettext_lazy("From"), 2),
            Column("high", gettext_lazy("to"), 2),
            Column("n", gettext_lazy("Scores")),
        ],
        rows=[(one.low, one.high, one.n) for one in cells.parts(values, low, high)],
    )
    return [table] if values else []


def _reasons(run: Run) -> list[Table]:
    rows = Judgment.objects.filter(run=run).exclude(outcome=Judgment.Outcome.SCORED).order_by()
    counted = sorted(rows.values_list("reason", "outcome").annotate(n=Count("pk")))
    table = Table(
        name="without_value",
        title=gettext_lazy("Unscored"),
        columns=[
            Column("reason", gettext_lazy("Why")),
            Column("outcome", gettext_lazy("What became of it")),
            Column("answers", gettext_lazy("Answers")),
        ],
        rows=[(reason, str(Judgment.Outcome(outcome).label), n) for reason, outcome, n in counted],
    )
    return [table] if counted else []


OUTCOMES = (AssistantOutcome,)
