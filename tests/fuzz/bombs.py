"""Read a file that is made to burst a reader, in a process of its own: how long, how much memory."""

import io
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import django


def zipped() -> None:
    """A bank file of a megabyte that would be a gigabyte."""
    from annotation.bankfile.reading import BankArchive, NoBank
    from annotation.bankfile.records import MANIFEST, PARTS

    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        for part in PARTS:
            with archive.open(f"{part}.jsonl", "w") as file:
                for _piece in range(120 if part == "questions" else 0):
                    file.write(b" " * 1024 * 1024)
        archive.writestr(MANIFEST, "{}")
    try:
        BankArchive(kept)
    except NoBank:
        return
    raise AssertionError("It was taken.")


def deep() -> None:
    """A line of ten million brackets."""
    from annotation.bankfile.reading import _parsed
    from evalsite.records import Fault

    assert isinstance(_parsed(b'{"a":' + b"[" * 5_000_000), Fault)


def aliases() -> None:
    """A suite whose aliases stand for each other, nine times nine."""
    from evalsite import errors
    from scoring.kinds.suites import keeping as suites

    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    for n in range(1, 10):
        again = ", ".join([f"*a{n - 1}"] * 9)
        lines.append(f"a{n}: &a{n} [{again}]")
    try:
        suites.read_suite("\n".join(lines))
    except errors.Refusal:
        return
    raise AssertionError("It was taken.")


def table() -> None:
    """A table of one line that does not end."""
    from annotation.files.cells import BadFile
    from annotation.files.look import layouts

    piece = b'"' + b"a," * 512 * 1024
    try:
        layout = layouts.recognise("big.csv", lambda: iter([b"id,text\n", *[piece] * 60]))
        layouts.columns_of(layouts.read_records(layout, iter([b"id,text\n", *[piece] * 60])))
    except BadFile:
        return


BOMBS: dict[str, Callable[[], None]] = {
    "zip": zipped,
    "deep": deep,
    "aliases": aliases,
    "table": table,
}


def _most_memory() -> int:
    """Return the most megabytes this process has held; ru_maxrss would count the one that began it."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) // 1024
    raise AssertionError("This system does not say.")


def main(name: str) -> None:
    django.setup()
    began = time.process_time()
    BOMBS[name]()
    spent = time.process_time() - began
    sys.stdout.write(f"{spent} {_most_memory()}\n")


if __name__ == "__main__":
    main(sys.argv[1])
