"""What runs put into the named slots of annotation's pages."""

from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from annotation import permissions
from annotation.models import Round
from annotation.permissions import Scope
from scoring.queries import run_list

#: So many runs are named; the list has all.
SHOWN = 5


def of_round(*, scope: Scope, round: Round, **_context: Any) -> SafeString | None:
    """Show which judges ran over a round, and lead to a new one."""
    if not scope.may(permissions.UNBLINDED):
        return None
    runs = list(run_list.over(round)[: SHOWN + 1])
    may_judge = scope.may(permissions.CURATORS) and round.state != Round.State.DRAFT
    if not runs and not may_judge:
        return None
    n, n_done = run_list.n_over(round) if runs else (0, 0)
    context = {
        "scope": scope,
        "round": round,
        "runs": runs[:SHOWN],
        "n": n,
        "n_done": n_done,
        "may_judge": may_judge,
    }
    return render_to_string("scoring/parts/round_runs.html", context)
