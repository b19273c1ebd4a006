"""Fewer human grades: a random sample of them, and a judge's scores of everything."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.permissions import Scope, door
from scoring.queries import judge_fewer, pictures
from scoring.queries.judge_options import Options
from scoring.views import judge_people


@require_GET
@door(permissions.UNBLINDED)
def judges_fewer(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show for every system what people would say on average, with a judge's help and without."""

    def make(options: Options, data: Mapping[str, Any]) -> Mapping[str, Any]:
        fewer = judge_fewer.Fewer(data, options)
        return {
            "fewer": fewer,
            "picture": pictures.picture(lambda narrow: judge_fewer.draw(fewer, narrow)),
        }

    options, problem = judge_people.options_of("powered", scope, request.GET)
    kept = [(key, value) for key, value in request.GET.items() if key.startswith("map.")]
    return judge_people.show(
        request, scope, options, problem, "powered", "judges_fewer", {"kept": kept}, make
    )
