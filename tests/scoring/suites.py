"""Conversations and suites for tests, and runs over them."""

import json
from collections.abc import Iterable
from typing import Any

from annotation.people.models import Project, User
from scoring.engine import requests, working
from scoring.engine.models import Judgment, Run
from scoring.kinds.suites import keeping as operations
from scoring.kinds.suites import operations as suite_runs
from scoring.kinds.suites.conversations import operations as conversations
from scoring.kinds.suites.conversations.operations import SetWish
from scoring.kinds.suites.models import ConversationSet, SuiteVersion
from tests import copies, make
from tests.scoring import connected

SUITE = """\
name: Drivers
metrics:
  function:
    - {name: string_length, metric_level: Turn}
    - {name: is_role, kwargs: {role: assistant}, metric_level: Turn}
"""
JUDGED = """\
name: Kindness
grader: [{endpoint: Judge}]
rubrics:
  kind:
    prompt: "Is the answer kind?\\n{context}\\n{completion}"
    choice_scores: {KIND: 1, UNKIND: 0}
metrics:
  rubric:
    - name: kind
      metric_level: Turn
      depends_on: [{name: is_role, kwargs: {role: assistant}, metric_min_value: 1}]
"""
TALKS: tuple[dict[str, Any], ...] = (
    {
        "id": "gate",
        "messages": [
            {"role": "system", "content": "You help drivers."},
            {"role": "user", "content": "Where is gate 12?"},
            {"role": "assistant", "content": "Behind the weighbridge."},
            {"role": "user", "content": "Thanks!"},
        ],
    },
    {
        "id": "crane",
        "messages": [
            {"role": "user", "content": "May the crane turn in this wind?"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"function": {"name": "wind", "arguments": '{"knots": 31}'}}],
            },
            {"role": "tool", "content": "31 knots"},
            {"role": "assistant", "content": "No. Wait until it is below 25."},
        ],
    },
)


def lines(talks: Iterable[dict[str, Any]] = TALKS) -> bytes:
    return "\n".join(json.dumps(one) for one in talks).encode()


def owner(home: Project | None = None) -> User:
    return connected.owner(home or make.project())


@copies.made_once_among
def brought(
    content: bytes | None = None,
    *,
    name: str = "Talks",
    system: str = "Kestrel",
    release: str = "1",
    file_name: str = "talks.jsonl",
    in_: Project | None = None,
) -> ConversationSet:
    """Bring conversations in as a file does."""
    home = in_ or make.project()
    data = lines() if content is None else content
    return conversations.bring_file(
        project=home,
        wish=SetWish(name, system, release, file_name),
        open_file=lambda: [data],
        by=owner(home),
        now=make.NOW,
    ).set


@copies.made_once_among
def saved(text: str = SUITE, *, in_: Project | None = None) -> SuiteVersion:
    home = in_ or make.project()
    return operations.create(project=home, text=text, by=owner(home), now=make.NOW)


def requested(
    version: SuiteVersion | None = None, *sets: ConversationSet, number: int = 1, **given: Any
) -> Run:
    version = version or saved()
    home, since = version.suite.project, given.pop("since", suite_runs.ALL)
    names = tuple(one.name for one in sets or (brought(in_=home),))
    wish = suite_runs.SuiteRun(**connected.head(number, f"Suite {number}"), sets=names, **given)
    of = suite_runs.Of(version, since)
    return requests.started(suite_runs.START, of, wish, user=owner(home), now=make.NOW)


def done(run: Run) -> Run:
    """Work on a run to its end, and return it."""
    working.work(run.pk, clock=lambda: make.NOW)
    run.refresh_from_db()
    return run


def stored(run: Run) -> dict[tuple[str, str, str, int | None], float | str]:
    """Return the value, or the reason, of every conversation, value, level and place."""
    rows = Judgment.objects.filter(run=run).values_list(
        "response__item__external_id",
        "criterion__name",
        "target_level",
        "target_index",
        "value",
        "outcome",
        "reason",
    )
    return {row[:4]: row[4] if row[4] is not None else f"{row[5]}: {row[6]}" for row in rows}
