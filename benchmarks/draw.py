"""How long it takes to draw 500 items out of 10,000 with ten strata.

    python -m benchmarks.draw [--items 10000] [--systems 4] [--wanted 500] [--times 5]

Works in a throw-away folder on SQLite. What is timed is the whole draw as its page and its
preparation ask for it: reading the bank and the answers, strata, anchors, repeats, the lot.
"""

import argparse
import os
import shutil
import statistics
import tempfile
import time

from benchmarks import open_round

DIFFICULTIES = ("SIMPLE", "INTERMEDIATE")
N_CAPABILITIES = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--systems", type=int, default=4)
    parser.add_argument("--wanted", type=int, default=500)
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="evalsite-bench-")
    os.environ.update(EVALSITE_DATA=folder, DJANGO_SETTINGS_MODULE="evalsite.settings")
    os.environ.pop("DATABASE_URL", None)
    try:
        measure(options.items, options.systems, options.wanted, options.times)
    finally:
        shutil.rmtree(folder)


def measure(n_items: int, n_systems: int, n_wanted: int, times: int) -> None:
    import django

    django.setup()
    from django.core.management import call_command
    from django.utils import timezone

    call_command("migrate", verbosity=0)
    round_ = open_round.make(n_items, n_systems, 3)
    spread(round_.project)
    from annotation.rounds import draws as draw_plans
    from annotation.rounds.rules import Draw, DrawHow

    wanted = Draw(how=DrawHow.SHARES, n_items=n_wanted, avoid_rounds=2, repeats=5)
    taken, busy = [], []
    for _time in range(times):
        began, spent = time.perf_counter(), time.process_time()
        plan = draw_plans.plan(round_, wanted, timezone.now())
        taken.append(time.perf_counter() - began)
        busy.append(time.process_time() - spent)
    print(
        f"{plan.drawn} of {plan.n_eligible} items, {len(plan.strata)} strata, {plan.missing} missing,"
        f" {plan.n_repeats} repeats: median {statistics.median(taken):.2f} s,"
        f" slowest {max(taken):.2f} s of {times}; processor {statistics.median(busy):.2f} s"
    )


def spread(project: object) -> None:
    """Sort the items into five capabilities and two levels of difficulty."""
    from annotation import models

    capabilities = [
        models.Capability.objects.create(project=project, name=f"Capability {place}")
        for place in range(N_CAPABILITIES)
    ]
    for place in range(N_CAPABILITIES * len(DIFFICULTIES)):
        some = models.Item.objects.filter(project=project, external_id__endswith=str(place))
        some.update(
            capability=capabilities[place % N_CAPABILITIES],
            difficulty=DIFFICULTIES[place // N_CAPABILITIES],
        )


if __name__ == "__main__":
    main()
