"""What the demo shows of help with drafting: a script that the owner allows, asked by a designer."""

import json
from datetime import datetime
from typing import Final
from uuid import NAMESPACE_URL, uuid5

from annotation.models import Membership, Project, Role, SourceVersion, User
from scoring.operations import drafting, endpoint_scripts
from scoring.operations.runs import working

SOURCE: Final = "Northport tariff guide"
#: What the script proposes of any passage that speaks of free times.
PROPOSED: Final = {
    "questions": [
        {
            "question": "A full container stays inside the terminal beyond its free time. "
            "Which charge falls due, and which one does not?",
            "answer": "Demurrage falls due. Detention does not: it is charged for a container that "
            "is kept outside the terminal beyond its free time.",
            "key_points": [
                "Demurrage is charged inside the terminal.",
                "Detention is charged outside the terminal.",
            ],
            "evidence": "Demurrage is charged for a full container that stays inside the terminal "
            "beyond its free time.",
        },
        {
            "question": "Until when is detention charged for a container?",
            "answer": "Until the empty container is returned.",
            "key_points": ["Until the empty is returned."],
            "evidence": "until the empty is returned",
        },
    ]
}
ENDPOINT: Final = "Scripted drafts"
SCRIPT: Final = {"replies": [{"contains": ["free time"], "reply": json.dumps(PROPOSED)}]}


def play(*, project: Project, by: User, now: datetime) -> None:
    """Have questions proposed from a source of the demo; nobody is asked over the network."""
    version = SourceVersion.objects.filter(source__project=project, source__title=SOURCE).first()
    designer = Membership.objects.active().filter(project=project, role=Role.DESIGNER).first()
    if version is None or designer is None:
        return
    script = endpoint_scripts.add_scripted(
        project=project, by=by, now=now, script=SCRIPT, name=ENDPOINT
    )
    drafting.allow(project=project, endpoint=script, by=by, now=now)
    asked = drafting.request_questions(
        version=version,
        start=0,
        end=len(version.text),
        key=uuid5(NAMESPACE_URL, f"evalsite/demo/drafting/{project.pk}"),
        seed=1,
        by=designer.user,
        now=now,
    )
    working.work(asked.run_id, clock=lambda: now)
