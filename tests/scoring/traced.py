"""Traces of agents that people rate, for tests: from the file of hard ones to an open round."""

from datetime import datetime
from pathlib import Path
from uuid import UUID

from annotation import models
from annotation.people.models import Role
from annotation.rounds import drafting, drawing, opening
from annotation.rounds.models import IdentityHit
from scoring.engine.models import Run
from scoring.publishing import operations as publishing
from scoring.publishing import suites as suite_rubrics
from tests import make
from tests.make.rounds import secret_of
from tests.scoring import connected, suites

FILE = Path("fixtures/examples/agent_traces.jsonl")
#: A judge looks at every turn, a function at every call of a tool.
SUITE = """\
name: Tools
grader: [{endpoint: Judge}]
rubrics:
  right_step:
    prompt: "Is this the right step? {context} {tool_calls} {completion}"
    choice_scores: {RIGHT: 1, WRONG: 0}
metrics:
  function:
    - {name: count_numeric_tool_call_params_by_name, metric_level: ToolCall}
  rubric:
    - name: right_step
      metric_level: Turn
      depends_on: [{name: is_role, kwargs: {role: assistant}, metric_min_value: 1}]
"""


def judged(*, in_: models.Project | None = None, number: int = 1) -> Run:
    """Return a run in which a judge looked at every call of the hard traces."""
    home = in_ or make.project()
    connected.endpoint("Judge", in_=home, script={"seed": 3})
    brought = suites.brought(FILE.read_bytes(), in_=home, name="Traces")
    return suites.done(suites.requested(suites.saved(SUITE, in_=home), brought, number=number))


def drafted(run: Run, sort: str, *, number: int = 1, now: datetime = make.NOW) -> models.Round:
    """Return the prepared draft of a round in which three people rate parts of the traces."""
    home = run.project
    owner = connected.owner(home)
    (rubric,) = suite_rubrics.offered(run)
    round_ = publishing.publish_for_rating(
        project=home,
        key=UUID(int=700 + number),
        source=publishing.source_of(run, sort=sort),
        wish=publishing.PublishWish(
            f"Traces {number}", rubric, seed="a seed", secret=secret_of(home)
        ),
        user=owner,
        by_owner=True,
        now=now,
    )
    people = [
        make.member(Role.ANNOTATOR, in_=home, username=f"ann-{place + 1}") for place in range(3)
    ]
    drafting.invite(round_=round_, users=people, by=owner, by_owner=True, now=now, override="")
    drawing.prepare(round_=round_, now=now)
    round_.refresh_from_db()
    return round_


def opened(
    run: Run, sort: str = "tool_calls", *, number: int = 1, now: datetime = make.NOW
) -> models.Round:
    """Return the open round; every name that was found is masked."""
    return open_draft(drafted(run, sort, number=number, now=now), now=now)


def open_draft(round_: models.Round, *, now: datetime = make.NOW) -> models.Round:
    by = connected.owner(round_.project)
    mask = IdentityHit.Decision.MASK
    terms = list(round_.identity_hits.values_list("term", flat=True))
    drawing.decide(round_=round_, terms=terms, decision=mask, by=by, now=now)
    opening.request_opening(round_=round_, by=by, now=now)
    opening.open_round(round_=round_, now=now)
    round_.refresh_from_db()
    return round_
