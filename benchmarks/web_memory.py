"""How much memory the web process holds when nobody asks anything of it.

    python benchmarks/web_memory.py

Starts the server as `manage.py up` does (gunicorn, one process, eight threads) on a database with
the demo, asks for the login page and the grading list on every thread, waits, and reads the
resident set of the worker. Median of five servers. Yardstick: 120 MB.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PORT = 18771
RUNS = 5


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "EVALSITE_DATA": folder, "DJANGO_SETTINGS_MODULE": "evalsite.settings"}
        for command in (["migrate", "-v0"], ["collectstatic", "--noinput", "-v0"], ["load_demo"]):
            subprocess.run(
                [sys.executable, "manage.py", *command],
                cwd=ROOT,
                env=env,
                check=True,
                stdout=subprocess.DEVNULL,
            )
        sizes = [measured(env) for _run in range(RUNS)]
    sys.stdout.write(
        f"idle web worker: {statistics.median(sizes):.0f} MB, median of {RUNS} "
        f"({min(sizes):.0f} to {max(sizes):.0f}; at most 120)\n"
    )


def measured(env: dict[str, str]) -> float:
    server = subprocess.Popen(
        [
            *[
                sys.executable,
                "-m",
                "gunicorn",
                "evalsite.wsgi",
                "--worker-class",
                "evalsite.front.worker.Worker",
            ],
            *["--threads", "8", "--bind", f"127.0.0.1:{PORT}", "--no-control-socket"],
            *["--log-level", "error"],
        ],
        cwd=ROOT,
        env=env,
    )
    try:
        wait_until_ready()
        askers = [threading.Thread(target=ask) for _thread in range(8)]
        for one in askers:
            one.start()
        for one in askers:
            one.join()
        time.sleep(3)
        return max(resident(pid) for pid in children(server.pid))
    finally:
        server.terminate()
        server.wait(20)


def wait_until_ready() -> None:
    for _try in range(120):
        try:
            ask()
        except OSError:
            time.sleep(0.25)
        else:
            return
    raise SystemExit("The server did not answer.")


def ask() -> None:
    with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/login/", timeout=10) as answer:
        answer.read()


def children(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def resident(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise SystemExit("The memory of the worker cannot be read here.")


if __name__ == "__main__":
    main()
