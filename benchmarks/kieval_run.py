"""How fast interviews go: `python -m benchmarks.kieval_run`.

A scripted server at 200 ms a call plays interviewer, candidate and evaluator. Forty questions × five
exchanges, 32 requests in flight, two worker processes at once. Nothing stops early, and every verdict
can be read, so a dialogue is its first answer and five times a question, an answer and a verdict, one
after the other: 16 calls. The critical path is the longer of one dialogue, 16 × 200 ms, and all calls
at 32 at once. The site is one on SQLite in a throw-away folder, or `--database postgresql://…`.
"""

import argparse
import os

from benchmarks.run_engine import LATENCY, at_once, say, served, yardstick_ms
from tests.scoring import interviewed

QUESTIONS, EXCHANGES, SLOTS = 40, 5, 32
IN_A_ROW = 1 + 3 * EXCHANGES
MOST_RATIO = 1.6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", default="", help="a PostgreSQL server")
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    with served(options.database, {"latency": LATENCY * 1000, "stop": 0.0}) as url:
        measure(url, options.times)


def measure(url: str, times: int) -> None:
    import django

    django.setup()
    from scoring.engine.models import LLMCall, Run
    from scoring.kinds.interviews.models import Dialogue

    for number in range(times):
        run = requested(url, key=number + 1)
        wall, cpu = at_once([run, run])
        n_calls = LLMCall.objects.filter(run=run).count()
        path = critical_path(n_calls)
        assert Run.objects.get(pk=run).state == Run.State.DONE
        assert Dialogue.objects.filter(run=run).count() == QUESTIONS
        assert n_calls == QUESTIONS * IN_A_ROW
        say(
            f"{QUESTIONS} questions × {EXCHANGES} exchanges, {n_calls} calls, {SLOTS} in flight, two "
            f"processes: {wall:.1f} s, {cpu:.1f} s of processor, {wall / path:.2f} × the critical path "
            f"of {path:g} s (at most {MOST_RATIO:g})"
        )
    say(f"machine: {yardstick_ms():.0f} CPU-ms for 2,000 × json, load {os.getloadavg()[0]:.1f}")


def critical_path(n_calls: int) -> float:
    """Return the seconds below which nobody can be."""
    return max(IN_A_ROW * LATENCY, n_calls * LATENCY / SLOTS)


def requested(url: str, *, key: int) -> int:
    """Return the key of a run of interviews whose three roles one server plays."""
    from annotation.systems.models import Item
    from scoring.endpoints.models import Endpoint, Judge
    from scoring.engine import working as planning
    from scoring.kinds.interviews import operations as evaluators
    from scoring.kinds.interviews import operations as interviewing
    from tests import make
    from tests.scoring import connected, running

    home = make.project()
    asked = Endpoint.objects.filter(project=home).first() or running.endpoint(
        "All roles",
        url=url,
        model_name="scripted",
        max_in_flight=SLOTS,
        found={"json_schema": {"value": True}},
    )
    release = make.release("Kestrel")
    if not release.connections.exists():
        connected.connection(release, to=asked)
    for number in range(Item.objects.filter(project=home).count(), QUESTIONS):
        make.item(f"Q{number}", question=f"What holds ship {number}?", reference="A rope.")
    items = list(Item.objects.filter(project=home).values_list("pk", flat=True))
    owner = connected.owner(home)
    evaluator = Judge.objects.filter(project=home).first() or evaluators.create(
        project=home,
        name="Evaluator",
        endpoint=asked,
        settings=evaluators.InterviewSettings(),
        by=owner,
        now=make.NOW,
    )
    wish = interviewing.Interviews(
        **connected.head(key, f"Interviews {key}"),
        over="bank:",
        releases=(release.pk,),
        interactor=asked.name,
        evaluator=evaluator.rater_id,
        planned=EXCHANGES,
    )
    run = interviewed.asked(home, wish, items, evaluator)
    planning.plan(run=run, clock=running.clock)
    return run.pk


if __name__ == "__main__":
    main()
