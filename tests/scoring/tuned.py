"""Judges that are tuned on a final round by a script, for tests."""

from decimal import Decimal
from typing import Any
from uuid import UUID

from annotation.rounds.models import Round
from scoring.engine.models import Run
from scoring.kinds.judging.models import Tuning, TuningVersion
from scoring.tuning import operations
from scoring.tuning import queries as reads
from scoring.tuning.records import TuningBegin, TuningExample
from tests import copies, make
from tests.scoring import connected, judged, rounds


def round_of(n_items: int = 12, **given: Any) -> Round:
    """Return a final round whose every answer, each another one, was graded by three people."""
    systems = ("Kestrel", "Harbour", "Tern")
    return rounds.graded(**{"n_items": n_items, "says": rounds.apart, "systems": systems, **given})


@copies.made_once_among
def begun(round_: Round | None = None, *, name: str = "Careful reader", **wish: Any) -> Tuning:
    """Return a judge to be tuned by the scripted endpoint."""
    of = round_ or round_of()
    connected.endpoint(in_=of.project)
    given: dict[str, Any] = {"seed": 7, "endpoint": "Scripted", **wish}
    return operations.begin(
        round_=of,
        wish=TuningBegin(name=name, round=of.number, **given),
        by=connected.owner(of.project),
        now=make.NOW,
    )


def kept(tuning: Tuning, instructions: str, *examples: int) -> Tuning:
    """Keep other instructions, and answers as examples."""
    return operations.keep(
        tuning=tuning,
        instructions=instructions,
        examples=[TuningExample(response=one, reason="People said why.") for one in examples],
        rev=tuning.rev,
        by=connected.owner(tuning.project),
        now=make.NOW,
    )


def requested(tuning: Tuning, number: int = 1, note: str = "") -> TuningVersion:
    """Return a version that is to be tried."""
    return operations.try_version(
        tuning=tuning,
        key=UUID(int=number),
        note=note,
        budget=None,
        by=connected.owner(tuning.project),
        now=make.NOW,
    )


def tried(tuning: Tuning, instructions: str = "", number: int = 1) -> TuningVersion:
    """Return a version that was tried to its end."""
    if instructions:
        kept(tuning, instructions)
    made = requested(tuning, number)
    judged.done(made.run, minute=number)
    return TuningVersion.objects.select_related("run", "judge", "tuning").get(pk=made.pk)


def measured(tuning: Tuning, number: int = 1, key: int = 900, budget: Decimal | None = None) -> Run:
    """Lock a version, measure it to the end, and return the run."""
    locked = operations.measure(
        tuning=tuning,
        number=number,
        key=UUID(int=key),
        budget=budget,
        by=connected.owner(tuning.project),
        now=make.NOW,
    )
    assert locked.measure is not None
    return judged.done(locked.measure, minute=key)


def responses(tuning: Tuning, *, held_out: bool) -> list[int]:
    """Return the answers on one side of the split."""
    rows = tuning.round.items.filter(item__in=reads.items(tuning, held_out=held_out))
    return list(rows.order_by("responses").values_list("responses__response", flat=True))
