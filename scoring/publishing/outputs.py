"""What the runs of a project put out that people can be given to rate."""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.module_loading import import_string
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.rounds import queries as releases
from annotation.systems.models import Item, SystemRelease
from annotation.systems.rules import WHOLE, Output, Unit
from scoring.engine.models import Judgment, Run, Step
from scoring.kinds.judging import queries as machines
from scoring.publishing import interviews as interview_outputs
from scoring.publishing import suites as suite_outputs
from scoring.publishing.interviews import SpokenPlace

Reader = Callable[[Run, str], Sequence[Unit]]
#: A response (None: it is not there yet), what of it is meant (a `Judgment.Target`), and which of these parts.
Where = tuple[int | None, str, int | None]
CHUNK: Final = 500


@dataclass(frozen=True)
class OutputSort:
    """A sort of output; `reader` is the dotted name of what reads it from a run.

    `part` is what the reader is told beside the run; `n` how many units there are, where that is known.
    """

    key: str
    label: str | Promise
    reader: str
    part: str = ""
    n: int | None = None


#: By kind of run; the first sort is the usual one.
SORTS: dict[str, tuple[OutputSort, ...]] = {
    Run.Kind.COLLECT: (
        OutputSort("answers", _("collected answers"), "scoring.publishing.outputs.collected"),
    ),
}


def sorts_of(run: Run) -> tuple[OutputSort, ...]:
    """Return the sorts of output that a run has; none for most."""
    if run.kind == Run.Kind.KIEVAL:
        return tuple(_of_interviews(key, n) for key, n in interview_outputs.counts(run))
    if run.kind == Run.Kind.SUITE:
        return tuple(_of_conversations(key, n) for key, n in suite_outputs.counts(run))
    return SORTS.get(run.kind, ())


def has_any(run: Run) -> bool:
    """Return whether runs of this kind put out something that people can rate."""
    return run.kind in SORTS or run.kind in {Run.Kind.KIEVAL, Run.Kind.SUITE}


def _of_interviews(part: str, n: int) -> OutputSort:
    here = "scoring.publishing.interviews"
    if part == interview_outputs.WHOLE:
        return OutputSort(part, _("whole dialogues, side by side"), f"{here}.whole", part, n)
    if part == interview_outputs.EVERY:
        return OutputSort(part, _("every exchange"), f"{here}.exchanges", part, n)
    label = gettext("exchange %(n)d of each dialogue") % {"n": int(part) + 1}
    return OutputSort(f"exchange_{part}", label, f"{here}.exchanges", part, n)


_OF_CONVERSATIONS = {
    suite_outputs.TURNS: _("turns of the assistant"),
    suite_outputs.CALLS: _("tool calls"),
    suite_outputs.WHOLE: _("whole conversations"),
}


def _of_conversations(part: str, n: int) -> OutputSort:
    return OutputSort(part, _OF_CONVERSATIONS[part], "scoring.publishing.suites.units", part, n)


def units(run: Run, sort: str = "") -> Sequence[Unit]:
    """Return what a run put out of a sort (by default the usual one), in the order of its steps.

    Raises:
        LookupError: runs of this kind have no such output.
    """
    for one in sorts_of(run):
        if sort in {"", one.key}:
            reader: Reader = import_string(one.reader)
            return reader(run, one.part)
    raise LookupError(sort)


def places(run: Run, sort: str) -> list[SpokenPlace]:
    """Return where everything of a sort was said that a run put out, published or not."""
    part = next((one.part for one in sorts_of(run) if sort in {"", one.key}), None)
    if part is None:
        return []
    if run.kind == Run.Kind.KIEVAL:
        return interview_outputs.places(run, part)
    if run.kind == Run.Kind.SUITE:
        return suite_outputs.places(run, part)
    items = {one.item_id: one.outputs for one in collected(run) if one.item_id is not None}
    facts = Item.objects.filter(pk__in=items).values_list("pk", "group", "capability_id")
    return [
        SpokenPlace(one.response_id, None, one.release_id, group, capability, (one.response_id,))
        for pk, group, capability in facts
        for one in items[pk]
        if one.response_id is not None
    ]


def collected(run: Run, _part: str = "") -> list[Unit]:
    """Return the items of a run that collected answers, each with the first answer of every release."""
    steps = Step.objects.filter(run=run, state=Step.State.DONE, response__isnull=False)
    rows = (
        steps.filter(response__sample_no=1)
        .order_by("ordinal")
        .values_list("item_id", "item__external_id", "release_id", "response_id")
    )
    names: dict[int, str] = {}
    given: dict[int, list[Output]] = defaultdict(list)
    for item, name, release, response in rows:
        names[item] = name
        given[item].append(Output(release, response_id=response))
    return [Unit(names[item], found, item_id=item) for item, found in given.items()]


def releases_in(run: Run, found: Sequence[Unit]) -> list[SystemRelease]:
    """Return the releases that units are of, by name."""
    pks = {one.release_id for unit in found for one in unit.outputs}
    return list(releases.releases_of(run.project).filter(pk__in=pks))


def said(
    rater: int, criterion: str, places: Collection[Where], *, of: str = "value"
) -> dict[Where, Any]:
    """Return what a machine said of each place, in the run that finished last; `of` may be its label.

    Questions that a judge was tuned on are left out.
    """
    tuned_on = machines.tuned_on([rater]).get(rater, ())
    found: dict[Where, Any] = {}
    sources = sorted({source for source, _level, _index in places if source is not None})
    for start in range(0, len(sources), CHUNK):
        rows = Judgment.objects.counted().filter(
            rater=rater,
            criterion__key=criterion,
            response__in=sources[start : start + CHUNK],
            target_level__in={level for _source, level, _index in places},
            repeat=0,
            **({"value__isnull": False} if of == "value" else {}),
        )
        rows = rows.exclude(response__item__group__in=tuned_on)
        ordered = rows.order_by("run__finished_at", "pk")
        for level, response, index, value in ordered.values_list(
            "target_level", "response", "target_index", of
        ):
            found[response, level, None if level == WHOLE else index] = value
    return found
