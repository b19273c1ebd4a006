"""Judges with each other, judges together, fewer human grades, and disagreements, for programs."""

from typing import Any

from django.http import HttpRequest
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite import keyset
from evalsite.contract.calls import contract, get
from scoring.api import judge_shapes, judges, parameters
from scoring.models import Figure
from scoring.queries import judge_together
from scoring.queries.judge_gaps import Gaps
from scoring.queries.judge_options import Options


@api_view(["GET"])
@contract(
    get(judge_shapes.PAIRS, query=parameters.JUDGES, figure=True),
)
@door(permissions.UNBLINDED)
def pairs(request: HttpRequest, scope: Scope) -> Response:
    """Return how every two judges correlate, and which agrees better with people; 202 meanwhile."""
    found = judges.figure_of(request, scope, "judge_pairs")
    return found if isinstance(found, Response) else _told("judge_pairs", *found)


@api_view(["GET"])
@contract(
    get(judge_shapes.TOGETHER, query=[*parameters.JUDGES, *parameters.MIXES], figure=True),
)
@door(permissions.UNBLINDED)
def together(request: HttpRequest, scope: Scope) -> Response:
    """Return AVG, LLMSel and CorrW beside each judge, with their weights; 202 meanwhile.

    `align.CRITERION=JUDGE`, repeatable, names the judges of LLMSel; `open=data` takes open ranges
    from the scores.
    """
    found = judges.figure_of(request, scope, "judge_mixes")
    if isinstance(found, Response):
        return found
    data = found[0].data or {}
    more = {
        "level": data["level"],
        "open_ranges": "from the scores" if data["by_data"] else "left out",
        "alignment": {
            part.name: [found[1].name(one) for one in data["alignment"].get(part.key, [])]
            for part in judge_together.Together(data, found[1]).parts
        },
        "left_out": {
            part.name: dict(part.left_out) for part in judge_together.Together(data, found[1]).parts
        },
    }
    return _told("judge_mixes", *found, more)


@api_view(["GET"])
@contract(
    get(judge_shapes.FEWER, query=parameters.JUDGES, figure=True),
)
@door(permissions.UNBLINDED)
def fewer(request: HttpRequest, scope: Scope) -> Response:
    """Return the means of people with a judge's help and without, by system; 202 meanwhile."""
    found = judges.figure_of(request, scope, "powered")
    if isinstance(found, Response):
        return found
    data = found[0].data or {}
    more = {
        "judge": found[1].name(data["judge"]),
        "criterion": data["criterion"],
        "scale": data["scale"],
        "drawn_from": data["drawn_from"],
        "confidence": next((row["confidence"] for row in data["rows"]), None),
        "method": next((row["method"] for row in data["rows"]), ""),
    }
    return _told("powered", *found, more)


@api_view(["GET"])
@contract(
    get(judge_shapes.APART, query=[*parameters.JUDGES, *parameters.APART], figure=True),
)
@door(permissions.UNBLINDED)
def apart(request: HttpRequest, scope: Scope, judge: int) -> Response:
    """Return the responses on which a judge and people lie apart, a page at a time; 202 meanwhile.

    `system` (its place in `systems`, from 1), `direction`, `least` and `after` narrow and turn it.
    """
    found = judges.figure_of(request, scope, "judge_apart", judge)
    if isinstance(found, Response):
        return found
    figure, options = found
    gaps = Gaps(figure.data or {}, options)
    page = gaps.page()
    rows = [
        {
            "item": one.title,
            "system": one.system,
            "people": one.human,
            "marks": one.n_marks,
            "judge": one.judge,
            "gap": one.gap,
        }
        for one in page.rows
    ]
    more = {
        "criterion": gaps.data["criterion"],
        "systems": [name for _place, name in gaps.systems],
        "n": len(gaps.fitting),
        "of": gaps.data["of"],
        "results": rows,
        "next": keyset.next_url(request.GET, page),
    }
    return Response(judges.head(figure, options) | more)


def _told(
    name: str, figure: Figure, options: Options, more: dict[str, Any] | None = None
) -> Response:
    data = figure.data or {}
    own = {key: data[key] for key in ("level", "coefficient", "criterion") if key in data}
    counts = {"counts": data["facts"]}
    head = judges.head(figure, options) | own | counts | (more or {})
    return Response(head | judges.tables(name, data, options))
