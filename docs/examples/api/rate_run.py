"""Make a round of what a run put out, so that people rate it, and follow rounds until they are done.

python rate_run.py PROJECT --run 7 --rubric factuality     make a round of run 7, print its number
python rate_run.py PROJECT --follow 3 [--every 30]         print how far round 3 is, until it is done
"""

import argparse
import time
import uuid

from client import call

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("project")
parser.add_argument("--run", type=int)
parser.add_argument("--rubric")
parser.add_argument("--follow", type=int)
parser.add_argument("--every", type=float, default=30)
asked = parser.parse_args()
home = f"/api/v1/projects/{asked.project}"
number = asked.follow
if asked.run:
    wish = {
        "key": str(uuid.uuid4()),
        "name": f"What run {asked.run} put out",
        "rubric": {"key": asked.rubric},
    }
    number = call(f"{home}/runs/{asked.run}/publish/", wish)["round"]
    print(f"Round {number} is made. Open it on its page: {home[7:]}/rounds/{number}/")
while asked.follow:
    told = call(f"{home}/rounds/{number}/")
    seats = told["seats"]
    print(
        f"{told['state']}: {seats['submitted']} of {seats['total']} submitted, {seats['held']} held"
    )
    if told["state"] in {"REVIEW", "FINAL"} or seats["total"] == seats["submitted"] > 0:
        break
    time.sleep(asked.every)
