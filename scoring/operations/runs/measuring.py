"""Runs that measure answers by metrics: no language model is asked, a thread of a worker computes."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import SystemRelease
from evalsite import errors
from scoring.llm.base import ChatModel, Failed
from scoring.models import Judgment, Machine, Run, Step
from scoring.operations.runs.kinds import Estimated, StepPlan, Work
from scoring.protocols.metrics.texts import Text, Why
from scoring.queries import measured

#: Answers of a step: some questions with the answers of all systems, a few seconds of work.
AT_ONCE = 80
#: Metrics that papers also report of all answers of a system taken as one text.
OF_A_SYSTEM = ("bleu", "chrf", "chrfpp")

REASONS: Mapping[Why, Any] = {
    Why.EMPTY: gettext_lazy("The answer is empty."),
    Why.NO_WORDS: gettext_lazy("The answer holds no word."),
    Why.TOO_SHORT: gettext_lazy("The answer has fewer words than are looked at together."),
    Why.NO_REFERENCE: gettext_lazy("The question has no text to compare with."),
    Why.SHORT_REFERENCE: gettext_lazy("No reference has as many words as are looked at together."),
    Why.NO_SOURCE: gettext_lazy("The question has no source text."),
    Why.NOT_ENGLISH: gettext_lazy("The formula is for texts in Latin letters."),
    Why.NO_WORDNET: gettext_lazy("METEOR needs WordNet, which is not installed on the server."),
}
#: What was not there to be measured; everything else was, and had no value.
LEFT_OUT = frozenset({Why.EMPTY, Why.NO_REFERENCE, Why.NO_SOURCE})


class LostRaters(errors.Invalid):
    code = "lost_raters"


class Measuring:
    """`run.config` is a choice of `operations.metrics`, with the rater and criterion of each metric."""

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
        releases = SystemRelease.objects.filter(pk__in=measured.of(run).values("release"))
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
            own = measured.of(step.run).filter(release=step.release_id).order_by("item", "pk")
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


def measure(pairs: Sequence[tuple[int, Text]], config: Mapping[str, Any]) -> list[list[Any]]:
    """Return the readings of each answer: a number, or the code of why there is none."""
    from scoring.protocols.metrics import measuring  # its libraries are for workers alone

    measurer = measuring.measurer(config["metrics"], config["many"])
    return [[response, measurer.measure(text)] for response, text in pairs]


def measure_system(texts: Sequence[Text], names: Sequence[str]) -> dict[str, float | str]:
    """Return metrics of all answers of a system at once, or the code of why there is none."""
    from scoring.protocols.metrics import sequences  # its library is for workers alone

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
        why = Why(reading)
        made.outcome = Judgment.Outcome.SKIPPED if why in LEFT_OUT else Judgment.Outcome.UNSCORED
        made.reason = str(REASONS[why])
    else:
        made.value = reading
    return made


KIND = Measuring()
