"""The two rounds and the system that an address of the movement names."""

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from annotation.permissions import Scope
from evalsite import errors
from scoring.queries import movement as reads
from scoring.queries import reading
from scoring.queries.movement import Chosen
from scoring.queries.reading import Reading


def sides(request: HttpRequest, scope: Scope) -> tuple[Reading, Reading] | None:
    """Return the two rounds that were named, the earlier one first; nothing if none was.

    Raises:
        Http404: there is no such round.
    """
    numbers = [request.GET.get(name, "") for name in ("before", "after")]
    if not all(number.isdecimal() and len(number) < 10 for number in numbers):
        return None
    first, second = sorted(int(number) for number in numbers)
    if first == second:
        return None
    return reading.of(scope, first), reading.of(scope, second)


def refusal(scope: Scope, both: tuple[Reading, Reading]) -> errors.Refusal | None:
    """Return why this person may not read one of the rounds now; nothing if they may."""
    for one in both:
        try:
            reading.allowed(scope, one.round.number)
        except errors.Refusal as found:
            return found
    return None


def chosen(request: HttpRequest, before: Reading, after: Reading) -> Chosen | None:
    """Return the rounds and the system that was named; nothing if none was.

    Raises:
        Http404: it did not take part in both rounds.
    """
    wanted = request.GET.get("system", "")
    systems = reads.systems(before.round, after.round)
    if not wanted:
        return None
    for one in systems:
        if str(one.pk) == wanted:
            return Chosen(before.round, after.round, one)
    raise Http404(_("This system did not take part in both rounds."))


def complete(request: HttpRequest, scope: Scope) -> tuple[Reading, Chosen] | None:
    """Return the later round and what was chosen, if everything was named and may be read."""
    both = sides(request, scope)
    if both is None or refusal(scope, both) or not all(one.shown for one in both):
        return None
    found = chosen(request, *both)
    return None if found is None else (both[1], found)
