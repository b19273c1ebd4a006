"""The other programs, each in a virtual environment of its own.

They lie in the folder that EVALSITE_PEERS names, else in `var/peers`. What is installed there is
pinned in `requirements/`, a file for each.
"""

import json
import os
import re
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = Path(__file__).parent / "requirements"
INSIDE = Path(__file__).parent / "inside"


@dataclass(frozen=True)
class Peer:
    """Another program.

    Attributes:
        key: the name of its environment and of its file of requirements.
        name: as readers know it.
        package: the distribution whose version is told.
        home: where its documentation is.
    """

    key: str
    name: str
    package: str
    home: str


PEERS = {
    one.key: one
    for one in (
        Peer("label-studio", "Label Studio", "label-studio", "https://labelstud.io/guide/"),
        Peer("potato", "Potato", "potato-annotation", "https://github.com/davidjurgens/potato"),
        Peer(
            "flexeval",
            "python-flexeval",
            "python-flexeval",
            "https://github.com/DigitalHarborFoundation/FlexEval",
        ),
        Peer("inspect", "Inspect AI", "inspect-ai", "https://inspect.aisi.org.uk/"),
        Peer("nlpstats", "nlpstats", "nlpstats", "https://github.com/danieldeutsch/nlpstats"),
        Peer(
            "krippendorff",
            "krippendorff",
            "krippendorff",
            "https://github.com/pln-fing-udelar/fast-krippendorff",
        ),
    )
}


class Failed(RuntimeError):
    """Another program is not there, or did not do what it was asked; says why in one line."""


def folder() -> Path:
    """Return where the environments are."""
    return Path(os.environ.get("EVALSITE_PEERS") or ROOT / "var" / "peers")


def python(key: str) -> Path:
    """Return the interpreter of a peer's environment.

    Raises:
        Failed: it is not installed.
    """
    found = folder() / key / "bin" / "python"
    if not found.exists() or not version(key):
        raise Failed(problem(key))
    return found


def version(key: str) -> str:
    """Return the version that is installed, or nothing."""
    package = re.sub(r"[-_.]+", "_", PEERS[key].package)
    places = (folder() / key / "lib").glob(f"python*/site-packages/{package}-*.dist-info")
    return next((one.name.removesuffix(".dist-info").rpartition("-")[2] for one in places), "")


def problem(key: str) -> str:
    """Return in one line why a peer is not there."""
    noted = folder() / f"{key}.problem"
    why = noted.read_text().strip() if noted.exists() else ""
    return f"could not be installed: {why}" if why else "not installed"


def install(key: str) -> str:
    """Make a peer's environment anew; returns its version.

    Raises:
        Failed: it cannot be installed. The reason is kept for the table.
    """
    place, noted = folder() / key, folder() / f"{key}.problem"
    folder().mkdir(parents=True, exist_ok=True)
    noted.unlink(missing_ok=True)
    try:
        venv.create(place, with_pip=True, clear=True)
        command = [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        command += ["--disable-pip-version-check", "-r", str(REQUIREMENTS / f"{key}.txt")]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1_800)
        why = last_error(done.stderr) if done.returncode else ""
    except (OSError, subprocess.SubprocessError) as error:
        why = f"{type(error).__name__}"
    if why or not version(key):
        noted.write_text(why or "nothing of that name came")
        raise Failed(problem(key))
    return version(key)


def last_error(said: str) -> str:
    """Return the last line of an installer that names an error, without addresses and folders."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    named = [line for line in lines if re.match(r"(ERROR|error|\w*Error)\b", line)]
    line = (named or lines or ["no reason was given"])[-1]
    line = re.sub(r"https?://\S+", "…", line)
    return re.sub(r"(?<!\w)/[\w./-]+", "…", line)[:200]


def ask(key: str, given: Any, *, seconds: float = 900, more: dict[str, str] | None = None) -> Any:
    """Let the script `inside/with_KEY.py` work in the peer's own Python; returns what it found.

    The script gets `given` as JSON in its first argument; the last line that it prints is JSON.

    Raises:
        Failed: the peer is not there, or its script ended with an error.
    """
    command = [
        str(python(key)),
        str(INSIDE / f"with_{key.replace('-', '_')}.py"),
        json.dumps(given),
    ]
    try:
        done = subprocess.run(
            command,
            env={**clean(), **(more or {})},
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds,
            cwd=folder() / key,
        )
    except subprocess.TimeoutExpired as error:
        raise Failed(f"failed: not done after {seconds:g} s") from error
    if done.returncode:
        raise Failed(f"failed: {last_error(done.stderr)}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def clean() -> dict[str, str]:
    """Return this process's environment without what belongs to our site."""
    ours = ("DJANGO_", "EVALSITE_", "DATABASE_URL", "PYTHONPATH", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
