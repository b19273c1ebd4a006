"""What the demo shows of suites: the two worked examples of the documentation, evaluated by script.

Three release candidates of an assistant, two of which miss a gate; and a tutor's turns beside labels that
people gave. Texts, suites and the judge's fixed replies are those that the documentation walks through.
"""

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final
from uuid import UUID

from django.conf import settings

from annotation.models import Project, User
from annotation.rules import seeds
from scoring.models import ConversationSet, Endpoint, Run
from scoring.operations import conversations, endpoint_scripts, suite_runs, suites
from scoring.operations.conversations import Wish
from scoring.operations.runs import working

FILES: Final = Path("docs/examples/files")
#: What the suites of the documentation call their judge.
JUDGE: Final = "Scripted judge"
ENDPOINT: Final = "Scripted suites"
CANDIDATES: Final = "Lantern"
RELEASES: Final = ("1", "2", "3")
TUTOR: Final = "Tutor"
#: The seed of the documentation, so that its intervals are seen here too.
SEED: Final = 7


def play(*, project: Project, by: User, now: datetime) -> None:
    """Bring the conversations in and evaluate them; nothing is asked over the network."""
    folder = Path(settings.BASE_DIR) / FILES
    script = json.loads((folder / "judge.json").read_text(encoding="utf-8"))
    endpoint = endpoint_scripts.add_scripted(
        project=project, by=by, now=now, script=script, name=ENDPOINT
    )
    candidates = [
        _brought(project, folder / f"lantern-{one}.jsonl", CANDIDATES, one, by, now)
        for one in RELEASES
    ]
    _evaluated(folder / "yeasayer.yaml", endpoint, candidates, by, now)
    tutor = _brought(project, folder / "tutor.jsonl", TUTOR, "1", by, now)
    _evaluated(folder / "on-task.yaml", endpoint, [tutor], by, now)


def _brought(
    project: Project, path: Path, system: str, release: str, by: User, now: datetime
) -> ConversationSet:
    name = f"{system} {release}" if system == CANDIDATES else system
    content = path.read_bytes()
    return conversations.bring_file(
        project=project,
        wish=Wish(name, system, release, path.name),
        open_file=lambda: [content],
        by=by,
        now=now,
    ).set


def _evaluated(
    path: Path, endpoint: Endpoint, sets: Sequence[ConversationSet], by: User, now: datetime
) -> None:
    project = endpoint.project
    text = path.read_text(encoding="utf-8").replace(JUDGE, endpoint.name)
    version = suites.create(project=project, text=text, by=by, now=now)
    run: Run = suite_runs.request_suite(
        project=project,
        version=version,
        sets=sets,
        key=UUID(int=seeds.integer(project.slug, f"demo {path.name}", below=2**128)),
        name=f"{version.suite.name} by script",
        seed=SEED,
        user=by,
        now=now,
    )
    working.work(run.pk, clock=lambda: now)
