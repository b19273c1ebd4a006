"""What the demo shows of a judge that is tuned: two versions, tried by script on part of a final round."""

from datetime import datetime
from typing import Any
from uuid import UUID

from annotation.common import draws as seeds
from annotation.people.models import Project, User
from annotation.rounds.models import Round
from scoring.demo import files
from scoring.engine import working
from scoring.tuning import operations
from scoring.tuning.records import TuningBegin

NAME = "Careful reader"
#: What the second version adds to the usual instructions.
MORE = (
    "\n- The reference answer is one good example. An answer that says the same in other words, or adds true "
    "detail, is as good."
)


def play(*, project: Project, by: User, now: datetime) -> None:
    """Split the first final round, and try the usual instructions and changed ones."""
    final = Round.objects.filter(project=project, state=Round.State.FINAL).order_by("number")
    round_ = final.filter(kind=Round.Kind.PRODUCTION).first()
    if round_ is None:
        return
    who: Any = {"by": by, "now": now}
    wish = TuningBegin(
        name=NAME,
        round=round_.number,
        endpoint=files.scripted(project, by, now).name,
        criteria=("correctness",),
        share=50,
        seed=files.SEED,
    )
    tuning = operations.begin(round_=round_, wish=wish, **who)
    usual = tuning.instructions
    for place, (instructions, note) in enumerate(
        [(usual, "The usual instructions"), (usual + MORE, "Says that the reference is an example")]
    ):
        operations.keep(
            tuning=tuning, instructions=instructions, examples=[], rev=tuning.rev, **who
        )
        key = UUID(int=seeds.integer(project.slug, f"demo tuning {place}", below=2**128))
        made = operations.try_version(tuning=tuning, key=key, note=note, budget=None, **who)
        working.work(made.run_id, clock=lambda: now)
