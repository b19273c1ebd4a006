"""What the demo shows of suites: the two worked examples of the documentation, evaluated by script.

* What the demo shows of machines: a scripted endpoint, and a judge that has graded its finished round.
* Bring in a file of fixtures/demo as a person would: receive it, say what is in it, check, apply.
* What the demo shows of systems: what each may use, and one of them that a script answers for.
* What the demo shows of a judge that is tuned: two versions, tried by script on part of a final round.
* What the demo shows of help with drafting: a script that the owner allows, asked by a designer.
"""

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from uuid import NAMESPACE_URL, UUID, uuid5

from django.conf import settings

from annotation.common import draws as seeds
from annotation.files.mappings import FileMapping
from annotation.files.models import ImportBatch, ImportKind
from annotation.imports import operations as imports
from annotation.imports import uploading
from annotation.people.models import Membership, Project, Role, User
from annotation.rounds.models import Round
from annotation.sources.models import SourceVersion
from annotation.systems import operations as systems
from annotation.systems.models import SystemRelease
from annotation.systems.operations import Attributes
from evalsite import env
from scoring.endpoints import operations as connections
from scoring.endpoints import testing as endpoint_scripts
from scoring.endpoints.models import Endpoint
from scoring.engine import requests, working
from scoring.engine.models import Run
from scoring.kinds.drafting import operations as drafting
from scoring.kinds.judging import kind as judging
from scoring.kinds.judging import settings as judges
from scoring.kinds.judging.direct.kind import Settings
from scoring.kinds.suites import keeping as suites
from scoring.kinds.suites import operations as suite_runs
from scoring.kinds.suites.conversations import operations as conversations
from scoring.kinds.suites.conversations.operations import SetWish
from scoring.kinds.suites.models import ConversationSet
from scoring.tuning import operations as tuning_deeds
from scoring.tuning.records import TuningBegin

FILES: Final = Path("docs/examples/files")
#: What the suites of the documentation call their judge.
JUDGE: Final = "Scripted judge"
ENDPOINT: Final = "Scripted suites"
CANDIDATES: Final = "Lantern"
RELEASES: Final = ("1", "2", "3")
TUTOR: Final = "Tutor"
AGENT: Final = "Quay agent"
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
        wish=SetWish(name, system, release, path.name),
        open_file=lambda: [content],
        by=by,
        now=now,
    ).set


def _evaluated(
    path: Path, endpoint: Endpoint, sets: Sequence[ConversationSet], by: User, now: datetime
) -> Run:
    project = endpoint.project
    text = path.read_text(encoding="utf-8").replace(JUDGE, endpoint.name)
    version = suites.create(project=project, text=text, by=by, now=now)
    wish = suite_runs.SuiteRun(
        key=UUID(int=seeds.integer(project.slug, f"demo {path.name}", below=2**128)),
        name=f"{version.suite.name} by script",
        seed=SEED,
        sets=tuple(one.name for one in sets),
    )
    run = requests.started(suite_runs.START, suite_runs.Of(version), wish, user=by, now=now)
    working.work(run.pk, clock=lambda: now)
    return run


def play_traces(*, project: Project, by: User, now: datetime) -> Run:
    """Bring in conversations with an agent that calls tools, and have every call judged."""
    folder = Path(settings.BASE_DIR) / FILES
    endpoint = Endpoint.objects.in_use().get(project=project, name=ENDPOINT)
    traces = _brought(project, folder / "traces.jsonl", AGENT, "1", by, now)
    return _evaluated(folder / "tool-calls.yaml", endpoint, [traces], by, now)


DEMO_JUDGE = "Scripted judge"
SEEDS = 2**31
SETTINGS = Settings(repeats=2, temperature=0.5)


def play_demo(*, project: Project, by: User, now: datetime) -> None:
    """Make the judge and have it grade the newest final round; nothing is asked over the network."""
    finished = Round.objects.filter(project=project, state=Round.State.FINAL)
    round_ = finished.order_by("-number").first()
    if round_ is None:
        return
    judge = judges.create(
        project=project,
        name=DEMO_JUDGE,
        endpoint=scripted(project, by, now),
        settings=SETTINGS,
        by=by,
        now=now,
    )
    wish = judging.Judged(
        key=UUID(int=seeds.integer(project.slug, "demo judging", below=2**128)),
        name=f"{DEMO_JUDGE}: {round_.name}"[:120],
        seed=seeds.integer(project.slug, "demo judge", below=SEEDS),
        judge=judge.rater_id,
    )
    run = requests.started(judging.KIND, round_, wish, user=by, now=now)
    _finish(run, now)


def scripted(project: Project, by: User, now: datetime) -> Endpoint:
    """Return the endpoint that stands in for a language model."""
    known = Endpoint.objects.in_use().filter(project=project, kind=Endpoint.Kind.SCRIPTED)
    return known.first() or endpoint_scripts.add_scripted(project=project, by=by, now=now)


def _finish(run: Run, now: datetime) -> None:
    working.work(run.pk, clock=lambda: now)


FOLDER: Final = env.BASE_DIR / "fixtures" / "demo"


def bring(
    *,
    project: Project,
    kind: ImportKind,
    name: str,
    mapping: FileMapping,
    by: User,
    now: datetime,
) -> ImportBatch:
    """Bring in a whole file, now, and return its import.

    Raises:
        errors.Refusal: it is there already.
    """
    content = (FOLDER / name).read_bytes()
    upload = uploading.receive(
        project=project, kind=kind, name=f"demo-{name}", pieces=[content], by=by, now=now
    )
    uploading.set_mapping(upload=upload, mapping=mapping)
    imports.check(upload=upload, clock=lambda: now)
    upload.refresh_from_db()
    batch = imports.start(upload=upload, by=by, now=now)
    imports.carry_on(batch_id=batch.pk, clock=lambda: now)
    return batch


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
SYSTEM_SETTINGS = {"system_prompt": "Answer in three sentences at most.", "temperature": 0.3}


def play_systems(*, project: Project, by: User, now: datetime) -> None:
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
        connections.connect(
            release=chosen, endpoint=scripted, settings=SYSTEM_SETTINGS, by=by, now=now
        )


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
DRAFTING_ENDPOINT: Final = "Scripted drafts"
SCRIPT: Final = {"replies": [{"contains": ["free time"], "reply": json.dumps(PROPOSED)}]}


def play_drafting(*, project: Project, by: User, now: datetime) -> None:
    """Have questions proposed from a source of the demo; nobody is asked over the network."""
    version = SourceVersion.objects.filter(source__project=project, source__title=SOURCE).first()
    designer = Membership.objects.active().filter(project=project, role=Role.DESIGNER).first()
    if version is None or designer is None:
        return
    script = endpoint_scripts.add_scripted(
        project=project, by=by, now=now, script=SCRIPT, name=DRAFTING_ENDPOINT
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


TUNED: Final = "Careful reader"
#: What the second version adds to the usual instructions.
MORE: Final = (
    "\n- The reference answer is one good example. An answer that says the same in other words, or adds true "
    "detail, is as good."
)


def play_tuning(*, project: Project, by: User, now: datetime) -> None:
    """Split the first final round, and try the usual instructions and changed ones."""
    final = Round.objects.filter(project=project, state=Round.State.FINAL).order_by("number")
    round_ = final.filter(kind=Round.Kind.PRODUCTION).first()
    if round_ is None:
        return
    who: Any = {"by": by, "now": now}
    wish = TuningBegin(
        name=TUNED,
        round=round_.number,
        endpoint=scripted(project, by, now).name,
        criteria=("correctness",),
        share=50,
        seed=SEED,
    )
    tuning = tuning_deeds.begin(round_=round_, wish=wish, **who)
    usual = tuning.instructions
    for place, (instructions, note) in enumerate(
        [(usual, "The usual instructions"), (usual + MORE, "Says that the reference is an example")]
    ):
        tuning_deeds.keep(
            tuning=tuning, instructions=instructions, examples=[], rev=tuning.rev, **who
        )
        key = UUID(int=seeds.integer(project.slug, f"demo tuning {place}", below=2**128))
        made = tuning_deeds.try_version(tuning=tuning, key=key, note=note, budget=None, **who)
        working.work(made.run_id, clock=lambda: now)
