"""The commands of the recorder: `python -m tests.recorder record`, `… compare [--only WORD]`."""

import argparse
import os
import sys
from pathlib import Path

from tests.recorder import recording, world

#: One for each processor of a small machine.
N_SHARES = 2
BEFORE, AFTER = "before", "after"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.recorder", description=__doc__)
    parser.add_argument("deed", choices=["record", "compare", "fill", "ask"])
    parser.add_argument("rest", nargs="*")
    parser.add_argument("--only", default="", help="a word of a route's name or of its module")
    given = parser.parse_args()
    if given.deed == "record":
        world.build()
        return _record(BEFORE, given.only)
    if given.deed == "compare":
        return _record(AFTER, given.only) or _compare(given.only)
    _in_the_product(given.deed, given.rest, given.only)
    return 0


def _record(stem: str, only: str) -> int:
    for old in world.ROOT.glob(f"{stem}-*.jsonl.gz"):
        old.unlink()
    running = []
    for share in range(N_SHARES):
        folder = world.ROOT / f"data-{share}"
        world.copied(folder)
        arguments = ["ask", stem, str(share), "--only", only]
        running.append(world.in_a_process(folder, *arguments))
    return max(abs(one.wait()) for one in running)


def _compare(only: str) -> int:
    before, after = (recording.read(world.ROOT, stem) for stem in (BEFORE, AFTER))
    if not before:
        print("Nothing is recorded yet: make record")  # noqa: T201 -- a command
        return 2
    if only:
        asked = {key.split()[3] for key in after if key.count(" ") >= 4}
        before = {
            key: one for key, one in before.items() if key.split()[3:4] and key.split()[3] in asked
        }
    found = recording.differences(before, after)
    print(recording.told(found, len(after)))  # noqa: T201 -- a command
    return 1 if found else 0


def _in_the_product(deed: str, rest: list[str], only: str) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django

    django.setup()
    if deed == "fill":
        world.fill()
        return
    from tests.recorder import asking

    asking.record(rest[0], int(rest[1]), N_SHARES, only)


if __name__ == "__main__":
    sys.path.insert(0, str(Path.cwd()))
    sys.exit(main())
