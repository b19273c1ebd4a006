"""Add a scripted endpoint, ready to be used: it needs no address, no key and nobody's money."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from annotation.models import Project, User
from scoring.models import Endpoint
from scoring.operations import endpoint_tests, endpoints


@transaction.atomic
def add_scripted(
    *,
    project: Project,
    by: User,
    now: datetime,
    script: Mapping[str, Any] | None = None,
    name: str = endpoints.SCRIPTED_NAME,
) -> Endpoint:
    """Add a scripted endpoint under the next free name, and have a worker find out what it can do."""
    made = endpoints.create_scripted(
        project=project, script=script or {}, name=name, by=by, now=now
    )
    endpoint_tests.request(endpoint=made, by=by, now=now)
    return made
