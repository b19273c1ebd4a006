"""How long the installation takes and how large it is: a fresh environment from requirements.lock.

    python benchmarks/install.py

Yardstick: 150 s and 640 MB. The package cache is not used, so the network is part of the time.
"""

import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "venv"
        began = time.perf_counter()
        venv.create(place, with_pip=True)
        subprocess.run(
            [
                place / "bin" / "python",
                *["-m", "pip", "--disable-pip-version-check", "install", "--quiet"],
                *["--no-cache-dir", "--require-hashes", "-r", ROOT / "requirements.lock"],
            ],
            check=True,
        )
        seconds = time.perf_counter() - began
        size = sum(one.stat().st_size for one in place.rglob("*") if one.is_file())
    sys.stdout.write(f"install: {seconds:.0f} s (at most 150), {size / 1e6:.0f} MB (at most 640)\n")


if __name__ == "__main__":
    main()
