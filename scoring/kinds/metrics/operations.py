"""Runs that measure answers by metrics: no language model is asked, a thread of a worker computes.

* Have answers measured by metrics: what is to be measured against what, and the raters it makes.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, ClassVar

from django.utils.translation import gettext_lazy
from pydantic import Field

from annotation.common.sentences import gettext as _
from annotation.people.models import Project, Rater, RaterKind
from annotation.rounds import queries as rounds
from annotation.rounds.models import Round
from annotation.rubrics import measures
from annotation.rubrics.models import Criterion
from annotation.rubrics.rules import Measure
from annotation.systems.models import SystemRelease
from evalsite import errors, kinds
from evalsite.kinds import Whole, gettext_noop
from evalsite.records import Ask
from scoring.engine.kinds import (
    LARGEST_SEED,
    AskedRun,
    BeginRun,
    Estimated,
    RunAsking,
    StepPlan,
    Work,
)
from scoring.engine.models import Judgment, Machine, Run, Step
from scoring.kinds.metrics import catalogue
from scoring.kinds.metrics import queries as measured
from scoring.kinds.metrics.catalogue import MeasuredText, NoMetric, TextMetric
from scoring.llm.base import ChatModel, Failed

#: Answers of a step: some questions with the answers of all systems, a few seconds of work.
AT_ONCE = 80
#: Metrics that papers also report of all answers of a system taken as one text.
OF_A_SYSTEM = ("bleu", "chrf", "chrfpp")

REASONS: Mapping[NoMetric, Any] = {
    NoMetric.EMPTY: gettext_lazy("The answer is empty."),
    NoMetric.NO_WORDS: gettext_lazy("The answer holds no word."),
    NoMetric.TOO_SHORT: gettext_lazy("The answer is too short for it."),
    NoMetric.NO_REFERENCE: gettext_lazy("The question has no text to compare with."),
    NoMetric.SHORT_REFERENCE: gettext_lazy("All references are too short for it."),
    NoMetric.NO_SOURCE: gettext_lazy("The question has no source text."),
    NoMetric.NOT_ENGLISH: gettext_lazy("The formula is for texts in Latin letters."),
    NoMetric.NO_WORDNET: gettext_lazy("METEOR needs WordNet, which is not installed."),
}
#: What was not there to be measured; everything else was, and had no value.
LEFT_OUT = frozenset({NoMetric.EMPTY, NoMetric.NO_REFERENCE, NoMetric.NO_SOURCE})


class LostRaters(errors.Invalid): ...


PROTOCOL = "metrics/v1"


class BadMetrics(errors.Invalid):
    """The choice cannot be measured."""


class NothingToMeasure(errors.Invalid): ...


@dataclass(frozen=True, kw_only=True)
class OfAnswers(BeginRun):
    """Something is done with the answers of a round or of an import, not both."""

    round: Annotated[int | None, Whole(1, LARGEST_SEED)] = None
    batch: Annotated[int | None, Whole(1, LARGEST_SEED), Field(alias="import")] = None

    def chosen(self, project: Project) -> Round | None:
        """Return the round; none where an import was chosen.

        Raises:
            NothingToMeasure: both or neither was, or there is no such round.
        """
        if (self.round is None) == (self.batch is None):
            raise _nothing(_("Name a round or an import."))
        if self.round is None:
            return None
        found = rounds.rounds_of(project).filter(number=self.round).first()
        if found is None:
            raise _nothing(_("There is no round of this number in the project."))
        if found.state == Round.State.DRAFT:
            message = _("The round is a draft: its answers may still change. Open it first.")
            raise errors.StillADraft(message)
        return found


def _nothing(message: str) -> NothingToMeasure:
    return NothingToMeasure(message, fields={"round": [message]})


@dataclass(frozen=True, kw_only=True)
class Measured(OfAnswers):
    """What is measured of a round or an import, against what. With `estimate` nothing is started."""

    needs: ClassVar[frozenset[str]] = frozenset()

    metrics: Annotated[
        tuple[Annotated[str, kinds.Choice(tuple(catalogue.METRICS))], ...],
        Field(min_length=1),
        Ask(
            gettext_noop("Metrics"),
            gettext_noop("One metric each."),
        ),
    ]
    references: Annotated[
        str,
        kinds.Choice(
            measured.AGAINST,
            titles=(
                ("standard", gettext_lazy("the standard answer")),
                ("texts", gettext_lazy("the reference texts that came with the question")),
                ("both", gettext_lazy("both")),
            ),
        ),
        Ask(gettext_noop("Compare with")),
    ] = "standard"
    many: Annotated[
        str,
        kinds.Choice(
            measured.MANY,
            titles=(("mean", gettext_lazy("the mean of all")), ("best", gettext_lazy("the best"))),
        ),
        Ask(
            gettext_noop("Of several references"),
            gettext_noop("For ROUGE and METEOR."),
        ),
    ] = "mean"
    source: Annotated[
        str,
        kinds.Text(200),
        Ask(
            gettext_noop("Source text"),
            gettext_noop("Such as the article of a summary."),
        ),
    ] = ""

    def config(self) -> dict[str, Any]:
        """Return what decides a run, beside the raters that it makes."""
        return {
            "metrics": [one.key for one in catalogue.in_order(self.metrics)],
            "references": self.references,
            "many": self.many,
            "source": self.source,
            "import": self.batch,
        }


class Measuring:
    """`run.config` is that of `Measured`, with the rater and criterion of each metric."""

    kind = Run.Kind.METRICS
    wish = Measured
    writes = True

    def asked(self, of: Project, wish: Measured, asking: RunAsking) -> AskedRun:
        """Count what there is to measure; to start, the raters are made that are not there.

        Raises:
            BadMetrics: a metric, or what it is to be compared with, is not known.
            StillADraft: the answers of the round may still change.
            NothingToMeasure: there is no answer.
        """
        _check_source(wish)
        round_, config = wish.chosen(of), wish.config()
        found = measured.count(measured.responses(of, round_, wish.batch))
        if not found.n:
            raise _nothing(_("There is no answer to measure. Choose another round or import."))
        if asking.starts:
            metrics = catalogue.in_order(wish.metrics)
            config["raters"] = {one.key: _meet(of, one, config, asking) for one in metrics}
        told = {
            "answers": found.n,
            "with_standard_answer": found.n_standard,
            "with_references": found.n_texts,
            "releases": found.n_releases,
        }
        unmade = not asking.starts
        return AskedRun(protocol=PROTOCOL, config=config, round=round_, told=told, imagined=unmade)

    def again(self, run: Run) -> dict[str, Any]:
        kept = {name: run.config[name] for name in ("metrics", "references", "many", "source")}
        return {**kept, "over": measured.over(run)}

    def check(self, run: Run) -> None:
        """Refuse a run whose raters are not metrics of its project.

        Raises:
            LostRaters: one of them is not.
        """
        raters = dict(run.config.get("raters") or {})
        wanted = {tuple(one) for one in raters.values()}
        known = Machine.objects.filter(
            rater__project=run.project, rater__kind="METRIC", rater__in=[one[0] for one in wanted]
        ).values_list("rater", "rubric__versions__criteria")
        if set(raters) != set(run.config.get("metrics") or ()) or not wanted <= set(known):
            raise LostRaters(_("A metric of this run is not declared. Start it from its page."))

    def endpoints(self, run: Run) -> Collection[int]:
        return ()

    def prompts(self, run: Run) -> Iterator[Estimated]:
        return iter(())

    def plan(self, run: Run) -> Iterator[StepPlan]:
        done = 0
        for keys in measured.pages(run, AT_ONCE):
            yield StepPlan(key=f"answers {done + 1}–{done + len(keys)}", spec={"responses": keys})
            done += len(keys)
        if not _of_a_system(run):
            return
        releases = SystemRelease.objects.filter(
            pk__in=measured.measured_responses(run).values("release")
        )
        for one in releases.select_related("system").order_by("pk"):
            name = f"{one}"[:150]
            yield StepPlan(key=f"all answers of {name} ({one.pk})", release_id=one.pk)

    def prepare(self, step: Step) -> Work:
        config = step.run.config
        if "responses" in step.spec:
            pairs = list(measured.texts(step.spec["responses"], config))

            async def procedure(_model: ChatModel) -> dict[str, Any]:
                return {"values": measure(pairs, config)}
        else:
            own = (
                measured.measured_responses(step.run)
                .filter(release=step.release_id)
                .order_by("item", "pk")
            )
            keys = list(own.values_list("pk", flat=True))
            texts = [text for _pk, text in measured.texts(keys, config)]
            names = _of_a_system(step.run)

            async def procedure(_model: ChatModel) -> dict[str, Any]:
                return {"n": len(texts), "system": measure_system(texts, names)}

        return Work(procedure, blocking=True)

    def record(self, step: Step, result: Mapping[str, Any], now: datetime) -> Step.Outcome:
        raters = step.run.config["raters"]
        Judgment.objects.bulk_create(
            _judgment(step, response, raters[key], reading, now)
            for response, readings in result.get("values", ())
            for key, reading in readings.items()
        )
        return Step.Outcome.OK

    def record_failure(self, step: Step, failed: Failed, now: datetime) -> None:
        """Nothing is written: metrics ask nobody who could fail."""


def measure(
    pairs: Sequence[tuple[int, MeasuredText]], config: Mapping[str, Any]
) -> list[list[Any]]:
    """Return the readings of each answer: a number, or the code of why there is none."""
    from scoring.kinds.metrics import measuring  # its libraries are for workers alone

    measurer = measuring.measurer(config["metrics"], config["many"])
    return [[response, measurer.measure(text)] for response, text in pairs]


def measure_system(texts: Sequence[MeasuredText], names: Sequence[str]) -> dict[str, float | str]:
    """Return metrics of all answers of a system at once, or the code of why there is none."""
    from scoring.kinds.metrics import measuring as sequences  # its library is for workers alone

    found: dict[str, float | str] = {}
    for name in names:
        try:
            found[name] = sequences.corpus_score(name, texts)
        except ValueError as undefined:
            found[name] = str(undefined)
    return found


def _of_a_system(run: Run) -> list[str]:
    return [one for one in OF_A_SYSTEM if one in run.config["metrics"]]


def _judgment(
    step: Step, response: int, rater: Sequence[int], reading: float | str, now: datetime
) -> Judgment:
    made = Judgment(
        rater_id=rater[0],
        criterion_id=rater[1],
        response_id=response,
        run_id=step.run_id,
        step_id=step.pk,
        at=now,
    )
    if isinstance(reading, str):
        why = NoMetric(reading)
        made.outcome = Judgment.Outcome.SKIPPED if why in LEFT_OUT else Judgment.Outcome.UNSCORED
        made.reason = str(REASONS[why])
    else:
        made.value = reading
    return made


KIND = Measuring()


def _check_source(wish: Measured) -> None:
    known = wish.source in {"", measured.QUESTION} or wish.source.startswith(measured.FIELD)
    if not known:
        raise _bad("source", _("The source is the question, or a field kept with it."))
    if not wish.source and any(one.needs == "source" for one in catalogue.in_order(wish.metrics)):
        raise _bad("source", _("Say where the source text is that overlap is counted with."))


def _bad(field: str, message: str) -> BadMetrics:
    return BadMetrics(message, fields={field: [message]})


def _meet(
    project: Project, metric: TextMetric, config: Mapping[str, Any], asking: RunAsking
) -> list[int]:
    """Return the keys of a metric's rater and of its criterion, made if they are not there."""
    machine = _machine(project, metric, measured.name(metric, config), asking.now)
    measure = Measure(
        metric.name, _end(metric.minimum), _end(metric.maximum), metric.higher_is_better
    )
    version = measures.declare(
        rubric=machine.rubric, measures=[measure], by=asking.user, now=asking.now
    )
    criterion = Criterion.objects.get(rubric_version=version, name=metric.name)
    return [machine.rater_id, criterion.pk]


def _machine(project: Project, metric: TextMetric, name: str, now: datetime) -> Machine:
    """Return the metric of this name; one that an import brought is another one."""
    found = Machine.objects.filter(
        rater__project=project, rater__kind=RaterKind.METRIC, rater__ref=name
    ).first()
    if found is None:
        rater = Rater.objects.create(
            project=project, kind=RaterKind.METRIC, ref=name, created_at=now
        )
        rubric = measures.create(project=project, name=name, now=now)
        return Machine.objects.create(rater=rater, rubric=rubric, created_at=now)
    own = Criterion.objects.filter(rubric_version__rubric=found.rubric_id)
    if own.exists() and not own.filter(name=metric.name).exists():
        return _machine(project, metric, f"{name}, computed here", now)
    return found


def _end(end: int | None) -> Decimal | None:
    return None if end is None else Decimal(end)
