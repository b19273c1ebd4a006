"""Conversations and a suite in the project of many rows: judged by a script, with long names and texts."""

import json

from django.utils import timezone

from annotation.people.models import Role
from scoring.engine import working
from scoring.kinds.suites import keeping as suites
from scoring.kinds.suites import operations as suite_runs
from scoring.kinds.suites import schedules as suite_schedules
from scoring.kinds.suites.conversations import operations as conversations
from scoring.kinds.suites.conversations.operations import SetWish
from tests import make
from tests.e2e.crowd import Crowd, name
from tests.scoring import connected

N_TALKS = 40
SUITE = """\
name: {name}
grader: [{{endpoint: {judge}}}]
rubrics:
  helpful:
    prompt: "Does it help? {{context}} {{completion}}"
    choice_scores: {{"YES, WITH EVERYTHING THAT WAS ASKED FOR": 1, "NO": 0}}
metrics:
  function:
    - {{name: string_length, metric_level: Turn}}
    - {{name: count_private_data, metric_level: Message}}
  rubric:
    - name: helpful
      depends_on: [{{name: is_role, kwargs: {{role: assistant}}, metric_min_value: 1}}]
gates: [{{metric: helpful, max: 0.1, confidence: 0.95}}]
"""


def talk(number: int) -> dict[str, object]:
    said = [
        {"role": "user", "content": f"{name(number, 60)} where is truck {number}?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"function": {"name": "locate", "arguments": f'{{"truck": {number}}}'}}],
        },
        {"role": "tool", "content": f"gate {number}"},
        {"role": "assistant", "content": f"At gate {number}. {name(number, 200)}"},
    ]
    return {"id": f"{name(number, 100)}-{number}", "messages": said}


def run(crowd: Crowd) -> None:
    """Bring conversations in and have a suite run over them."""
    by = crowd.people[Role.OWNER][0]
    judge = connected.endpoint("Judge of talks", in_=crowd.home, script={"seed": 3})
    data = "\n".join(json.dumps(talk(number)) for number in range(N_TALKS)).encode()
    brought = conversations.bring_file(
        project=crowd.home,
        wish=SetWish(name(8, 100), name(9, 80), "1", "talks.jsonl"),
        open_file=lambda: [data],
        by=by,
        now=make.NOW,
    )
    text = SUITE.format(name=json.dumps(name(10, 100)), judge=judge.name)
    version = suites.create(project=crowd.home, text=text, by=by, now=make.NOW)
    wish = suite_runs.SuiteRun(**connected.head(88, name(11, 120)), sets=(brought.set.name,))
    asked = connected.begun(suite_runs.START, suite_runs.Of(version), wish)
    suite_schedules.set_schedule(
        suite=version.suite, every="DAILY", sets=[brought.set], by=by, now=make.NOW
    )
    working.work(asked.pk, clock=timezone.now)
