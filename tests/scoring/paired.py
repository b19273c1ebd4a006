"""Runs of judges of pairs, for tests: who compares what."""

from collections.abc import Callable
from typing import Any

from annotation.rounds.models import Round
from scoring.engine.models import Run, Step
from scoring.kinds.pairs import v1
from scoring.kinds.pairs.operations import KIND, JudgedPairs
from tests import copies, make
from tests.scoring import connected, judged

#: What a judge says of two systems on a question, all counted from 0: its choice with the left answer at A,
#: and its choice with the right one there.
Says = Callable[[int, int, int], tuple[int | None, int | None]]


def wish(number: int = 1, *, endpoint: str = "Judge", **given: Any) -> JudgedPairs:
    return JudgedPairs(**connected.head(number, f"Pairs {number}") | given, endpoint=endpoint)


def requested(round_: Round | None = None, number: int = 1, **given: Any) -> Run:
    """Return a run over a round, or over an import (`batch`), that was asked for."""
    home = make.project() if round_ is None else round_.project
    by = connected.endpoint("Judge", in_=home, **given.pop("judge", {}))
    asked = given if round_ is None else {"round": round_.number, **given}
    return connected.begun(KIND, home, wish(number, endpoint=by.name, **asked))


@copies.made_once_among
def done(round_: Round | None = None, number: int = 1, **given: Any) -> Run:
    """Return a finished run."""
    return judged.done(requested(round_, number, **given), minute=number)


def said(says: Says, round_: Round | None = None, number: int = 1, **given: Any) -> Run:
    """Return a finished run whose judge said this."""
    run = requested(round_, number, **given)
    plans = list(KIND.plan(run))
    releases = sorted({pk for one in plans for pk in one.spec["releases"]})
    items = sorted({one.item_id or 0 for one in plans})
    made = []
    for ordinal, plan in enumerate(plans):
        left, right = (releases.index(pk) for pk in plan.spec["releases"])
        values = says(left, right, items.index(plan.item_id or 0))
        chosen = v1.settled(*values)
        made.append(
            Step(
                run=run,
                ordinal=ordinal,
                key=plan.key,
                item_id=plan.item_id,
                spec=plan.spec,
                state=Step.State.DONE,
                outcome=Step.Outcome.NO_READING if chosen is None else Step.Outcome.OK,
                result={
                    "chosen": chosen,
                    "orders": [
                        {"turned": n == 1, "value": value} for n, value in enumerate(values)
                    ],
                },
                finished_at=make.NOW,
            )
        )
    Step.objects.bulk_create(made)
    Run.objects.filter(pk=run.pk).update(state=Run.State.DONE, finished_at=make.NOW)
    run.refresh_from_db()
    return run
