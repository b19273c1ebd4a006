"""Runs that are killed, over and over: `python -m tests.scoring.killing '{"url": "http://…", "kills": 6}'`.

The processor loads everything once and forks a process for each job, which kills itself (−9) at the
checkpoint it is given: before, within or just after the nth transaction, or while or after a call is
under way. What was told at the end is JSON: how often, what was repeated, and whether the exports of
the killed runs are those of a run that nobody killed.
"""

import asyncio
import json
import os
import signal
import sys
import time
from typing import Any

import django

PHASES = ("before", "within", "after", "asked", "answered")
SLOTS = 4


def main(plan):
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    import scoring.llm.openai_client  # noqa: F401  loaded once, for all jobs
    from scoring.engine import files as run_export
    from scoring.engine.models import Run

    scene = Scene(plan["url"], plan.get("n_items", 3))
    whole = scene.requested(1)
    forked(scene, whole, None)
    expected = "".join(run_export.lines(whole_of(whole)))
    told: dict[str, Any] = {"kills": 0, "runs": 0, "unequal": 0, "most_repeated": 0, "repeated": 0}
    while told["kills"] < plan["kills"]:
        told["runs"] += 1
        run = scene.requested(1 + told["runs"])
        killed(scene, run, told, plan["kills"])
        told["unequal"] += "".join(run_export.lines(whole_of(run))) != expected
    told["lines"] = len(expected.splitlines())
    told["states"] = sorted(set(Run.objects.values_list("state", flat=True)))
    sys.stdout.write(json.dumps(told) + "\n")


class Scene:
    """A project with answers, a judge and an endpoint."""

    def __init__(self, url, n_items):
        from tests import make
        from tests.scoring import machines, running
        from tests.scoring.llm.serving import Served

        self.running, self.served = running, Served(url)
        running.register()
        for number in range(n_items):
            item = make.item(f"Q{number}")
            for name in ("Kestrel", "Heron"):
                make.response(item, make.release(name), f"{name} says {number}.")
        self.judge = machines.judge("a judge").rater_id
        self.endpoint = running.endpoint(url=url, model_name="scripted", max_in_flight=SLOTS)

    def requested(self, key):
        self.served.reset()
        return self.running.requested(key, judges=self.judge, endpoint=self.endpoint.pk, calls=2)


def killed(scene, run, told, most):
    """Work on a run until it is done, killing its jobs as long as there are kills left."""
    from scoring.engine import requests as sweeping
    from scoring.engine.models import LLMCall, Run

    lost = 0
    for _job in range(1000):
        number = told["kills"]
        at = (PHASES[number % len(PHASES)], 1 + (number * 7 + told["runs"]) % 17)
        died = forked(scene, run, at if number < most else None)
        told["kills"] += died
        asked = scene.served.counts()["calls"]
        now_lost = asked - LLMCall.objects.filter(run=run).count()
        told["most_repeated"] = max(told["most_repeated"], now_lost - lost)
        lost = now_lost
        if Run.objects.get(pk=run.pk).state == Run.State.DONE:
            told["repeated"] += lost
            return
        time.sleep(lease() + 0.05 if died else 0)  # it runs out
        sweeping.sweep(scene.running.clock())
    raise AssertionError(f"{run} was not done after a thousand jobs.")


def forked(scene, run, at):
    """Work in a process of its own; return whether it was killed."""
    from django.db import connections

    connections.close_all()
    child = os.fork()
    if child:
        _pid, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "A job failed."
        return os.WIFSIGNALED(status)
    code = 1
    try:
        work(scene, run, at)
        code = 0
    finally:
        os._exit(code)


def work(scene, run, at):
    from contextlib import asynccontextmanager

    from django.db import transaction

    from scoring.engine import working
    from scoring.engine.claims import Means, StepDesk, open_configured

    phase, nth = at or ("", 0)
    seen = {"writes": 0, "calls": 0}

    class Deadly(StepDesk):
        async def write(self, deed):
            def deadly():
                seen["writes"] += 1
                mine = seen["writes"] == nth
                die(mine and phase == "before")
                if mine and phase == "after":
                    transaction.on_commit(lambda: die(True))
                result = deed()
                die(mine and phase == "within")
                return result

            return await super().write(deadly)

    class Mortal:
        def __init__(self, model):
            self.model = model

        async def reply(self, request):
            seen["calls"] += 1
            mine = seen["calls"] == (nth + 1) // 2
            if mine and phase == "asked":
                asyncio.get_running_loop().call_later(0.015, die, True)
            reply = await self.model.reply(request)
            die(mine and phase == "answered")
            return reply

    @asynccontextmanager
    async def opened(endpoint):
        async with open_configured(endpoint) as model:
            yield Mortal(model)

    means = Means(open_model=opened, patience=scene.running.QUICK, desk=Deadly)
    working.work(run.pk, scene.running.clock, means)


def lease():
    from django.conf import settings

    return settings.RUN_LEASE


def die(now):
    if now:
        os.kill(os.getpid(), signal.SIGKILL)


def whole_of(run):
    from scoring.engine.models import Run

    return Run.objects.get(pk=run.pk)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
