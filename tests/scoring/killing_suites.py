"""Suites that are killed: `python -m tests.scoring.killing_suites '{"url": "http://…", "slots": 1}'`.

With `slots` a run of 200 judgments is killed (−9) after 97 with as many calls in flight, and run again; with
`kills` runs with completions are killed at checkpoint after checkpoint, as `tests.scoring.killing` does it.
"""

import asyncio
import json
import os
import sys
from contextlib import asynccontextmanager
from typing import Any

import django

from tests.scoring import killing

N, KILLED_AFTER = 200, 97
SLOTS = 4


def main(plan):
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    import scoring.llm.openai_client  # noqa: F401  loaded once, for all jobs

    told = (
        once(plan["url"], plan["slots"]) if "slots" in plan else often(plan["url"], plan["kills"])
    )
    sys.stdout.write(json.dumps(told) + "\n")


def once(url, slots):
    """Kill one run after 97 judgments, run it again, and tell what was asked before and after."""
    from scoring.engine.models import Judgment, LLMCall

    scene = Scene(url, slots)
    run = scene.judged(N)
    assert forked_until(scene, run, KILLED_AFTER)
    kept = LLMCall.objects.filter(run=run).count()
    first = scene.served.counts()["calls"]
    scene.finish(run)
    scored = Judgment.objects.filter(run=run, rater__kind="JUDGE", outcome="SCORED")
    return {
        "kept": kept,
        "first": first,
        "second": scene.served.counts()["calls"] - first,
        "scored": scored.count(),
        "state": type(run).objects.get(pk=run.pk).state,
    }


def often(url, n_kills):
    """Kill runs that complete and judge until there were so many kills; tell what differs from one nobody killed."""
    from scoring.engine.models import Run

    scene = Scene(url, SLOTS)
    whole = scene.requested(1)
    while Run.objects.get(pk=whole.pk).state in {"STAGED", "RUNNING"}:
        killing.forked(scene, whole, None)
    expected = digest(whole)
    told: dict[str, Any] = {"kills": 0, "runs": 0, "unequal": 0, "most_repeated": 0, "repeated": 0}
    while told["kills"] < n_kills:
        told["runs"] += 1
        run = scene.requested(1 + told["runs"])
        killing.killed(scene, run, told, n_kills)
        told["unequal"] += digest(run) != expected
    told["lines"] = len(expected)
    told["states"] = sorted(set(Run.objects.values_list("state", flat=True)))
    return told


class Scene:
    """A project with conversations, a system that completes them and a judge, all behind one server."""

    def __init__(self, url, slots):
        from scoring.endpoints.models import Endpoint
        from tests.scoring import connected, running
        from tests.scoring.llm.serving import Served

        self.running, self.served = running, Served(url)
        for name in ("Judge", "house"):
            connected.endpoint(
                name,
                kind=Endpoint.Kind.SERVER,
                url=url,
                model_name=name,
                max_in_flight=slots,
                timeout=10,
            )

    def judged(self, n):
        from tests.scoring import suites

        talks = [
            {"id": f"t{one}", "messages": [{"role": "assistant", "content": f"At gate {one}."}]}
            for one in range(n)
        ]
        self.served.reset()
        return suites.requested(suites.saved(suites.JUDGED), suites.brought(suites.lines(talks)))

    def requested(self, key):
        from scoring.kinds.suites.models import SuiteVersion
        from tests.scoring import completed, suites

        version = SuiteVersion.objects.first() or completed.saved(
            "{endpoint: house, start: first, turns: 2, n: 2}", completed.COMPLETED
        )
        self.served.reset()
        return suites.requested(version, completed.brought(), number=key)

    def finish(self, run):
        """Work on a run to its end, job after job, after its lost steps were handed out again."""
        import time

        from scoring.engine import requests as sweeping
        from scoring.engine.models import Run

        while Run.objects.get(pk=run.pk).state in {"STAGED", "RUNNING"}:
            time.sleep(killing.lease() + 0.05)
            sweeping.sweep(self.running.clock())
            assert not killing.forked(self, run, None)


def forked_until(scene, run, n):
    """Work in a process that kills itself in a call after `n` came back; return whether it did."""
    from django.db import connections

    connections.close_all()
    child = os.fork()
    if child:
        _pid, status = os.waitpid(child, 0)
        return os.WIFSIGNALED(status)
    try:
        _work_until(scene, run, n)
    finally:
        os._exit(1)


def _work_until(scene, run, n):
    from scoring.engine import working
    from scoring.engine.claims import Means, open_configured

    seen = {"back": 0}

    class Mortal:
        def __init__(self, model):
            self.model = model

        async def reply(self, request):
            if seen["back"] >= n:
                asyncio.get_running_loop().call_later(0.015, killing.die, True)
            reply = await self.model.reply(request)
            seen["back"] += 1
            return reply

    @asynccontextmanager
    async def opened(endpoint):
        async with open_configured(endpoint) as model:
            yield Mortal(model)

    working.work(run.pk, scene.running.clock, Means(opened, patience=scene.running.QUICK))


def digest(run):
    """Return what a run found, whatever the order in which it found it."""
    from scoring.kinds.suites import exchange as suite_files

    names = ("conversation", "release", "level", "place", "name", "value", "outcome", "text")
    return sorted([str(one[name]) for name in names] for one in suite_files.records(run))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
