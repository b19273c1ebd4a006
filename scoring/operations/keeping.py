"""What of runs and figures a project may keep for a time only."""

from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from annotation.models import Project
from annotation.operations.retention import Kind
from scoring.models import CallText, Figure, Run


def _texts(project: Project, before: datetime) -> "QuerySet[Any]":
    """Return the texts of calls of runs that ended before; calls, costs, hashes and outcomes stay."""
    return CallText.objects.filter(
        run__project=project,
        run__state__in=[Run.State.DONE, Run.State.CANCELLED],
        run__finished_at__lt=before,
    )


def _figures(project: Project, before: datetime) -> "QuerySet[Any]":
    """Return figures that were worked out before; a page that asks for one has it worked out again."""
    return Figure.objects.filter(round__project=project, ready_at__lt=before)


CALLS, FIGURES = Kind(_texts), Kind(_figures)
