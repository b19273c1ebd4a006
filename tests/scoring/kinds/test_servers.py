"""What every kind of run makes of servers as they are: never a wrong result, never an unseen cost.

The direct judge has a table of its own, by day; these take longer, and follow one law.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from django.db import transaction
from django.db.models import Sum

from annotation.people.models import Role
from annotation.sources import operations as sources
from scoring.endpoints.models import Endpoint
from scoring.engine import working
from scoring.engine.claims import Means
from scoring.engine.models import Run, Step
from scoring.kinds.drafting import operations as drafting
from scoring.kinds.fusion.v1 import Variant
from scoring.llm.scripted.answering import Answerer, ScriptedOptions, ScriptedRequest
from tests import make
from tests.scoring import (
    connected,
    fused,
    interviewed,
    judged,
    paired,
    quizzed,
    running,
    suites,
)
from tests.scoring.llm import behaving
from tests.scoring.llm.behaving import BEHAVIOURS

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
#: Replies that say the same as a good one, in another way: whoever parses them reads the same.
WRAPPED = {
    "cut_off_once",
    "fenced",
    "fenced_in_words",
    "twice_the_same",
    "surrogates",
    "null_character",
    "repeats_the_key",
}
#: What says something else than a good reply: whatever is made of it, it is not the same.
OTHER = {
    "refusal_apart",
    "refusal_in_words",
    "cut_off_always",
    "cut_off_as_max_tokens",
    "thinks_without_end",
}


READING = re.compile(r"[.](value|chosen|right|content|answer|question|evidence)$|[.]scores[.]")


DRAFT = json.dumps(
    {
        "questions": [
            {
                "question": "Where is demurrage charged?",
                "answer": "Inside the terminal.",
                "key_points": ["Inside the terminal."],
                "evidence": "charged inside the terminal",
            }
        ]
    }
)


def geval():
    judge = judged.judge(kind="geval", repeats=2, weights="samples", max_tokens=16)
    return judged.requested(make.open_round(n_items=1, n_releases=1), judge)


def single():
    return judged.requested(make.open_round(n_items=1, n_releases=1), judged.judge(kind="single"))


def collect():
    connected.connection()
    make.item("Q01")
    return connected.request()


def accuracy():
    quizzed.questions(1)
    return quizzed.requested(releases=[one.pk for one in interviewed.candidates("Kestrel")])


def interviews():
    releases = [one.pk for one in interviewed.candidates("Kestrel")]
    return interviewed.requested(n=1, releases=releases, planned=1)


def fusion():
    batch = fused.scored()
    version = fused.version("overlap")
    return fused.requested(fused.wish(version, Variant.DE, batch=batch))


def pairs():
    return paired.requested(make.open_round(n_items=1, n_releases=2))


def suite():
    connected.endpoint("Judge")
    return suites.requested(suites.saved(suites.JUDGED))


def drafts():
    home, curator = make.project(), make.member(Role.CURATOR)
    drafting.allow(
        project=home,
        endpoint=connected.endpoint("Helper"),
        by=make.member(Role.OWNER),
        now=make.NOW,
    )
    text = "First paragraph.\n\nDemurrage is charged inside the terminal."
    version = sources.add_source(
        project=home,
        about=sources.SourceAbout("Tariff"),
        said=sources.SourceSaid(text=text),
        by=curator,
        now=make.NOW,
    )
    asked = drafting.request_questions(
        version=version,
        start=18,
        end=len(text),
        key="00000000-0000-0000-0000-000000000009",
        seed=3,
        by=make.member(Role.DESIGNER),
        now=make.NOW,
    )
    return asked.run


@dataclass(frozen=True)
class Kind:
    request: Callable[[], Run]
    #: What a good server says; else the scripted model's words.
    good: str = ""
    #: A system answers in it, so that what it says counts as it is.
    has_candidate: bool = False


KINDS = {
    "geval": Kind(geval),
    "single": Kind(single),
    "collect": Kind(collect, has_candidate=True),
    "accuracy": Kind(accuracy, has_candidate=True),
    "interviews": Kind(interviews, has_candidate=True),
    "fusion": Kind(fusion),
    "pairs": Kind(pairs),
    "suite": Kind(suite),
    "drafts": Kind(drafts, good=DRAFT),
}


@pytest.fixture(autouse=True)
def _near(settings):
    settings.ENDPOINT_NETWORKS = ("127.0.0.0/8",)


def scripted(sent):
    """Return what the scripted model says to a body, whatever the parameters beside its messages."""
    left = {
        "seed",
        "temperature",
        "max_tokens",
        "max_completion_tokens",
        "top_logprobs",
        "logprobs",
    }
    body = json.dumps({name: value for name, value in sent.items() if name not in left | {"n"}})
    request = ScriptedRequest("POST", "/v1/chat/completions", {}, body.encode())
    said = json.loads(Answerer(ScriptedOptions()).take(request).body)
    return said["choices"][0]["message"]["content"]


def worked(run, stub):
    """Return a run that was worked on to its end, or to where it stops, with all endpoints at a stub."""
    Endpoint.objects.update(
        kind="SERVER", url=stub.url, model_name="m", max_in_flight=1, timeout=1, found={}
    )
    for _stage in range(6):
        working.work(run.pk, running.clock, Means(patience=running.QUICK))
        run.refresh_from_db()
        if run.state != Run.State.RUNNING:
            break
    return run


def results(run):
    """Return what the steps of a run came to."""
    done = run.steps.filter(state=Step.State.DONE, outcome=Step.Outcome.OK)
    return {one.key: one.result for one in done}


def billed(said):
    """Return how many tokens a body says were used, if it says so in numbers."""
    try:
        used = json.loads(said.body)["usage"]
        return used["prompt_tokens"] + used["completion_tokens"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return 0


def reference(kind):
    """Return what a good server brings, worked out once and taken back."""
    if kind not in _KNOWN:
        before = transaction.savepoint()
        with behaving.behaving(BEHAVIOURS["good"], KINDS[kind].good or scripted) as stub:
            _KNOWN[kind] = results(worked(KINDS[kind].request(), stub))
        transaction.savepoint_rollback(before)
    return _KNOWN[kind]


_KNOWN = {}


class TestServers:
    @pytest.mark.parametrize("name", BEHAVIOURS)
    @pytest.mark.parametrize("kind", KINDS)
    def test_bring_the_same_result_or_none_with_a_reason(self, kind, name):
        good, bills = reference(kind), []

        def noted(sent, text, nth):
            said = BEHAVIOURS[name](sent, text, nth)
            bills.append(0 if said.cut is not None else billed(said))
            return said

        with behaving.behaving(noted, KINDS[kind].good or scripted) as stub:
            run = worked(KINDS[kind].request(), stub)

        assert any(value is not None for one in good.values() for _place, value in values(one))
        assert run.state == Run.State.DONE or (run.state == Run.State.PAUSED and run.problem)
        assert run.pause != Run.Pause.PROBLEM
        for one in run.steps.filter(outcome__in=["MACHINE", "SYSTEM", "NO_READING"]):
            assert one.problem or one.trouble
            assert "Unexpected error" not in one.problem
        seen = run.calls.aggregate(n_in=Sum("prompt_tokens"), n_out=Sum("completion_tokens"))
        assert (seen["n_in"] or 0) + (seen["n_out"] or 0) >= sum(bills)
        if name not in OTHER and not (KINDS[kind].has_candidate and name in WRAPPED):
            assert_same(results(run), good)


def assert_same(found, good):
    """What there is of values is as a good server brings it; what is missing is no value."""
    for key, result in found.items():
        for place, value in values(result):
            assert value is None or value == dict(values(good[key]))[place], (key, place)


def values(result, place=""):
    """Yield every number of a result that is a reading, by its place."""
    if isinstance(result, dict):
        for name, one in result.items():
            yield from values(one, f"{place}.{name}")
    elif isinstance(result, list):
        for number, one in enumerate(result):
            yield from values(one, f"{place}[{number}]")
    elif READING.search(place):
        yield place, result
