"""Potato: its server, an annotator at it, its export."""

import contextlib
import json
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import yaml

from benchmarks.peers import installed
from benchmarks.peers.desks import ANSWERS, LEVELS, SEATS, Person, Place, questions
from benchmarks.peers.installed import Failed
from benchmarks.peers.web import Web, server

PORT = 18785
#: A key for each level of each answer, as the file of a task may name them.
KEYS = "123qweasdzxc"
FORM = {"Content-Type": "application/json"}


@contextlib.contextmanager
def site(n_items: int) -> Iterator[Place]:
    """Run a task of so many questions; importing is what its start does.

    Raises:
        Failed: it is not installed or does not start.
    """
    program = installed.python("potato").with_name("potato")
    with tempfile.TemporaryDirectory(prefix="evalsite-peer-") as name:
        folder = Path(name)
        lines = (
            json.dumps({"id": f"q{one['n']}", "text": shown(one)}) for one in questions(n_items)
        )
        (folder / "items.jsonl").write_text("\n".join(lines))
        (folder / "config.yaml").write_text(yaml.safe_dump(config()))
        command = [str(program), "start", "config.yaml", "-p", str(PORT)]
        began = time.perf_counter()
        with server(command, folder, PORT, more={}, seconds=240) as made:
            yield Place("potato", folder, made.pid, time.perf_counter() - began, sit)


def config() -> dict[str, object]:
    """Return the file of the task: one choice for each of four answers, three annotators each."""
    return {
        "annotation_task_name": "Quays",
        "task_dir": ".",
        "data_files": ["items.jsonl"],
        "item_properties": {"id_key": "id", "text_key": "text"},
        "output_annotation_dir": "out",
        "output_annotation_format": "jsonl",
        "port": PORT,
        "host": "127.0.0.1",
        "require_password": True,
        "user_config": {"allow_all_users": True, "users": []},
        "max_annotations_per_item": SEATS,
        "assignment_strategy": "random",
        "annotation_schemes": [
            {
                "annotation_type": "radio",
                "name": f"grade_{letter}",
                "description": f"Answer {letter}",
                "labels": [
                    {"name": str(level), "key_value": KEYS[place * LEVELS + level]}
                    for level in range(LEVELS)
                ],
            }
            for place, letter in enumerate(ANSWERS)
        ],
    }


def shown(one: dict[str, object]) -> str:
    return "\n\n".join(str(one[key]) for key in ("question", *ANSWERS))


def sit(number: int) -> Person:
    """Register an annotator, who has the first question open."""
    return Annotator(number)


class Annotator:
    """One who grades as the page's script does: a save for each choice, then the next page."""

    def __init__(self, number: int) -> None:
        self.web = Web(PORT)
        who = {"email": f"annotator-{number}", "pass": f"secret-Word9-{number}"}
        status, said = self.web.form("/register", who)
        if status >= 400:
            raise Failed(f"failed: registering answered {status}: {said[:80].decode()}")
        self.web.get("/annotate")

    @property
    def took(self) -> list[float]:
        return self.web.took

    def grade(self, drafts: int) -> bool:
        current = self.web.json("GET", "/api/current_instance")
        item = current.get("instance_id")
        if not item:
            return False
        marks: dict[str, str] = {}
        for place, letter in enumerate(ANSWERS):
            marks[f"grade_{letter}:{place % LEVELS}"] = str(place % LEVELS)
            if place < drafts or place == len(ANSWERS) - 1:
                body = {"instance_id": item, "annotations": marks, "span_annotations": []}
                self.web.json("POST", "/updateinstance", body)
        body = {"action": "next_instance", "instance_id": item}
        status, _said = self.web.ask("POST", "/annotate", json.dumps(body), FORM)
        if status >= 400:
            raise Failed(f"failed: going on answered {status}")
        return True


def above_seats(place: Place) -> tuple[int, int]:
    """Return how many questions were taken by more than the seats, and by anybody."""
    taken: dict[str, int] = {}
    for path in (place.folder / "out").glob("*/user_state.json"):
        for item in json.loads(path.read_text())["instance_id_to_label_to_value"]:
            taken[item] = taken.get(item, 0) + 1
    return sum(n > SEATS for n in taken.values()), len(taken)


def export(place: Place) -> tuple[float, int]:
    """Export as CSV with its own command; returns seconds and grades."""
    python = str(installed.python("potato"))
    command = [python, "-m", "potato.export", "-c", "config.yaml", "-f", "csv", "-o", "exported"]
    began = time.perf_counter()
    done = subprocess.run(
        command, cwd=place.folder, env=installed.clean(), capture_output=True, check=False
    )
    took = time.perf_counter() - began
    if done.returncode:
        raise Failed(f"failed: {installed.last_error(done.stderr.decode())}")
    lines = sum(
        max(0, path.read_text().count("\n") - 1)
        for path in (place.folder / "exported").rglob("*.csv")
    )
    return took, lines * len(ANSWERS)
