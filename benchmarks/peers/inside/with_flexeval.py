"""Functions and rubrics over conversations by python-flexeval; in its own Python."""

import json
import os
import sqlite3
import sys
import time
from pathlib import Path

from flexeval import runner
from flexeval.schema import Config, Eval, EvalRun
from flexeval.schema.eval_schema import FunctionItem, RubricItem
from flexeval.schema.evalrun_schema import FileDataSource

VALUES = """
SELECT t.id, m.turn_id, m.evaluation_name, m.metric_value FROM metric m JOIN thread t
ON t.id = m.thread_id WHERE m.evaluation_type = 'function' ORDER BY t.id, m.turn_id, m.id
"""


def main() -> None:
    given = json.loads(sys.argv[1])
    os.environ |= {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": given["url"]}
    out = Path(given["data"]).with_name("peer.db")
    metrics = {
        "function": [FunctionItem(name=name, metric_level="Turn") for name in given["functions"]]
    }
    graded = {}
    if given["rubrics"]:
        metrics = {"rubric": [RubricItem(name="kind", metric_level="Thread")]}
        model = {
            "function_name": "open_ai_completion",
            "kwargs": {"model_name": "scripted", "api_key_name": "OPENAI_API_KEY"},
        }
        graded = {"grader_llm": model}
    run = EvalRun(
        data_sources=[FileDataSource(path=given["data"], format="jsonl")],
        database_path=str(out),
        rubric_paths=[given["rubrics"]] if given["rubrics"] else [],
        eval=Eval(name="peer", metrics=metrics, **graded),
        config=Config(
            clear_tables=True,
            max_workers=given["workers"],
            max_n_conversation_threads=given["talks"],
        ),
    )
    began, computed = time.perf_counter(), time.process_time()
    runner.run(run)
    wall, cpu = time.perf_counter() - began, time.process_time() - computed
    with sqlite3.connect(out) as base:
        values = base.execute(VALUES).fetchall()
        judged = "SELECT count(*) FROM metric WHERE evaluation_type = 'rubric'"
        [n_judged] = base.execute(judged).fetchone()
    kept = values if given.get("values") else []
    found = {"wall": wall, "cpu": cpu, "n": len(values), "judged": n_judged, "values": kept}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
