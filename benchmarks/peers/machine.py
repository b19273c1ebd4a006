"""The machine that measures, and the fixed piece of work that tells it from others."""

import json
import os
import platform
import re
import statistics
import time
from pathlib import Path

from benchmarks.peers.results import Moment


def yardstick_ms(runs: int = 5) -> float:
    """Return the processor milliseconds of the work all measurements use: 2,000 × json, median."""
    table = {f"mark/{place}/grade": str(place) for place in range(40)}
    took = []
    for _run in range(runs):
        began = time.process_time()
        for _time in range(2_000):
            json.loads(json.dumps(table))
        took.append(time.process_time() - began)
    return statistics.median(took) * 1000


def moment() -> Moment:
    """Measure the machine as it is now."""
    return Moment(round(yardstick_ms(), 1), round(os.getloadavg()[0], 1))


def described() -> dict[str, str]:
    """Say what the machine is, without its name and without folders."""
    return {
        "cores": str(len(os.sched_getaffinity(0))),
        "memory": f"{memory_gb():.0f} GB",
        "processor": processor(Path("/proc/cpuinfo").read_text()),
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "Python": platform.python_version(),
    }


def memory_gb() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9


def processor(text: str) -> str:
    """Return the model that /proc/cpuinfo names, or the architecture."""
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.M)
    return found[1].strip() if found else platform.machine()
