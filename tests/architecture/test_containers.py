"""What the image would hold, run as compose.yaml runs it, as far as that can be seen without containers."""

import json
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager

import pytest
import yaml
from django.core.management import get_commands

from annotation.common import draws as seeds
from evalsite import env
from tests import servers

#: What "postgresql-client" is in a release of Debian; it may not be older than the server.
CLIENTS = {"bookworm": 15, "trixie": 17}
WITHIN = 150.0


def stages():
    """Return the instructions of the Dockerfile, stage by stage, lines that go on joined."""
    text = (env.BASE_DIR / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line.split(maxsplit=1) for line in text.splitlines() if line and line[0] != "#"]
    starts = [n for n, line in enumerate(lines) if line[0] == "FROM"]
    return [lines[at:until] for at, until in zip(starts, [*starts[1:], None], strict=True)]


def said(instruction):
    """Return what the image's own stage says behind an instruction, each time it does."""
    return [rest for name, rest in stages()[-1] if name == instruction]


def compose():
    return yaml.safe_load((env.BASE_DIR / "compose.yaml").read_text())


def command_of(name):
    return compose()["services"][name]["command"]


def copied():
    """Return what is copied from the tree: where it is, where it goes."""
    pairs = []
    for words in map(shlex.split, said("COPY")):
        if not words[0].startswith("--from"):
            pairs += [(one, words[-1]) for one in words[:-1]]
    return pairs


def found(source):
    """Return what a line of the Dockerfile copies, of which there has to be something."""
    return sorted(env.BASE_DIR.glob(source)) or pytest.fail(f"There is no {source} to copy.")


class TestTheImage:
    def test_holds_only_what_may_enter_it(self):
        allowed = (env.BASE_DIR / ".dockerignore").read_text().split()

        assert {f"!{source}" for source, _ in copied()} <= set(allowed)

    def test_has_programs_for_backups_that_are_as_new_as_its_database(self):
        release = re.search(r"slim-(\w+)", said("FROM")[0]).group(1)
        image = compose()["services"]["database"]["image"]

        assert int(image.partition(":")[2]) <= CLIENTS[release]

    def test_runs_as_somebody_who_may_write_its_data_alone(self):
        names = [name for name, _ in stages()[-1]]

        assert said("USER") == ["evalsite"]
        assert names.index("USER") > max(n for n, name in enumerate(names) if name == "COPY")
        assert said("VOLUME") == ["/data"]

    def test_holds_no_secret(self):
        assert not re.search(r"(SECRET|PASSWORD|KEY)\w*=", " ".join(said("ENV") + said("ARG")))


class TestTheServices:
    def test_run_commands_that_there_are(self):
        services = compose()["services"]
        words = [
            one["command"] for one in services.values() if "manage.py" in one.get("command", ())
        ]

        assert {one[2] for one in words} == {"prepare", "work", "sweep"} <= set(get_commands())

    def test_attend_every_queue(self, settings):
        ways = {tuple(one.get("command", ())) for one in compose()["services"].values()}

        attended = {way[3] for way in ways if "work" in way}

        assert attended | {"bulk", "large"} == set(settings.RQ_QUEUES)
        assert "default" in attended  # its worker attends those two as well

    def test_wait_for_the_migrations(self):
        services = compose()["services"]
        ours = {name for name, one in services.items() if one.get("image") == "evalsite"}

        assert {
            name
            for name in ours
            if services[name]["depends_on"]
            == {"prepared": {"condition": "service_completed_successfully"}}
        } == ours - {"prepared"}

    def test_open_no_port_to_other_machines(self):
        ports = [port for one in compose()["services"].values() for port in one.get("ports", ())]

        assert [port.split(":")[0] for port in ports] == ["127.0.0.1"]


@pytest.fixture
def image(tmp_path):
    """The image's folder, with nothing in it but what the Dockerfile copies."""
    folder = tmp_path / "image"
    for source, place in copied():
        for here in found(source):
            there = folder / place
            if here.is_dir():
                shutil.copytree(here, there, ignore=shutil.ignore_patterns("__pycache__"))
                continue
            (there if place.endswith("/") else there.parent).mkdir(parents=True, exist_ok=True)
            shutil.copy(here, there)
    return folder


class Stack:
    """The services as processes, on a PostgreSQL and a Redis of their own."""

    def __init__(self, image, data, database, queue):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.image, self.data = image, data
        self.environment = {
            "PATH": f"{sys.prefix}/bin:/usr/bin:/bin",
            "PYTHONDONTWRITEBYTECODE": "1",
            "EVALSITE_LOG": "json",
            "EVALSITE_PRODUCTION": compose()["x-site"]["environment"]["EVALSITE_PRODUCTION"],
            "EVALSITE_DATA": str(data),
            "SECRET_KEY": seeds.generator("containers").bytes(32).hex(),
            "ALLOWED_HOSTS": ".grades.example",
            "EVALSITE_ADDRESS": "https://site.grades.example",
            "EVALSITE_MAIL": "",
            "DATABASE_URL": database,
            "REDIS_URL": queue,
        }

    def words(self, listed):
        return [word.replace("8000", str(self.port)) for word in listed]

    def run(self, listed):
        return subprocess.run(
            self.words(listed),
            cwd=self.image,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )

    @contextmanager
    def running(self, name, listed):
        path = self.data / f"{name}.said"
        with path.open("w") as out:
            process = subprocess.Popen(
                self.words(listed), cwd=self.image, env=self.environment, stdout=out, stderr=out
            )
        try:
            yield path
        finally:
            process.terminate()
            process.wait(60)

    def is_healthy(self):
        check = said("HEALTHCHECK")[0]
        return self.run(json.loads(check[check.index("CMD ") + 4 :])).returncode == 0


@pytest.mark.nightly
@pytest.mark.timeout(600)
def test_what_is_copied_becomes_a_healthy_site(image, tmp_path):
    before = sorted(image.rglob("*"))
    data = tmp_path / "data"
    data.mkdir()
    with servers.postgres() as database, servers.redis_server(tmp_path) as queue:
        stack = Stack(image, data, database, queue)
        prepared = stack.run(command_of("prepared"))
        assert prepared.returncode == 0, prepared.stderr[-4000:]
        with ExitStack() as services:
            paths = [services.enter_context(stack.running("web", json.loads(said("CMD")[0])))]
            was_healthy_alone = stack.is_healthy()
            for name in ("worker", "insight", "runs", "sweeper"):
                paths.append(services.enter_context(stack.running(name, command_of(name))))
            until = time.monotonic() + WITHIN
            while not (healthy := stack.is_healthy()) and time.monotonic() < until:
                time.sleep(1)
        logs = "\n".join(path.read_text() for path in paths)

    assert not was_healthy_alone
    assert healthy, logs[-6000:]
    # Before the workers were there, it said that they were not.
    complaints = [line for line in logs.splitlines() if '"level": "ERROR"' in line]
    assert [line for line in complaints if "/healthz" not in line] == []
    assert sorted(image.rglob("*")) == before  # nothing is written beside the code


@pytest.mark.nightly
@pytest.mark.timeout(600)
def test_what_is_copied_can_load_the_demo(image, tmp_path):
    with servers.postgres() as database, servers.redis_server(tmp_path) as queue:
        stack = Stack(image, tmp_path / "data", database, queue)
        stack.environment |= {"EVALSITE_PRODUCTION": "0"}
        prepared = stack.run(["python", "manage.py", "prepare"])

    assert prepared.returncode == 0, prepared.stderr[-4000:]
    assert "northport" in (tmp_path / "data/demo_accounts.txt").read_text()
