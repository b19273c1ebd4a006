"""Judge against judge: how alike they are, and which of two agrees better with people."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.permissions import Scope, door
from scoring.queries import judge_matrix
from scoring.queries.judge_options import Options
from scoring.views import judge_people

#: So many pairs stand open; the others can be unfolded.
SHOWN = 30


@require_GET
@door(permissions.UNBLINDED)
def judges_pairs(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show every two judges beside each other on one criterion."""

    def make(options: Options, data: Mapping[str, Any]) -> Mapping[str, Any]:
        matrix = judge_matrix.Matrix(data, options)
        first, further = matrix.tests[:SHOWN], matrix.tests[SHOWN:]
        return {"matrix": matrix, "first": first, "further": further}

    options, problem = judge_people.options_of("judge_pairs", scope, request.GET)
    return judge_people.show(
        request, scope, options, problem, "judge_pairs", "judges_pairs", {}, make
    )
