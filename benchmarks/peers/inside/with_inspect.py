"""Judgments of answers by Inspect AI's own judge; in its own Python."""

import json
import os
import sys
import tempfile
import time

from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.scorer import model_graded_qa
from inspect_ai.solver import Generate, TaskState, solver


@solver
def answered():
    """Put the answer that is to be judged where a model's own would stand; calls nothing."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content("given", state.metadata["answer"])
        return state

    return solve


def main() -> None:
    given = json.loads(sys.argv[1])
    os.environ |= {"STUB_API_KEY": "none", "STUB_BASE_URL": given["url"]}
    samples = [
        Sample(input=question, target=right, metadata={"answer": answer})
        for question, right, answer in given["items"]
    ]
    judge = get_model("openai-api/stub/scripted")
    scorer = model_graded_qa(grade_pattern=r"(?s)^(.+)$", model=judge)
    task = Task(dataset=MemoryDataset(samples), solver=answered(), scorer=scorer)
    with tempfile.TemporaryDirectory() as folder:
        began, computed = time.perf_counter(), time.process_time()
        [log] = evaluate(
            task,
            model=judge,
            display="none",
            log_dir=folder,
            max_connections=given["slots"],
            max_samples=given["slots"],
        )
        wall, cpu = time.perf_counter() - began, time.process_time() - computed
        graded = sum(bool(sample.scores) for sample in log.samples or [])
    print(json.dumps({"status": log.status, "wall": wall, "cpu": cpu, "graded": graded}))


if __name__ == "__main__":
    main()
