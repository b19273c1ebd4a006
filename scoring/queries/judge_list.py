"""The live judges of a project: those that are configured here and can be asked."""

from typing import Final

from django.db.models import QuerySet

from annotation.models import Project, Round
from annotation.queries import rounds
from scoring.models import Endpoint, Judge
from scoring.protocols.assistants import v1 as assisting
from scoring.protocols.direct import v1 as direct
from scoring.protocols.geval import v1 as geval
from scoring.protocols.kieval import v1 as kieval
from scoring.protocols.single import v1 as single

#: Procedures of judges that grade a round's answers; others interview, or need more than a round.
GRADING: Final = (direct.PROTOCOL, geval.PROTOCOL, single.PROTOCOL)


def of(project: Project) -> "QuerySet[Judge]":
    return Judge.objects.filter(project=project).select_related("rater", "endpoint")


def usable(project: Project) -> "QuerySet[Judge]":
    """Return those that grade the answers of a round and whose endpoint is in use."""
    rows = of(project).filter(protocol__in=GRADING)
    return rows.filter(endpoint__retired_at__isnull=True).order_by("name")


def assistants(project: Project) -> "QuerySet[Judge]":
    """Return the assistants whose endpoint is in use."""
    rows = of(project).filter(protocol=assisting.PROTOCOL, endpoint__retired_at__isnull=True)
    return rows.order_by("name")


def evaluators(project: Project) -> "QuerySet[Judge]":
    """Return the evaluators of interviews whose endpoint is in use."""
    rows = of(project).filter(protocol=kieval.PROTOCOL)
    return rows.filter(endpoint__retired_at__isnull=True).order_by("name")


def endpoints_of(project: Project) -> "QuerySet[Endpoint]":
    return Endpoint.objects.in_use().filter(project=project).order_by("name")


def rounds_of(project: Project) -> "QuerySet[Round]":
    """Return the rounds whose answers can be judged, newest first."""
    return rounds.of(project).exclude(state=Round.State.DRAFT).order_by("-number")
