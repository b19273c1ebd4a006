"""The wheel holds all that a site needs, and a site starts from it."""

import contextlib
import os
import shutil
import signal
import site
import socket
import subprocess
import sys
import time
import urllib.request
import venv
import zipfile

import pytest

from evalsite import env

# One group: the wheel is built once.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.xdist_group("wheel")]

ROOMS = ("evalsite", "annotation", "scoring", "templates", "static", "fixtures")
#: Beside the code, what the demo reads of the documentation.
READ = "docs/examples/files"
NO_CACHES = shutil.ignore_patterns("__pycache__", "*.pyc")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build from a copy, so that nothing is left in the tree."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    for room in (*ROOMS, READ):
        shutil.copytree(env.BASE_DIR / room, source / room, ignore=NO_CACHES)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(env.BASE_DIR / name, source / name)
    command = [
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "--wheel-dir",
    ]
    done = subprocess.run(
        [sys.executable, "-m", *command, str(folder), str(source)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return next(folder.glob("*.whl"))


def kept(source, room):
    files = (path for path in (source / room).rglob("*") if path.is_file())
    return {str(path.relative_to(source)) for path in files}


@pytest.mark.parametrize("room", [*ROOMS, READ])
def test_holds_every_file(wheel, room):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())

    held = kept(wheel.parent / "source", room)
    assert held
    assert held - names == set()


@pytest.mark.nightly
def test_starts_a_site(wheel, tmp_path):
    """In an environment of its own, with this one's libraries and none of its code."""
    venv.create(tmp_path / "venv", with_pip=False)
    own = next((tmp_path / "venv/lib").glob("python*/site-packages"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(own)
    (own / "libraries.pth").write_text("\n".join(site.getsitepackages()))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    data = tmp_path / "d"
    given = {
        key: value
        for key, value in os.environ.items()
        if key not in {"DJANGO_SETTINGS_MODULE", "PYTHONPATH"}
    } | {"EVALSITE_DATA": str(data), "DATABASE_URL": "", "REDIS_URL": ""}
    command = [
        tmp_path / "venv/bin/python",
        "-m",
        "evalsite",
        "up",
        "--no-demo",
        "--port",
        str(port),
    ]
    with (tmp_path / "said").open("w") as said:
        running = subprocess.Popen(command, env=given, cwd=tmp_path, stdout=said, stderr=said)
        try:
            page = _first_page(f"http://127.0.0.1:{port}/", running)
        finally:
            running.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                running.wait(90)
            running.kill()
    assert "Sign in" in page, (tmp_path / "said").read_text()
    assert (data / "static/css").is_dir()


def _first_page(url, running):
    until = time.monotonic() + 400
    while time.monotonic() < until and running.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=20) as answer:  # noqa: S310
            return answer.read().decode()
        time.sleep(2)
    return ""
