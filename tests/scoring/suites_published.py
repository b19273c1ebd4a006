"""Turns of conversations that people rate, for tests: judged by two, and published as a draft."""

from typing import Any
from uuid import UUID

from annotation import models
from annotation.rounds import drawing
from scoring.engine.models import Run
from scoring.kinds.suites import queries as suite_frame
from scoring.publishing import operations as publishing
from scoring.publishing import suites as suite_rubrics
from tests import copies, make
from tests.scoring import connected, suites

#: Two judges side by side; what each says is drawn from the seed of its script.
SUITE = suites.JUDGED.replace("[{endpoint: Judge}]", "[{endpoint: Judge}, {endpoint: Other}]")
#: Turns of the assistant in the conversations of `judged`.
N_TURNS = 8


def talks(n: int = 4) -> list[dict[str, object]]:
    """Return conversations in which the assistant speaks twice, under a prompt that names it."""
    return [
        {
            "id": f"berth-{number}",
            "messages": [
                {"role": "system", "content": "You are Kestrel, who helps at berth."},
                {"role": "user", "content": f"Which berth has ship {number}? Kestrel?"},
                {"role": "assistant", "content": f"Berth {number}, says Kestrel."},
                {"role": "user", "content": "Is it free?"},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {"function": {"name": "berth", "arguments": f'{{"n": {number}}}'}}
                    ],
                },
                {"role": "tool", "content": "free"},
                {"role": "assistant", "content": f"Yes, berth {number} is free."},
            ],
        }
        for number in range(n)
    ]


@copies.made_once_among
def judged(text: str = SUITE, *, n: int = 4, number: int = 1) -> Run:
    """Return a run in which two judges looked at every turn of the assistant."""
    connected.endpoint("Judge", script={"seed": 3})
    connected.endpoint("Other", script={"seed": 5})
    home = suites.brought(suites.lines(talks(n)))
    return suites.done(suites.requested(suites.saved(text), home, number=number))


def values_by_turn(run: Run) -> dict[tuple[int, str, int | None], list[float]]:
    """Return what the judges gave each turn by the rubric."""
    found: dict[tuple[int, str, int | None], list[float]] = {}
    rows = suite_frame.judgments_of(run).filter(criterion__name="kind", value__isnull=False)
    for one in rows:
        assert one.value is not None
        place = (one.response_id, one.target_level, one.target_index)
        found.setdefault(place, []).append(one.value)
    return found


def published(run: Run, sort: str = "turns", *, n: int | None = None, **more: Any) -> models.Round:
    """Return the prepared draft in which parts of conversations are rated by the suite's rubric."""
    home = make.project()
    (rubric, *_others) = suite_rubrics.offered(run)
    round_ = publishing.publish_for_rating(
        project=home,
        key=UUID(int=900 + run.number),
        source=publishing.source_of(run, sort=sort),
        wish=publishing.PublishWish(
            "Rated", rubric, seed="a seed", secret=make.SECRET, n=n, **more
        ),
        user=connected.owner(home),
        by_owner=False,
        now=make.NOW,
    )
    drawing.prepare(round_=round_, now=make.NOW)
    round_.refresh_from_db()
    return round_
