"""A run of every kind that comes to something, by the name of its outcome, and its outcome as JSON and page."""

from collections.abc import Callable, Mapping

from evalsite import queue
from scoring.engine.models import Run
from scoring.kinds.fusion import queries as evaluation_tasks
from scoring.kinds.fusion.v1 import Variant
from tests import imports, make
from tests.scoring import (
    assisted,
    connected,
    fused,
    interviewed,
    judged,
    machines,
    measured,
    paired,
    preferred,
    quizzed,
    rounds,
    suites,
    weighed,
)


def accuracy() -> Run:
    quizzed.questions(4)
    quizzed.questions(2, dataset="Dock", first=4)
    return quizzed.done(orders=2)


def interviews() -> Run:
    """Return interviews on two data sets, one of them with a capability, that went on after a stop."""
    named = make.capability("Mooring")
    items = [
        make.item(f"C-{n}", question=f"What is knot {n}?", reference="A hitch.", capability_=named)
        for n in range(2)
    ]
    drawn = [*(one.pk for one in items), *interviewed.questions(3)]
    return interviewed.held(items=drawn, mark_but_continue=True)


def evaluators() -> Run:
    run = interviewed.held(n=3)
    interviewed.judged_again(run, interviewed.evaluator("Listener", script={"seed": 3}))
    return run


def contamination() -> Run:
    """Return interviews of four systems, with figures of other benchmarks and losses brought in."""
    names = ("Kestrel", "Osprey", "Merlin", "Harrier")
    releases = [one.pk for one in interviewed.candidates(*names)]
    run = interviewed.held(items=quizzed.questions(2), releases=releases, planned=1)
    rows = [f"{name},,MT-Bench,{place}" for place, name in enumerate(names)]
    rows += ["Kestrel,Quay,train loss,1", "Kestrel,Quay,test loss,2"]
    imports.apply(imports.figures("\n".join(["system,dataset,figure,value", *rows]) + "\n"))
    return run


def fusion() -> Run:
    """Return a finished run of all three ways over a graded round with a metric."""
    round_ = rounds.graded(state="FINAL", n_items=4, systems=("Kestrel", "Harbour", "Osprey"))
    machines.scored(round_)
    rubric = round_.items.first().rubric_version
    criteria = evaluation_tasks.from_rubric(rubric).criteria
    task = fused.version("overlap", criteria=criteria)
    plan = fused.plan(task, **{criteria[0].key: ["overlap"]})
    by = connected.endpoint(prompt_price="1", completion_price="2")
    ways = (Variant.FE, Variant.FE_NO_PLAN, Variant.DE)
    return fused.ran(fused.wish(task, *ways, plan=plan, by=by, round_=round_))


def metrics() -> Run:
    measured.brought()
    return measured.done(measured.over_import(["words", "bleu"]))


def suite() -> Run:
    """Return a suite's run over two releases, with a judge, a gate and a baseline."""
    connected.endpoint("Judge", script={"seed": 3})
    text = f"{suites.JUDGED}  function: [{{name: string_length, metric_level: Turn}}]\n"
    text += "gates: [{metric: string_length, max: 5}]\n"
    version = suites.saved(text)
    suites.done(suites.requested(version, suites.brought()))
    return suites.done(suites.requested(version, suites.brought(release="2"), number=2))


def labels() -> Run:
    talks = [
        {
            "id": f"t{n}",
            "messages": [
                {"role": "user", "content": "Physics" if n % 2 else "Lunch", "label": label}
            ],
        }
        for n, label in enumerate(["off", "on", "off", "on", "on", "on"])
    ]
    metric = '{name: message_matches_regex, kwargs: {expression: "Physics"}, metric_level: Message}'
    text = f"metrics: {{function: [{metric}]}}"
    return suites.done(suites.requested(suites.saved(text), suites.brought(suites.lines(talks))))


def pairs() -> Run:
    """Return a judge of the pairs of which people have chosen, too."""
    return paired.done(preferred.chosen())


RUNS: Mapping[str, Callable[[], Run]] = {
    "accuracy": accuracy,
    "assistant": lambda: judged.done(assisted.over_import(measured.brought().number)),
    "contamination": contamination,
    "evaluators": evaluators,
    "fusion": fusion,
    "interviews": interviews,
    "metrics": metrics,
    "pairs": pairs,
    "suite": suite,
    "labels": labels,
    "losses": lambda: weighed.done(n=2),
}


def page_at(run: Run, name: str, end: str = "") -> str:
    return f"/p/northport/runs/{run.number}/{name}/{end}"


def api_at(run: Run, name: str) -> str:
    return f"/api/v1/projects/northport/runs/{run.number}/{name}/"


def computed(client, url, capture):
    """Return the answer of an address once its figures are computed."""
    with capture(execute=True):
        client.get(url)
    queue.burst("insight")
    return client.get(url)
