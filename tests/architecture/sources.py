"""What the house tests look at: the files that belong to the project."""

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("evalsite", "annotation", "scoring")


@cache
def tracked() -> tuple[Path, ...]:
    """Return every file of the project: those in git, and new ones that git does not ignore."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listing.returncode:  # an unpacked archive
        return tuple(
            path
            for room in (*ROOMS, "templates", "static", "tests")
            for path in (ROOT / room).rglob("*.*")
        )
    names = listing.stdout.decode().split("\0")
    return tuple(path for name in names if name and (path := ROOT / name).is_file())


def modules(*rooms: str) -> list[Path]:
    """Return the Python files of these rooms, migrations aside."""
    chosen = rooms or ROOMS
    return [
        path
        for path in tracked()
        if path.suffix == ".py"
        and path.relative_to(ROOT).parts[0] in chosen
        and "migrations" not in path.relative_to(ROOT).parts
    ]


def templates() -> list[Path]:
    return [
        path
        for path in tracked()
        if path.suffix == ".html" and path.is_relative_to(ROOT / "templates")
    ]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def dotted(path: Path) -> str:
    """Return the name by which a Python file is imported."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
