"""How far a suite's metric agrees with labels that people gave the same parts. Workers only."""

from collections.abc import Mapping
from typing import Any

from scoring.models import Judgment, Run
from scoring.protocols.suite import catalogue
from scoring.queries import suite_frame, suite_labels
from scoring.queries.suite_labels import Choice
from scoring.stats import classification
from scoring.stats.plain import Plain, plain


def of_figure(params: Mapping[str, Any]) -> Plain:
    """Return the figure that the parameters name: a run, a value of a metric, and a name of labels.

    Raises:
        ValueError: the run has no such value, or the labels are texts rather than classes.
    """
    run = Run.objects.get(pk=params["run"])
    wanted = [one for one in suite_labels.choices(run) if one.key == params["metric"]]
    if not wanted:
        raise ValueError("There is no such value of a metric in this run.")
    return compute(run, wanted[0], params["label"])


def compute(run: Run, choice: Choice, name: str) -> Plain:
    """Return the classes, the table and the figures, with the parts that one side did not label."""
    said = _said(run, choice)
    true: list[str] = []
    machine: list[str] = []
    clusters: list[int] = []
    n_unlabelled = n_silent = 0
    rows = suite_frame.conversations_of(run).select_related("response").defer("text")
    for row in rows.iterator(chunk_size=200):
        whole = suite_frame.read(row)
        for place, part in enumerate(catalogue.parts(whole, choice.series.level)):
            by_people = suite_labels.of_part(part, whole, name)
            by_machine = said.get((row.response_id, place), "") if whole.has(part) else ""
            if by_people and by_machine:
                true.append(by_people)
                machine.append(by_machine)
                clusters.append(row.item_id)
            n_unlabelled += bool(by_machine and not by_people)
            n_silent += bool(by_people and not by_machine)
    found = classification.classify(true, machine, clusters, seed=run.seed)
    made = plain(found)
    assert isinstance(made, dict)
    return {**made, "n_unlabelled": n_unlabelled, "n_silent": n_silent}


def _said(run: Run, choice: Choice) -> dict[tuple[int, int], str]:
    target = next(key for key, level in suite_frame.LEVELS.items() if level == choice.series.level)
    rows = Judgment.objects.filter(
        run=run,
        rater=choice.series.rater,
        criterion__name=choice.series.name,
        target_level=target,
        repeat=0,
    ).values_list("response_id", "target_index", "label", "value")
    return {
        (response, place or 0): suite_labels.said_by(label, value)
        for response, place, label, value in rows
    }
