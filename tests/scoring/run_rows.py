"""Rows of runs for tests of what is shown of them: written straight, without an engine."""

import hashlib
import itertools
from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import Max

from annotation import models as people
from scoring.endpoints.models import Endpoint
from scoring.engine.models import CallText, LLMCall, Run, Step
from tests import make

_count = itertools.count(1)


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def endpoint(
    name: str = "Meridian", *, in_: people.Project | None = None, **given: Any
) -> Endpoint:
    """Return an endpoint with prices."""
    home = in_ or make.project()
    found = Endpoint.objects.filter(project=home, name=name).first()
    defaults: dict[str, Any] = {
        "model_name": "meridian-xl",
        "prompt_price": Decimal(1),
        "completion_price": Decimal(2),
        "created_at": make.NOW,
    }
    return found or Endpoint.objects.create(project=home, name=name, **{**defaults, **given})


def run(*, in_: people.Project | None = None, **given: Any) -> Run:
    """Return a judge's run that has begun."""
    home = in_ or make.project()
    number = (home.runs.aggregate(n=Max("number"))["n"] or 0) + 1
    defaults: dict[str, Any] = {
        "key": UUID(int=1000 + next(_count)),
        "number": number,
        "kind": Run.Kind.JUDGE,
        "name": f"Run {number}",
        "protocol": "direct/v1",
        "config": {"n_repeats": 1, "temperature": 0.0},
        "config_sha": "c" * 64,
        "secret": "s" * 64,
        "state": Run.State.RUNNING,
        "requested_by": home.memberships.filter(role=people.Role.OWNER).earliest("pk").user,
        "requested_at": make.NOW,
        "started_at": make.NOW,
    }
    return Run.objects.create(project=home, **{**defaults, **given})


def step(of: Run, **given: Any) -> Step:
    """Return the next step of a run, done a minute after its start."""
    ordinal = of.steps.count()
    defaults: dict[str, Any] = {
        "key": f"step {ordinal}",
        "ordinal": ordinal,
        "state": Step.State.DONE,
        "outcome": Step.Outcome.OK,
        "started_at": make.NOW,
        "finished_at": make.at(1),
    }
    return Step.objects.create(run=of, **{**defaults, **given})


def free(of: Run, **given: Any) -> Step:
    """Return a step that nobody has begun."""
    nothing = {"state": "FREE", "outcome": "", "started_at": None, "finished_at": None}
    return step(of, **{**nothing, **given})


def text(of: Run, said: str) -> str:
    """Keep a text of a run's calls; return its hash."""
    CallText.objects.get_or_create(run=of, sha=sha(said), defaults={"text": said})
    return sha(said)


def call(
    of: Step,
    said: str | None = "It is good: 4.",
    *,
    messages: Sequence[tuple[str, str]] = (("user", "How good is it?"),),
    **given: Any,
) -> LLMCall:
    """Return a call of a step with its reply; one without says what went wrong in `trouble`."""
    answered = {
        "text_sha": text(of.run, said) if said is not None else "",
        "reply": {"finish": "stop"} if said is not None else None,
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "cost": Decimal("0.00014"),
    }
    defaults: dict[str, Any] = {
        "endpoint": given.pop("endpoint", None) or endpoint(in_=of.run.project),
        "request_sha": sha(f"{of.pk} {next(_count)}"),
        "role": "judge",
        "messages": [[role, text(of.run, content)] for role, content in messages],
        "settings": {"temperature": 0.0, "seed": 7},
        "seconds": 2.0,
        "at": make.at(1),
        **(
            answered
            if said is not None
            else {"trouble": "TIMEOUT", "problem": "No reply in 120 s."}
        ),
    }
    return LLMCall.objects.create(step=of, run=of.run, **{**defaults, **given})


def large(n_steps: int, n_calls: int, *, now: datetime = make.NOW, **given: Any) -> Run:
    """Return a run of many steps with so many calls each; one step in ten is not done."""
    made = run(**given)
    asked = [endpoint("Meridian", in_=made.project), endpoint("Harbour", in_=made.project)]
    outcomes = ["OK"] * 7 + ["SYSTEM", "NO_READING", ""]
    Step.objects.bulk_create(
        [
            Step(
                run=made,
                ordinal=place,
                key=f"step {place}",
                outcome=outcomes[place % 10],
                state="DONE" if outcomes[place % 10] else "FREE",
                problem="" if place % 10 < 7 else "What went wrong here, in a sentence.",
                result={"scores": {"accuracy": place % 5}, "said": "word " * 60},
                started_at=now,
                finished_at=now + timedelta(seconds=place % 3600),
            )
            for place in range(n_steps)
        ],
        batch_size=500,
    )
    prompt, said = text(made, "How good is it? " * 40), text(made, "It is good: 4. " * 20)
    LLMCall.objects.bulk_create(
        [
            LLMCall(
                step=one,
                run=made,
                endpoint=asked[number % 2],
                request_sha=sha(f"{one.ordinal} {number}"),
                role=("judge", "assistant")[number % 2],
                messages=[["system", prompt], ["user", prompt]],
                settings={"temperature": 0.0},
                text_sha=said,
                reply={"finish": "stop", "fingerprint": "x"},
                prompt_tokens=500,
                completion_tokens=80,
                cost=Decimal("0.00066"),
                seconds=1.5,
                at=now,
            )
            for one in made.steps.order_by("ordinal")
            for number in range(n_calls)
        ],
        batch_size=500,
    )
    return made
