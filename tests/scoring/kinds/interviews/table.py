"""A table for interviews: a model that plays all roles from a script and remembers what it was sent."""

import asyncio
import json

from scoring.kinds.interviews import v1
from scoring.kinds.interviews.asking_v1 import Problem
from scoring.llm.base import Message, Reply, Role
from scoring.protocols.untrusted import Fence

FENCE = Fence("a secret of the run", "step 1")
FREE = Problem("q-1", (Message("user", "What is demurrage?"),), "A charge for late return.")
CHOICE = Problem(
    "q-2",
    (Message("user", "What holds a ship?"),),
    "",
    {"A": "a rope", "B": "a bell", "C": "a crane"},
    "A",
)


def verdict(score=3, *, stop=False, reason="none", **changes):
    made = {
        **{
            name: {"comment": f"on {name}", "score": score}
            for name in ("accuracy", "logic", "relevance", "coherence", "conciseness")
        },
        "overall_comment": "in all",
        "overall_score": score,
        "stop_conversation": stop,
        "stop_reason": reason,
    }
    return json.dumps(made | changes)


class Scripted:
    """Answers each role from its list, the last line again and again; an exception in it is raised."""

    def __init__(self, **lines):
        self.lines = {
            Role.CANDIDATE: ["first", "reply 0", "reply 1", "reply 2", "reply 3", "reply 4"],
            Role.INTERACTOR: ["ask 0", "ask 1", "ask 2", "ask 3", "ask 4"],
            Role.EVALUATOR: [verdict()],
        } | {Role(name): list(said) for name, said in lines.items()}
        self.requests = []

    async def reply(self, request):
        n = sum(one.role is request.role for one in self.requests)
        self.requests.append(request)
        said = self.lines[request.role][min(n, len(self.lines[request.role]) - 1)]
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, Reply) else Reply(said)

    def of(self, role):
        return [one for one in self.requests if one.role is role]


def interview(model, problem=FREE, *, seed=7, **config):
    made = v1.Config(**{"planned": 3} | config)
    return asyncio.run(v1.interview(model, problem, made, fence=FENCE, seed=seed))
