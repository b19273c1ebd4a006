"""Start a run of a suite over sets of conversations, and wait for its gates: 0 passed, 1 not, 3 steps failed.

    python run_suite.py PROJECT SUITE SET [SET …]

Made for pipelines: the exit status says whether every gate was passed.
"""

import json
import sys
import time
import uuid

from client import call, figure

project, suite, *sets = sys.argv[1:]
home = f"/api/v1/projects/{project}"
wish = {"key": str(uuid.uuid4()), "name": "From a pipeline", "sets": sets, "seed": 1}
estimate = call(f"{home}/suites/{suite}/run/", {**wish, "estimate": True})
print(f"{estimate['calls']} calls are needed")
run = call(f"{home}/suites/{suite}/run/", wish)["number"]
state = ""
while state not in {"DONE", "CANCELLED"}:
    told = call(f"{home}/runs/{run}/")
    state, steps = told["state"], told["progress"]["steps"]
    print(f"run {run}: {state}, {steps['done']} of {steps['total']} steps")
    if state == "PAUSED":
        sys.exit(f"The run has paused: {told['pause']}. Look at its page.")
    time.sleep(1)
found = json.loads(figure(f"{home}/runs/{run}/suite/"))
tables = {table["name"]: table["rows"] for table in found["tables"]}
for one in tables["metrics"]:
    print(f"{one['metric']} ({one['system']}): mean {one['value']}, n = {one['n']}")
gates = tables.get("gates", [])
for gate in gates:
    print(
        f"{'passed' if gate['passed'] else 'NOT PASSED'}: {gate['gate']} ({gate['system']}): {gate['said']}"
    )
counts = {one["what"]: one["n"] for one in tables["counts"]}
if counts["steps_lost"]:
    print(f"{counts['steps_lost']} of {counts['steps']} steps did not finish: {found['verdict']}")
    sys.exit(3)
sys.exit(0 if state == "DONE" and all(one["passed"] for one in gates) else 1)
