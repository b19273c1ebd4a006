"""Two runs of a project beside each other."""

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
    offered = list(
        run_list.of(scope.project).order_by("-number").values_list("number", "name")[:OFFERED]
    )
    named = [_number(request.GET.get(name, "")) for name in ("a", "b")]
    found = {one.number: one for one in run_list.of(scope.project).filter(number__in=named)}
    chosen = [found.get(number) for number in named]
    more = [(one.number, one.name) for one in found.values()]
    form = CompareFilter(request.GET, runs=list(dict.fromkeys([*more, *offered])))
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


def _number(given: str) -> int:
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else 0


def _problem(chosen: list[Run | None]) -> str:
    a, b = chosen
    if a is not None and a == b:
        return _("These are one and the same run. Choose another one beside it.")
    return ""
