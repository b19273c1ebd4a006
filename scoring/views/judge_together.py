"""Several judges made into one, beside each of them and people."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.permissions import Scope, door
from scoring.queries import judge_together, pictures
from scoring.queries.judge_options import Options
from scoring.views import judge_people


@require_GET
@door(permissions.UNBLINDED)
def judges_together(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show AVG, LLMSel and CorrW of the chosen judges beside people, and each judge alone."""

    def make(options: Options, data: Mapping[str, Any]) -> Mapping[str, Any]:
        together = judge_together.Together(data, options)
        draw = pictures.picture(lambda narrow: judge_together.draw(together, narrow))
        return {"together": together, "part": together.part, "picture": draw}

    options, problem = judge_people.options_of("judge_mixes", scope, request.GET)
    extra = {
        "ticks": judge_together.ticks(options),
        "by_data": options.choice is not None and options.choice.extra.get("by_data"),
    }
    return judge_people.show(
        request, scope, options, problem, "judge_mixes", "judges_together", extra, make
    )
