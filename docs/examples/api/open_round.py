"""Make a round of given releases, graded by a rubric, and open it to every annotator of the project.

    python open_round.py PROJECT NAME RUBRIC RELEASE [RELEASE …]

RUBRIC is a rubric's key (its newest version is used), RELEASE an id that /systems/ shows. Names of
systems in the answers are masked. What keeps the round from being opened is printed, and the exit
status is 1 then; the draft stays, to be mended on its page.
"""

import sys
import time

from client import call, rows

project, name, rubric, *releases = sys.argv[1:]
home = f"/api/v1/projects/{project}"
version = next(one["number"] for one in rows(f"{home}/rubrics/") if one["key"] == rubric)
people = [one["annotator"] for one in rows(f"{home}/annotators/")]

made = call(f"{home}/rounds/", {"name": name})
place = f"{home}/rounds/{made['number']}"
wanted = {
    "releases": [int(one) for one in releases],
    "rubrics": [{"capability": None, "rubric": rubric, "version": version}],
    "annotators": people,
}
call(f"{place}/", wanted)

drawn = call(f"{place}/prepare/", {})["prepared"]
while drawn is None:  # much is left to a worker
    time.sleep(5)
    drawn = call(f"{place}/")["draw"].get("prepared")
print(f"{drawn['items']} items, {drawn['responses']} answers, {drawn['hits']} names in them")
if drawn["hits"]:
    call(f"{place}/identity/", {"decision": "MASK"})

unmet = [one["text"] for one in call(f"{place}/")["needs"] if not one["met"]]
if unmet:
    sys.exit("\n".join(unmet))
opened = call(f"{place}/open/", {})
while opened["state"] == "DRAFT":
    time.sleep(5)
    opened = call(f"{place}/")
print(f"Round {opened['number']} is {opened['state']}: {opened['seats']['total']} seats")
