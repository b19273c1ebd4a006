"""Label Studio: its server, an annotator at it, its import and export."""

import contextlib
import json
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.peers import installed
from benchmarks.peers.desks import ANSWERS, LEVELS, SEATS, Place, questions
from benchmarks.peers.installed import Failed
from benchmarks.peers.web import Web, server

PORT, PROJECT = 18787, 1
OWNER, PASSWORD = "peer@example.org", "secret-Word9"
QUIET = {
    "COLLECT_ANALYTICS": "false",
    "LATEST_VERSION_CHECK": "false",
    "SENTRY_DSN": "",
    "FRONTEND_SENTRY_DSN": "",
}
CHOICES = "".join(f'<Choice value="{level}"/>' for level in range(LEVELS))
LAYOUT = (
    '<View><Text name="question" value="$question"/>'
    + "".join(
        f'<Text name="{one}" value="${one}"/>'
        f'<Choices name="grade_{one}" toName="{one}">{CHOICES}</Choices>'
        for one in ANSWERS
    )
    + "</View>"
)


@contextlib.contextmanager
def site(n_items: int) -> Iterator[Place]:
    """Run a project of so many tasks, imported over HTTP in one file.

    Raises:
        Failed: it is not installed or does not start.
    """
    program = installed.python("label-studio").with_name("label-studio")
    with tempfile.TemporaryDirectory(prefix="evalsite-peer-") as name:
        folder = Path(name)
        _empty(folder)
        command = [str(program), "start", "--no-browser", "-p", str(PORT), "--data-dir", name]
        command += ["--username", OWNER, "--password", PASSWORD]
        with server(command, folder, PORT, more=QUIET, seconds=400) as made:
            owner = _signed_in("/user/login/", OWNER)
            layout = {"title": "Quays", "label_config": LAYOUT, "maximum_annotations": SEATS}
            project = owner.json("POST", "/api/projects/", layout)["id"]
            tasks = [
                {"data": {key: str(value) for key, value in one.items()}}
                for one in questions(n_items)
            ]
            began = time.perf_counter()
            said = owner.json("POST", f"/api/projects/{project}/import", tasks)
            took = time.perf_counter() - began
            if said.get("task_count") != n_items:
                raise Failed(f"failed: it imported {said.get('task_count')} of {n_items}")
            yield Place("label-studio", folder, made.pid, took, lambda n: Annotator(n, project))


def _empty(folder: Path) -> None:
    """Copy a data folder with an empty database, which takes minutes to make anew."""
    kept = installed.folder() / "label-studio-empty"
    base = kept / "label_studio.sqlite3"
    if not base.exists():
        program = installed.python("label-studio").with_name("label-studio")
        command = [str(program), "start", "--no-browser", "-p", str(PORT), "--data-dir", str(kept)]
        kept.mkdir(exist_ok=True)
        command += ["--username", OWNER, "--password", PASSWORD]
        with server(command, kept, PORT, more=QUIET, seconds=900):
            pass
    for path in kept.glob("label_studio.sqlite3*"):
        shutil.copy(path, folder / path.name)


def _signed_in(path: str, name: str) -> Web:
    web = Web(PORT)
    page = web.get(path).decode(errors="replace")
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    if not token:
        raise Failed(f"failed: {path} has no form")
    fields = {"csrfmiddlewaretoken": token[1], "email": name, "password": PASSWORD}
    status, _said = web.form(path, {**fields, "how_find_us": "", "elaborate": ""})
    if status >= 400 or "sessionid" not in web.cookies:
        raise Failed(f"failed: {path} answered {status}")
    return web


class Annotator:
    """One who grades as the page's script does: next task, drafts, then the annotation."""

    def __init__(self, number: int, project: int) -> None:
        self.web = _signed_in("/user/signup/", f"annotator-{number}@example.org")
        self.project = project

    @property
    def took(self) -> list[float]:
        return self.web.took

    def grade(self, drafts: int) -> bool:
        task = self.web.json("GET", f"/api/projects/{self.project}/next")
        if not task or not task.get("id"):
            return False
        result: list[dict[str, Any]] = []
        draft: dict[str, Any] = {}
        for place, letter in enumerate(ANSWERS):
            result.append(_choice(letter, place % LEVELS))
            if place < drafts:
                body = {"result": result, "lead_time": 1.0 + place}
                where = (
                    f"/api/drafts/{draft['id']}/" if draft else f"/api/tasks/{task['id']}/drafts"
                )
                draft = self.web.json("PATCH" if draft else "POST", where, body)
        body = {"result": result, "lead_time": 5.0}
        body |= {"draft_id": draft["id"]} if draft else {}
        where = f"/api/tasks/{task['id']}/annotations?project={self.project}"
        self.web.json("POST", where, body)
        return True


def _choice(letter: str, level: int) -> dict[str, Any]:
    return {
        "id": f"mark{letter}",
        "from_name": f"grade_{letter}",
        "to_name": letter,
        "type": "choices",
        "value": {"choices": [str(level)]},
    }


def exported() -> tuple[float, list[dict[str, Any]]]:
    """Export everything as JSON; returns seconds and the tasks."""
    web = _signed_in("/user/login/", OWNER)
    projects = web.json("GET", "/api/projects/")["results"]
    began = time.perf_counter()
    said = web.get(f"/api/projects/{projects[0]['id']}/export?exportType=JSON")
    return time.perf_counter() - began, json.loads(said)


def export(place: Place) -> tuple[float, int]:
    """Export as JSON over HTTP; returns seconds and grades."""
    took, tasks = exported()
    return took, sum(len(mark["result"]) for task in tasks for mark in task["annotations"])


def above_seats(place: Place) -> tuple[int, int]:
    """Return how many tasks were annotated by more than the seats, and by anybody."""
    _took, tasks = exported()
    counts = [len(task["annotations"]) for task in tasks]
    return sum(n > SEATS for n in counts), sum(n > 0 for n in counts)
