"""Suites that have systems complete the starts of conversations, for tests."""

from typing import Any

from scoring.engine.models import Run
from scoring.llm.base import Reply, Role
from tests.scoring import running, suites

#: Two recorded systems: the same two starts, and one that has two turns of a user.
STARTS: tuple[dict[str, Any], ...] = (
    {
        "id": "gate",
        "messages": [
            {"role": "system", "content": "You help drivers."},
            {"role": "user", "content": "Where is gate 12?"},
            {"role": "assistant", "content": "Behind the weighbridge."},
            {"role": "user", "content": "And gate 13?"},
            {"role": "assistant", "content": "Beside it."},
        ],
    },
    {
        "id": "wind",
        "messages": [
            {"role": "user", "content": "May the crane turn in this wind?"},
            {"role": "assistant", "content": "No."},
        ],
    },
)
COMPLETED = """\
name: Candidates
completion: {completion}
grader: [{{endpoint: Judge}}]
rubrics:
  kind:
    prompt: "Is the answer kind?\\n{{context}}\\n{{completion}}"
    choice_scores: {{KIND: 1, UNKIND: 0}}
metrics:
  function:
    - {{name: string_length, metric_level: Turn}}
  rubric:
    - name: kind
      metric_level: Turn
      depends_on: [{{name: is_role, kwargs: {{role: assistant}}, metric_min_value: 1}}]
"""
FUNCTIONS = """\
name: Candidates
completion: {completion}
metrics:
  function:
    - {{name: count_messages, metric_level: Thread}}
    - {{name: string_length, metric_level: Turn}}
"""


def saved(completion, text=FUNCTIONS):
    return suites.saved(text.format(completion=completion))


def brought(**given):
    return suites.brought(suites.lines(STARTS), **given)


def worked(run: Run, model: Any, **given: Any) -> Run:
    """Work on a run to its end as workers do, job after job: each stage is planned at the end of one."""
    for _job in range(5):
        run = running.worked(run, model, **given)
        if run.state not in {Run.State.STAGED, Run.State.RUNNING}:
            break
    return run


class Answers(running.Model):
    """Answers as the system that is asked, and judges that all is kind."""

    async def reply(self, request):
        self.asked[request.role] += 1
        if request.role == Role.JUDGE:
            return Reply("KIND", prompt_tokens=10, completion_tokens=2)
        if request.role == Role.INTERACTOR:
            return Reply("And then?" if request.exchange < 2 else "[END]", prompt_tokens=9)
        said = f"{request.messages[-1].content[:-1]}: answer {request.repeat + 1}."
        return Reply(said, prompt_tokens=20, completion_tokens=5)
