"""Runs of judges of pairs, for tests: who compares what."""

from typing import Any

from annotation.rounds.models import Round
from scoring.engine.models import Run
from scoring.kinds.pairs.operations import KIND, JudgedPairs
from tests import copies, make
from tests.scoring import connected, judged

#: By words of the first and the second answer, as they are shown: what is said of them.
Said = dict[tuple[str, str], str]


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
