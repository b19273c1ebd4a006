"""What was written by a script that stands in for a language model: texts of systems, and scores.

The mark belongs to the text or the score, whoever asked for it: a response keeps it among its details, a
run says whether a script gave its own scores (`scripted_runs`). Whatever rests on either carries the banner.
"""

from collections.abc import Collection
from typing import Final

from django.db.models import Q

from annotation.files import answers
from annotation.files.models import ImportBatch, ImportKind
from annotation.rounds.models import Round, RoundResponse
from annotation.systems.models import Response
from scoring.endpoints.models import Endpoint
from scoring.engine.models import Run

#: Among the details of a response, and in records of files.
SCRIPTED: Final = "scripted"
#: Beside it in records of dialogues: a script gave the verdicts.
VERDICTS: Final = "scripted_verdicts"


def of_text(run: Run, endpoints: Collection[int | None]) -> dict[str, bool]:
    """Return the mark of a text for a response's details: whether one of who wrote it is a script."""
    if not run.asks_script:
        return {}
    rows = Endpoint.objects.filter(pk__in=[one for one in endpoints if one is not None])
    return {SCRIPTED: True} if rows.filter(kind=Endpoint.Kind.SCRIPTED).exists() else {}


def of_response(response: Response) -> dict[str, bool]:
    """Return the mark that a text takes along when it is told again."""
    return {SCRIPTED: True} if response.details.get(SCRIPTED) is True else {}


def of_rounds(rounds: Collection[Round]) -> bool:
    """Return whether answers of these rounds were written by a script."""
    counted = {one.pk: (one.draw.get("prepared") or {}).get(SCRIPTED) for one in rounds}
    if any(counted.values()):
        return True
    others = [pk for pk, n in counted.items() if n is None]
    # Where an answer stands is told before its details are read: few imports name scripts.
    rows = RoundResponse.objects.filter(round_item__round__in=others).filter(
        ~Q(response__origin=Response.Origin.IMPORTED)
        | Q(response__batch__in=_batches_with_marks({one.project_id for one in rounds}))
    )
    return bool(others) and rows.filter(response__details__scripted=True).exists()


def _batches_with_marks(projects: Collection[int]) -> list[int]:
    """Return the imports of files that say which answers a script wrote."""
    rows = ImportBatch.objects.filter(project__in=projects, kind=ImportKind.ANSWERS)
    return [
        pk
        for pk, mapping in rows.values_list("pk", "mapping")
        if any(answers.tells_script(one["column"]) for one in mapping.get("places", ()))
    ]
