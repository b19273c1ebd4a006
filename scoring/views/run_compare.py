"""Two runs of a project beside each other."""

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.permissions import Scope, door
from scoring.forms.runs import CompareFilter
from scoring.models import Run
from scoring.queries import run_compare, run_list

#: So many runs are offered; an older one can be named in the address.
OFFERED = 200


@require_GET
@door(permissions.UNBLINDED)
def runs_compare(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show what was different between two runs, what came of it, and where they agree."""
    newest = run_list.of(scope.project).order_by("-number")
    rows = list(newest.values_list("number", "name", "kind")[:OFFERED])
    offered = [(number, name) for number, name, _kind in rows]
    asked = request.GET.dict() or _usual([(number, kind) for number, _name, kind in rows])
    named = [_number(asked.get(name, "")) for name in ("a", "b")]
    found = {one.number: one for one in run_list.of(scope.project).filter(number__in=named)}
    chosen = [found.get(number) for number in named]
    more = [(one.number, one.name) for one in found.values()]
    form = CompareFilter(asked, runs=list(dict.fromkeys([*more, *offered])))
    context = {
        "scope": scope,
        "form": form,
        "n_runs": len(offered),
        "problem": _problem(chosen),
        "comparison": None,
    }
    a, b = chosen
    if a is not None and b is not None and a != b:
        for one in (a, b):
            one.project = scope.project
        context["comparison"] = run_compare.compare(a, b, timezone.now())
    return render(request, "scoring/runs/compare.html", context)


def _usual(rows: Sequence[tuple[int, str]]) -> dict[str, str]:
    """Return the newest run that has another of its kind before it, and that one; nothing if none has."""
    seen: dict[str, int] = {}
    pairs = []
    for number, kind in rows:
        if kind in seen:
            pairs.append((seen[kind], number))
        else:
            seen[kind] = number
    later, earlier = max(pairs, default=(0, 0))
    return {"a": str(earlier), "b": str(later)} if pairs else {}


def _number(given: str) -> int:
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else 0


def _problem(chosen: list[Run | None]) -> str:
    a, b = chosen
    if a is not None and a == b:
        return _("These are one and the same run. Choose another one beside it.")
    return ""
