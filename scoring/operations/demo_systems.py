"""What the demo shows of systems: what each may use, and one of them that a script answers for."""

from datetime import datetime

from annotation.models import Project, SystemRelease, User
from annotation.operations import systems
from annotation.operations.systems import Attributes
from scoring.models import Endpoint
from scoring.operations import connections

KNOWN = {
    "Dock RAG": Attributes(web_access=False, retrieval=True, tools=False, context_length=16_384),
    "Harbour 70B": Attributes(
        web_access=False, retrieval=False, context_length=32_768, knowledge_until="2025-06"
    ),
    "Kestrel 4": Attributes(
        web_access=True, tools=True, context_length=131_072, knowledge_until="2025-10"
    ),
    "Meridian L": Attributes(web_access=False, retrieval=False, tools=False, context_length=8_192),
}
CONNECTED = "Meridian L"
SETTINGS = {"system_prompt": "Answer in three sentences at most.", "temperature": 0.3}


def play(*, project: Project, by: User, now: datetime) -> None:
    """Say what is known of the demo's releases, and connect one with the scripted endpoint."""
    releases = SystemRelease.objects.filter(system__project=project).select_related("system")
    for release in releases.filter(system__name__in=KNOWN).order_by("pk"):
        systems.edit_release(
            release=release,
            label=release.label,
            notes=release.notes,
            attributes=KNOWN[release.system.name],
            by=by,
            now=now,
        )
    endpoint = Endpoint.objects.in_use().filter(project=project, kind=Endpoint.Kind.SCRIPTED)
    chosen, scripted = releases.filter(system__name=CONNECTED).first(), endpoint.first()
    if chosen is not None and scripted is not None:
        connections.connect(release=chosen, endpoint=scripted, settings=SETTINGS, by=by, now=now)
