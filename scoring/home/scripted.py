"""Which runs rest on what a script wrote: the texts they are over, the scores they take.

The engine asks this of a run before it is written down, by the slots `scripted_texts` and `scripted_scores`.
"""

from typing import Any

from django.db.models import QuerySet

from annotation.rounds.models import RoundResponse
from annotation.systems.models import Response
from scoring.endpoints.models import Judge
from scoring.engine.models import Judgment, Run
from scoring.kinds.fusion import queries as evaluation_tasks
from scoring.kinds.fusion.models import TaskVersion
from scoring.kinds.interviews.models import Dialogue
from scoring.kinds.metrics import queries as measured
from scoring.kinds.suites import queries as suite_frame
from scoring.shown.scripts import of_rounds


def has_scripted_texts(run: Run) -> bool:
    """Return whether some of the texts that a run is over were written by a script."""
    if run.round is not None:
        return of_rounds([run.round])
    rows = _texts(run)
    return rows is not None and rows.filter(details__scripted=True).exists()


def has_scripted_scores(run: Run) -> bool:
    """Return whether a run of Fusion-Eval takes scores that a script gave."""
    if run.kind not in {Run.Kind.FUSION, Run.Kind.COMBINE}:
        return False
    version = TaskVersion.objects.filter(pk=run.config.get("version") or 0).first()
    if version is None:
        return False
    raters = {one.rater for one in evaluation_tasks.content(version).helpers}
    judge = Judge.objects.filter(pk=run.config.get("judge") or 0)
    raters |= set(judge.values_list("rater", flat=True))
    rows = Judgment.objects.filter(rater__in=raters, run__asks_script=True)
    texts = _texts(run)
    return rows.filter(response__in=texts.values("pk")).exists() if texts is not None else False


def _texts(run: Run) -> "QuerySet[Response] | None":
    """Return the responses that a run is over; none of one over questions alone."""
    config: dict[str, Any] = run.config
    if run.round_id is not None:
        served = RoundResponse.objects.filter(round_item__round=run.round_id)
        return Response.objects.filter(pk__in=served.values("response"))
    if run.kind == Run.Kind.REJUDGE:
        dialogues = Dialogue.objects.filter(run=config["of"])
        return Response.objects.filter(pk__in=dialogues.values("response"))
    if run.kind == Run.Kind.SUITE:
        # What systems are going to complete is theirs; what was recorded before counts nowhere.
        if config.get("completions"):
            return None
        rows = suite_frame.starts_of(run).order_by()
        return Response.objects.filter(pk__in=rows.values("response"))
    batch = config.get("import")
    return None if batch is None else measured.responses(run.project, None, batch)
