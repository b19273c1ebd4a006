"""What a run of metrics came to: means of every release, and why some answers have no value."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from django.db.models import Avg, Count
from django.utils.translation import gettext_lazy

from annotation.people.models import Rater
from scoring.engine.models import Judgment, Run, Step
from scoring.kinds.metrics import catalogue
from scoring.kinds.metrics.catalogue import TextMetric
from scoring.outcomes.kinds import OutcomeKind, systems
from scoring.outcomes.values import Column, Data, Estimate, Grid, RunOutcome, Table

#: A metric with the key and the name of its rater.
Measured = tuple[TextMetric, int, str]
METRIC: Final = Column("metric", gettext_lazy("Metric"))
HIGHER: Final = Column("higher_is_better", gettext_lazy("Higher is better"))


class MetricsOutcome(OutcomeKind):
    name = "metrics"
    of = Run.Kind.METRICS
    title = gettext_lazy("Metric results")
    summary = (
        "Return the means of every release and metric of a run, and why answers have no value."
    )
    empty = (
        gettext_lazy("Nothing has been measured yet"),
        gettext_lazy("They come in while the run works."),
    )

    def outcome(self, data: Mapping[str, Data]) -> RunOutcome | None:
        means = _means(self.run)
        if not means:
            return None
        keys = list({release for release, _rater in means})
        named = dict(zip(keys, systems(self.reading, keys), strict=True))
        releases = sorted(keys, key=lambda key: named[key].name)
        measured, whole = _measured(self.run), _whole(self.run)
        grid = Grid(
            name="means",
            title=gettext_lazy("Means of each release"),
            columns=[METRIC, HIGHER],
            rows=[
                (
                    name,
                    one.higher_is_better,
                    *(means.get((release, rater)) for release in releases),
                )
                for one, rater, name in measured
            ],
            digits=4,
            systems=[named[release] for release in releases],
            parts=("n", "n_held"),
        )
        more = _as_one_text(grid, measured, releases, whole) if whole else []
        return RunOutcome(tables=[grid, *more, *_without(self.run, measured)])


def _means(run: Run) -> dict[tuple[int, int], Estimate]:
    """Return the mean over answers by release and rater."""
    rows = Judgment.objects.filter(run=run).order_by()
    grouped = rows.values_list("response__release", "rater").annotate(
        mean=Avg("value"), n=Count("value"), n_all=Count("pk")
    )
    return {
        (release, rater): Estimate(mean, n=n, n_held=n_all)
        for release, rater, mean, n, n_all in grouped
    }


def _measured(run: Run) -> list[Measured]:
    raters = {key: pair[0] for key, pair in run.config["raters"].items()}
    names = dict(Rater.objects.filter(pk__in=raters.values()).values_list("pk", "ref"))
    return [(one, raters[one.key], names[raters[one.key]]) for one in catalogue.in_order(raters)]


def _whole(run: Run) -> dict[tuple[int, str], float]:
    """Return the metrics of all answers of a release as one text."""
    steps = Step.objects.filter(run=run, release__isnull=False, state=Step.State.DONE)
    return {
        (release, key): value
        for release, result in steps.values_list("release", "result")
        for key, value in (result or {}).get("system", {}).items()
        if isinstance(value, float)
    }


def _as_one_text(
    means: Grid,
    measured: Sequence[Measured],
    releases: Sequence[int],
    whole: Mapping[tuple[int, str], float],
) -> list[Table]:
    known = {key for _release, key in whole}
    return [
        Grid(
            name="as_one_text",
            title=gettext_lazy("All answers as one text"),
            about=gettext_lazy(
                "BLEU and chrF of all answers of a release, as papers report; single ones are "
                "smoothed."
            ),
            columns=[METRIC],
            rows=[
                (name, *(Estimate(whole.get((release, one.key))) for release in releases))
                for one, _rater, name in measured
                if one.key in known
            ],
            digits=4,
            systems=means.systems,
            parts=(),
        )
    ]


def _without(run: Run, measured: Sequence[Measured]) -> list[Table]:
    """Return why so many answers have no value of some metrics; nothing where all have."""
    rows = Judgment.objects.filter(run=run).exclude(outcome=Judgment.Outcome.SCORED).order_by()
    found: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    for reason, outcome, rater, n in rows.values_list("reason", "outcome", "rater").annotate(
        n=Count("pk")
    ):
        found[reason, outcome][rater] = n
    table = Table(
        name="without_value",
        title=gettext_lazy("Without a value"),
        columns=[
            Column("reason", gettext_lazy("Why")),
            Column("outcome", gettext_lazy("What became of it")),
            Column("answers", gettext_lazy("Answers")),
            Column("metrics", gettext_lazy("Metrics")),
        ],
        rows=[
            (
                reason,
                str(Judgment.Outcome(outcome).label),
                max(by_rater.values()),
                ", ".join(name for _metric, rater, name in measured if rater in by_rater),
            )
            for (reason, outcome), by_rater in sorted(found.items())
        ],
    )
    return [table] if found else []


OUTCOMES = (MetricsOutcome,)
