"""The worlds that are recorded: the demo, an empty project, and one with a row for every route."""

import json
import os
import shutil
import subprocess
import sys
from datetime import datetime
from pathlib import Path

from evalsite import env

ROOT = env.BASE_DIR / "var" / "recorder"
WORLD = ROOT / "world"
#: When the worlds were made: the clock of every recording stands a little later.
MADE_AT = "made_at.json"


def build() -> None:
    """Make the worlds, unless they are there: a data folder as the site has it."""
    if (WORLD / MADE_AT).exists():
        return
    shutil.rmtree(WORLD, ignore_errors=True)
    WORLD.mkdir(parents=True)
    own = {"EVALSITE_DATA": str(WORLD)}
    kept = {name: text for name, text in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    manage = [sys.executable, str(env.BASE_DIR / "manage.py")]
    subprocess.run([*manage, "prepare"], env=kept | own, cwd=env.BASE_DIR, check=True)
    if in_a_process(WORLD, "fill").wait():
        sys.exit("The worlds could not be made.")


def copied(to: Path) -> None:
    """Copy the worlds as they were made, and bring their tables to the code as it is now."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(WORLD, to, ignore=shutil.ignore_patterns("static", "logs"))


def made_at(folder: Path) -> datetime:
    return datetime.fromisoformat(json.loads((folder / MADE_AT).read_text()))


def fill() -> None:
    """Fill the site whose data folder the settings name: what the demo lacks, and the other projects."""
    from django.conf import settings
    from django.utils import timezone

    from tests.e2e import worlds
    from tests.e2e.site import Site

    data = Path(settings.DATA_DIR)
    for slug in worlds.SLUGS:
        worlds.build(Site(data, port=0), slug)
    (data / MADE_AT).write_text(json.dumps(timezone.now().isoformat()))


def in_a_process(data: Path, *arguments: str) -> "subprocess.Popen[bytes]":
    """Start a deed of this package on a data folder."""
    own = {"EVALSITE_DATA": str(data), "DJANGO_SETTINGS_MODULE": "tests.settings"}
    own["PYTHONHASHSEED"] = "0"  # sets are gone through in one order
    command = [sys.executable, "-m", "tests.recorder", *arguments]
    return subprocess.Popen(command, env=os.environ | own, cwd=env.BASE_DIR)
