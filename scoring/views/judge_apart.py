"""Look through the responses on which one judge and people lie apart."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite import keyset
from scoring.queries import judge_asked
from scoring.queries.judge_gaps import Gaps
from scoring.queries.judge_options import Options
from scoring.views import judge_people


@require_GET
@door(permissions.UNBLINDED)
def judge_apart(request: HttpRequest, scope: Scope, judge: int) -> HttpResponse:
    """List the responses that fit the filters in the address, those farthest apart first."""
    options, problem = judge_people.options_of("judge_apart", scope, request.GET, judge)

    def make(options: Options, data: Mapping[str, Any]) -> Mapping[str, Any]:
        gaps = Gaps(data, options)
        page = gaps.page()
        return {
            "gaps": gaps,
            "page": page,
            "next_url": keyset.next_url(request.GET, page),
            "first_url": keyset.first_url(request.GET, page),
        }

    kept = [(key, value) for key, value in request.GET.items() if key.startswith("map.")]
    extra = {
        "judge": judge,
        "judge_name": options.name(judge),
        "kept": kept,
        "filters": options.filters,
        "systems": Gaps({}, options).systems if options.choice else [],
        "sizes": judge_asked.LEAST_GAPS,
    }
    return judge_people.show(
        request, scope, options, problem, "judge_apart", "judge_apart", extra, make
    )
