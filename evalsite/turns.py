"""Fair turns in a queue: whoever has much waiting does not hold up whoever has little."""

from collections import Counter
from collections.abc import Sequence


def place(waiting: Sequence[str], mine: str) -> int:
    """Return where somebody's next job goes among those that wait.

    Everybody's first job comes before anybody's second, and so on; within that, first come, first
    served. A job of nobody in particular counts as somebody's of its own.

    Args:
        waiting: whose the waiting jobs are, in their order; "" for nobody's.
        mine: whose the new one is.
    """
    if not mine:
        return len(waiting)
    turn = waiting.count(mine)
    seen: Counter[str] = Counter()
    for at, whose in enumerate(waiting):
        if whose and seen[whose] > turn:
            return at
        seen[whose] += 1
    return len(waiting)
